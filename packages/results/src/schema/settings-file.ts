import { strict, text } from "@evenbench/core/schema";
import * as z from "zod";

/** Largest number of entries of one key: what is more is no settings file that somebody wrote. */
const MAX_ENTRIES = 100;

/** No path, command, header or variable can hold the NUL character. */
const line = text.refine((value) => !value.includes("\0"), "It has a NUL character");
const path = line.startsWith("/", "Begin it with a slash, without a host, such as /products");
const target = line.regex(/^(?:https?:\/\/|cmd:)/, "Write a URL, or a command such as cmd: node server.js");
const word = line.regex(/\S/, "It is empty");
const mask = line.min(1, "It is empty").refine(isPattern, "Write a regular expression");

/** Tells whether a text is a regular expression. */
function isPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern, "gs").source !== "";
  } catch {
    return false;
  }
}

/** Schema of `evenbench.json`. */
export const settingsFileSchema = strict({
  $schema: text.exactOptional(),
  /** Servers by name, each a URL or a command, as --target takes them. */
  targets: z.record(line, target).exactOptional(),
  /** Paths that each target is asked for, as --path takes them: each is a case. */
  paths: z.array(path).min(1).max(MAX_ENTRIES).exactOptional(),
  /** Headers of every request by their names, as --header takes them. */
  headers: z.record(line, line).exactOptional(),
  /** Regular expressions of text that may differ between bodies, as --mask takes them. */
  masks: z.array(mask).max(MAX_ENTRIES).exactOptional(),
  /** Platforms that an app is built for, as --on takes them. */
  on: z.array(word).min(1).max(MAX_ENTRIES).exactOptional(),
  /** A command of one's own that builds an app, as --build takes it. */
  build: word.exactOptional(),
  /** A command of one's own that starts an app on Node.js, as --start takes it. */
  start: word.exactOptional(),
}).meta({
  title: "Evenbench settings",
  description: "evenbench.json: what your own servers or app are asked, and how an app is built and started.",
});
/** The settings in `evenbench.json`, in the current folder or an app's. */
export type SettingsFile = z.infer<typeof settingsFileSchema>;
