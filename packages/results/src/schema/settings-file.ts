import { strict, text } from "@evenbench/core/schema";
import * as z from "zod";
import { type OptionValue, RUN_OPTIONS } from "../run-options.ts";

/** Largest number of entries of one key: what is more is no settings file that somebody wrote. */
const MAX_ENTRIES = 100;

/** No path, command, header or variable can hold the NUL character. */
const line = text.refine((value) => !value.includes("\0"), "It has a NUL character");
const path = line
  .startsWith("/", "Begin it with a slash, without a host, such as /products")
  .describe("A path, such as /products?page=2.");
const server = line.regex(/^(?:https?:\/\/|cmd:)/, "Write a URL, or a command such as cmd: node server.js");
const word = line.regex(/\S/, "It is empty");
const mask = line.min(1, "It is empty").refine(isPattern, "Write a regular expression");

function isPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern, "gs").source !== "";
  } catch {
    return false;
  }
}

const variable = strict({
  env: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "Write the name of a variable, such as BENCH_TOKEN")
    .describe("Name of the variable of the environment that has the value."),
}).describe("A value that is taken from the environment when it runs. No record has it.");

/** What other tools put a variable's value in the place of, and this one sends as it is. */
const PLACEHOLDER = /\$\{\w+\}/;
const header = z.union([
  line.refine(
    (value) => !PLACEHOLDER.test(value),
    'It would be sent as it is. Take a value from the environment by { "env": "NAME" }',
  ),
  variable,
]);
const headers = z.record(line, header);
const masks = z.array(mask).max(MAX_ENTRIES);
const platforms = z.array(word).min(1).max(MAX_ENTRIES);
const files = z.array(word).min(1).max(MAX_ENTRIES);

const startedServer = strict({
  command: word.describe("The command that starts it, such as exec node server.js. It gets PORT."),
  env: z
    .record(line, z.union([line, variable]))
    .exactOptional()
    .describe("Variables that it gets."),
  cwd: word
    .exactOptional()
    .describe("The folder that it is started in, from this file's. Default: the current one."),
});

const askedPath = strict({
  path,
  name: word.exactOptional().describe("Name in tables and over time. Default: the method and the path."),
  method: word.exactOptional().describe("Method, such as POST. Default: GET, or POST with a body."),
  body: word.exactOptional().describe("File whose content is sent, from this file's folder."),
  headers: headers.exactOptional().describe("Headers of this request beside those of all."),
  masks: masks
    .exactOptional()
    .describe("Text that may differ between bodies of this path, beside that of all."),
});

const paths = z
  .array(z.union([path, askedPath]))
  .min(1)
  .max(MAX_ENTRIES)
  .refine(areToldApart, 'Two ask the same path by the same method. Give each a "name" of its own');

/** Tells whether each path has another name, path or method than the others. */
function areToldApart(entries: readonly (string | z.infer<typeof askedPath>)[]): boolean {
  const names = entries.map((entry) => {
    const { path: asked, name, method, body } = typeof entry === "string" ? { path: entry } : entry;
    return name ?? `${method ?? (body === undefined ? "GET" : "POST")} ${asked}`;
  });
  return new Set(names).size === names.length;
}

/** Makes the schema of an option's value as a settings file has it: as it is typed, but for numbers and switches. */
function valueSchema(value: OptionValue): z.ZodType<string | number | boolean> {
  switch (value.kind) {
    case "none":
      return z.boolean();
    case "whole number":
      return z.int().min(value.minimum).max(value.maximum);
    case "choice":
      return z.enum(value.choices);
    default:
      return word;
  }
}

/** The options of `run` that a settings file may have, each by its field: all that apply to servers of one's own. */
function measureShape() {
  const options = Object.entries(RUN_OPTIONS).filter(([, option]) => option.notForOwnServers === undefined);
  return Object.fromEntries(
    options.map(([name, { description, flags, value }]) => [
      name,
      valueSchema(value).exactOptional().describe(`${flags}: ${description}`),
    ]),
  );
}

