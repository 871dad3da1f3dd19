// What requests send, and how that is shown. Nothing here needs Node.js, so that the client inside of k6 sends the same.
import type { SentRequest } from "./schema.ts";

/** Headers of every measured request, and of those that ask whether a server is ready: bodies are not compressed. */
export const MEASURED_HEADERS: Readonly<Record<string, string>> = {
  accept: "*/*",
  "accept-encoding": "identity",
  "user-agent": "evenbench",
};

/** Makes the body of a case's request as text: one character a byte. */
export function sentText({ repeated, bytes }: SentRequest): string {
  return repeated.repeat(Math.ceil(bytes / repeated.length)).slice(0, bytes);
}

/** The part of a path that stands for a number which counts up while memory is read: "{n}", as it is sent. */
export const COUNTED = "%7Bn%7D";

/** Puts a number in the place of `COUNTED`. */
export function pathAt(path: string, number: number): string {
  return path.replaceAll(COUNTED, String(number));
}

/** Names of query parameters whose values may be secrets, such as "access_token", "apiKey" and "X-Amz-Signature". */
const SECRET_PARAMETER =
  /token|secret|passw|pwd|auth(?!or)|credential|signature|session|jwt|^sig$|(?:^|[-_])key$|(?:api|access|private)[-_]?key/i;

/** The text that is shown in place of a value that may be a secret, in a query or a header. */
export const SECRET_VALUE = "<value>";

/**
 * Gives a path as messages and records have it: without values that may be secrets.
 *
 * @param taken recorded paths of other cases: paths that differ in a secret alone are told apart by a number.
 */
export function recordedPath(path: string, taken: readonly string[] = []): string {
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

/** Lists the names of a path's parameters, decoded, whose values may be secrets. */
export function secretParameters(path: string): readonly string[] {
  return querySegments(path).flatMap(({ secret }) => secret ?? []);
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
