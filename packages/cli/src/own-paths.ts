// The paths that servers and apps of a user's own are asked, as they are sent and as records have them.
import { UsageError } from "@evenbench/core/errors";
import { COUNTED, recordedPath, SECRET_VALUE, secretParameters } from "@evenbench/core/sent";
import { shellWord } from "@evenbench/core/shell";
import { sayNote } from "./say.ts";

/** Reads the paths as they are sent. The same request twice is an error. */
export function readPaths(texts: readonly string[]): readonly string[] {
  const sent = new Map<string, string>();
  for (const text of texts) {
    const path = parsePath(text);
    const before = sent.get(path);
    if (before !== undefined) {
      throw new UsageError(
        `--path ${shellWord(before)} and --path ${shellWord(text)} are the same request, ${path}. Leave one of them out.`,
      );
    }
    sent.set(path, text);
    if (path.includes(COUNTED)) {
      sayNote(`{n} in --path ${shellWord(text)} counts up while memory is read, and is 1 elsewhere.`);
    } else if (path !== text) {
      sayNote(`--path ${shellWord(text)} is sent as ${path}`);
    }
  }
  const paths = [...sent.keys()];
  saySecrets(paths);
  return paths;
}

/** Says of which parameters records have no value, once for each name. */
function saySecrets(paths: readonly string[]): void {
  for (const name of new Set(paths.flatMap(secretParameters))) {
    sayNote(
      `The value of "${name}" in --path may be a secret: it is sent, and records and reports have ${SECRET_VALUE} in its place.`,
    );
  }
}

/** Gives paths as records have them, by the path as it is sent, each told apart from those before. */
export function recordedPaths(paths: readonly string[]): ReadonlyMap<string, string> {
  const recorded = new Map<string, string>();
  for (const path of paths) {
    recorded.set(path, recordedPath(path, [...recorded.values()]));
  }
  return recorded;
}

/** Gives a path and its query as they are sent. @throws {UsageError} where that is another request than was typed. */
export function parsePath(text: string): string {
  const url = text.startsWith("/") ? URL.parse(text, PATH_BASE) : null;
  if (url === null || `${url.origin}/` !== PATH_BASE) {
    throw new UsageError(
      `"${text}" is not a path. Begin it with a slash, without a host, such as --path /products.`,
    );
  }
  const why = whyNotAsWritten(text);
  if (why !== null) {
    throw new UsageError(`The path ${shellWord(text)} cannot be sent: ${why}.`);
  }
  return url.pathname + url.search;
}

/** An origin that paths are read with. */
const PATH_BASE = "http://host.invalid/";

/** Says what parsers of URLs would remove or replace without a word; null where there is no such thing. */
function whyNotAsWritten(text: string): string | null {
  if (text.includes("#")) {
    return "what follows # stays in a browser. Write %23 for the character itself";
  }
  if (CONTROLS.test(text) || text.includes("\t")) {
    return "it has control characters. Write them as %0A and the like";
  }
  if (text !== text.trim()) {
    return "it ends with a blank. Write %20 for it";
  }
  const [path = ""] = text.split("?");
  if (path.includes("\\")) {
    return "a backslash becomes a slash. Write / or %5C";
  }
  if (path.split("/").some((part) => /^(?:\.|%2e){1,2}$/i.test(part))) {
    return 'parts that are "." or ".." are resolved before it is sent. Write the path that they lead to';
  }
  return null;
}

/** Control characters but the tab, which a header's value may have. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what cannot be sent.
export const CONTROLS = /[\u0000-\u0008\u000a-\u001f\u007f]/;
