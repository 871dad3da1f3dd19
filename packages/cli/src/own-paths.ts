// The paths that servers and apps of a user's own are asked, as they are sent and as records have them.
import { UsageError } from "@evenbench/core/errors";
import { COUNTED } from "@evenbench/core/sent";
import { shellWord } from "@evenbench/core/shell";
import { sayNote } from "./say.ts";

/**
 * Reads the paths as they are sent. Whoever gives the same request twice meant another one: that is an error.
 */
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

/** Names of query parameters whose values may be secrets, such as "access_token", "apiKey" and "X-Amz-Signature". */
const SECRET_PARAMETER =
  /token|secret|passw|pwd|auth(?!or)|credential|signature|session|jwt|^sig$|(?:^|[-_])key$|(?:api|access|private)[-_]?key/i;

/** The text that records and reports have in place of a value that may be a secret, in a query or a header. */
export const SECRET_VALUE = "<value>";

/** Says of which parameters records have no value, once for each name. */
function saySecrets(paths: readonly string[]): void {
  const names = paths.flatMap((path) => querySegments(path).flatMap(({ secret }) => secret ?? []));
  for (const name of new Set(names)) {
    sayNote(
      `The value of "${name}" in --path may be a secret: it is sent, and records and reports have ${SECRET_VALUE} in its place.`,
    );
  }
}

/**
 * Gives a path as records have it: without values that may be secrets.
 *
 * @param taken recorded paths of other cases: paths that differ in a secret alone are told apart by a number.
 */
export function recordedPath(path: string, taken: readonly string[]): string {
  const segments = querySegments(path);
  if (segments.every(({ secret }) => secret === null)) {
    return path;
  }
  for (let number = 1; ; number++) {
    const value = number === 1 ? SECRET_VALUE : SECRET_VALUE.replace(">", ` ${number}>`);
    const written = segments.map(({ text, secret }) =>
      secret === null ? text : `${text.slice(0, text.indexOf("="))}=${value}`,
    );
    const candidate = `${path.slice(0, path.indexOf("?"))}?${written.join("&")}`;
    if (!taken.includes(candidate)) {
      return candidate;
    }
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

/** A part of a query between two "&". */
interface QuerySegment {
  /** The part as it is sent. */
  readonly text: string;
  /** Name of its parameter, decoded, where the value may be a secret; null for any other. */
  readonly secret: string | null;
}

function querySegments(path: string): readonly QuerySegment[] {
  const at = path.indexOf("?");
  const texts = at === -1 ? [] : path.slice(at + 1).split("&");
  return texts.map((text): QuerySegment => {
    const [parameter] = new URLSearchParams(text);
    const [name, value] = parameter ?? ["", ""];
    return { text, secret: value !== "" && SECRET_PARAMETER.test(name) ? name : null };
  });
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