/** What a limit is of, by the word for it. */
const LIMITED = ["median", "p95", "p99", "cpu", "startup", "cold", "memory", "size"] as const;

const limit = strict({
  what: z
    .enum(LIMITED)
    .describe(
      "median, p95 and p99 of the time to the last byte; cpu: CPU time of a request; startup: CPU time of a start; cold: time from a start to the first answer; memory: resident; size: compressed, of what is deployed.",
    ),
  most: z
    .string()
    .regex(/^\d+(?:\.\d+)?\s*(?:ms|s|kB|MB)$/, 'Write a number with its unit, such as "200ms" or "3MB"')
    .describe('The largest value that passes, such as "200ms" or "3MB".'),
  path: path.exactOptional().describe("Only this path. Default: every one."),
  target: word.exactOptional().describe("Only this server or platform. Default: every one."),
}).refine(
  ({ what, most }) => /B$/.test(most) === (what === "memory" || what === "size"),
  "Times are in ms or s, memory and sizes in kB or MB",
);

/** Schema of `evenbench.json`. */
export const settingsFileSchema = strict({
  $schema: text.exactOptional().describe("Address of this schema, for editors."),
  targets: z
    .record(line, z.union([server, startedServer]))
    .exactOptional()
    .describe("Servers by name: each a URL, or a command, as --target takes them."),
  baseline: word
    .exactOptional()
    .describe("The server that the others are compared with. Default: the first."),
  paths: paths.exactOptional().describe("What is asked. Each is a case."),
  headers: headers.exactOptional().describe("Headers of every request, by their names."),
  masks: masks.exactOptional().describe("Regular expressions of text that may differ between bodies."),
  sameWork: z
    .enum(["proven", "json", "assumed"])
    .exactOptional()
    .describe("How bodies are compared, as --same-work takes it."),
  on: platforms.exactOptional().describe("Platforms that an app is built for: cloudflare, vercel, node."),
  build: word.exactOptional().describe("A command that builds an app."),
  start: word.exactOptional().describe("A command that starts an app on Node.js."),
  envFile: files
    .exactOptional()
    .describe("Files of variables for builds and for servers that commands start, from this file's folder."),
  measure: strict(measureShape()).exactOptional().describe("How long and how often it is measured."),
  against: strict({
    base: word
      .exactOptional()
      .describe("What the app is compared with where nobody names it: a branch, a tag or a commit."),
  })
    .exactOptional()
    .describe("Settings of `against`."),
  load: strict({
    concurrency: word.exactOptional().describe('Requests at a time, such as "1..32".'),
    rate: word.exactOptional().describe('Arrivals per second, such as "10,20,40".'),
    capacity: word.exactOptional().describe('The highest rate within a latency, such as "p99 <= 250ms".'),
  })
    .refine((load) => Object.keys(load).length <= 1, "Give one of concurrency, rate and capacity")
    .exactOptional()
    .describe("Settings of `load`."),
  failOn: z
    .array(word)
    .max(MAX_ENTRIES)
    .exactOptional()
    .describe('Conditions that fail a check, as --fail-on takes them, such as "cpu slower 5%".'),
  limits: z
    .array(limit)
    .max(MAX_ENTRIES)
    .exactOptional()
    .describe("Limits of one state: what is above one fails a check."),
  export: z
    .array(word)
    .max(MAX_ENTRIES)
    .exactOptional()
    .describe("Files for other programs, as --export takes them: bmf, github, junit."),
}).meta({
  title: "Evenbench settings",
  description:
    "evenbench.json: what your own servers or app are asked, how an app is built and started, how long it is measured, and what fails a check.",
});
/** The settings in `evenbench.json`, in the current folder or an app's. */
export type SettingsFile = z.infer<typeof settingsFileSchema>;
/** A path of the file that is asked in a way of its own. */
export type AskedPath = z.infer<typeof askedPath>;
/** A value of the file that is a text, or that the environment has. */
export type FileValue = string | z.infer<typeof variable>;
/** A limit of one state. */
export type Limit = z.infer<typeof limit>;
