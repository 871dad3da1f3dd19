// The headers that servers and apps of a user's own get.
import { UsageError } from "@evenbench/core/errors";
import { SECRET_VALUE } from "@evenbench/core/sent";
import { CONTROLS } from "./own-paths.ts";

/** Headers whose values are no secrets: records have them. */
export const RECORDED_HEADERS = ["accept", "accept-language", "content-type", "host", "user-agent"];
/** Reasons for which headers cannot be given: they belong to the connection, or to how bodies are compared. */
const REFUSED_HEADERS: Readonly<Record<string, string>> = {
  "accept-encoding": "bodies are compared as they are, so they are asked for without compression",
  connection: "connections are kept, and belong to the client",
  "keep-alive": "connections are kept, and belong to the client",
  "content-length": "the client sends the length of --body",
  expect: "the client does not wait before it sends a body",
  trailer: "the client sends --body as a whole, with nothing behind it",
  "transfer-encoding": "the client sends --body as a whole",
  upgrade: "only HTTP/1.1 is measured",
};

/** Gives the name of a header's "name: value", in lower case. */
export function headerName(text: string): string {
  const [name = ""] = text.split(":");
  return name.trim().toLowerCase();
}

/** Gives the words of a `--header` as records have them: without its value, unless that is surely no secret. */
export function recordedHeader(text: string): string {
  const [name = ""] = text.split(":");
  return RECORDED_HEADERS.includes(headerName(text)) ? text : `${name}: ${SECRET_VALUE}`;
}

/** Reads the headers of all requests. A header that is given twice is joined, as `Headers` does. */
export function parseHeaders(texts: readonly string[]): Record<string, string> {
  const headers = new Headers();
  for (const text of texts) {
    const at = Math.max(0, text.indexOf(":"));
    const name = text.slice(0, at).trim();
    // One byte each here, two or more as other programs send them: a server would get something else.
    if (/^[\w-]+$/.test(name) && /\P{ASCII}/u.test(text)) {
      throw new UsageError(
        `--header ${name} has letters beyond ASCII, for which HTTP has no encoding. Encode them as the server expects it, such as %C3%A4.`,
      );
    }
    try {
      if (CONTROLS.test(text)) {
        throw new Error("It has control characters.");
      }
      headers.append(text.slice(0, at), text.slice(at + 1));
    } catch {
      // Not repeated: its value may be a secret.
      throw new UsageError(
        'A --header has no name and value. Write it as "name: value", such as --header "accept-language: de".',
      );
    }
  }
  const refused = Object.keys(REFUSED_HEADERS).find((name) => headers.has(name));
  if (refused !== undefined) {
    throw new UsageError(`--header cannot set ${refused}: ${REFUSED_HEADERS[refused]}. Leave it out.`);
  }
  return Object.fromEntries(headers);
}
