// Reads what servers and apps of a user's own are asked, from options and from a settings file.
import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { METHODS } from "node:http";
import type { CaseManifest, CaseRequest, RequestRecord, RequestSettings } from "@evenbench/core";
import { messageOf, UsageError } from "@evenbench/core/errors";
import { COUNTED } from "@evenbench/core/sent";
import { shellWord } from "@evenbench/core/shell";
import type { OwnServerOptions } from "./own-server-options.ts";
import { sayNote } from "./say.ts";
import type { OwnRequest } from "./settings-values.ts";

/** The path that is asked where the user gives none. */
const USUAL_PATH = "/";
/** Largest file of `--body` in bytes: it is in memory, and is sent with every request. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** Headers whose values are no secrets: records have them. */
const RECORDED_HEADERS = ["accept", "accept-language", "content-type", "host", "user-agent"];
/** Reasons for which headers cannot be given: they belong to the connection, or to how bodies are compared. */
const REFUSED_HEADERS: Readonly<Record<string, string>> = {
  "accept-encoding": "bodies are compared as they are, so they are asked for without compression",
  connection: "connections are kept, and belong to the client",
  "keep-alive": "connections are kept, and belong to the client",
  "content-length": "the client sends the length of --body",
  expect: "the client does not wait before it sends a body",
  "transfer-encoding": "the client sends --body as a whole",
  upgrade: "only HTTP/1.1 is measured",
};

/** The requests that each of a user's own servers gets. */
export interface OwnRequests {
  /** Cases, one for each path, and for each way of a settings file to ask it. */
  readonly cases: readonly CaseManifest[];
  readonly settings: RequestSettings;
  /** The first case's request: a server that answers it is ready. */
  readonly ready: CaseRequest;
}

/**
 * Reads the requests to servers that know nothing of Evenbench: a case for each path.
 *
 * @throws {UsageError} for a word that is no path, mask, header, method or file.
 */
export async function readOwnRequests(options: OwnServerOptions): Promise<OwnRequests> {
  const { ownServerCase } = await import("@evenbench/runner");
  const paths = readPaths(options.path ?? [USUAL_PATH]);
  const usual = await readRequest(options);
  const cases: CaseManifest[] = [];
  const ofCases = new Map<string, CaseRequest>();
  let ready: CaseRequest = { ...usual.settings, path: paths[0] ?? USUAL_PATH };
  for (const path of paths) {
    const recorded = recordedPath(
      path,
      cases.map((manifest) => manifest.path),
    );
    for (const asked of waysToAsk(path, options)) {
      const { settings, record } = asked === options ? usual : await readRequest(asked);
      const masks = (asked.mask ?? []).map(checkMask);
      const named = { path: recorded, name: asked.name ?? null };
      const manifest = ownServerCase(
        named,
        cases.map(({ id }) => id),
        record,
        masks,
      );
      if (cases.length === 0) {
        ready = { ...settings, path };
      }
      if (settings !== usual.settings || recorded !== path) {
        ofCases.set(manifest.id, { ...settings, path });
      }
      cases.push(manifest);
    }
  }
  return { cases, settings: { ...usual.settings, ofCases }, ready };
}

/** How a path is asked. */
type AskedOptions = OwnServerOptions & { readonly name?: string };

/** Lists the ways in which a path is asked: those of the settings file, or else the one of the options. */
function waysToAsk(path: string, options: OwnServerOptions): readonly AskedOptions[] {
  const { requests = [], header = [], secretHeader = [], mask = [] } = options;
  const own = requests.filter((request) => parsePath(request.path) === path);
  if (own.length === 0) {
    return [options];
  }
  return own.map(
    (request): AskedOptions => ({
      ...options,
      ...request,
      path: [path],
      header: [...without(header, request), ...request.header],
      secretHeader: [...without(secretHeader, request), ...request.secretHeader],
      mask: [...mask, ...request.mask],
    }),
  );
}

/** Leaves out those headers that a path has anew. */
function without(headers: readonly string[], { header, secretHeader }: OwnRequest): readonly string[] {
  const anew = [...header, ...secretHeader].map(headerName);
  return headers.filter((text) => !anew.includes(headerName(text)));
}

/** Gives the name of a header's "name: value", in lower case. */
function headerName(text: string): string {
  const [name = ""] = text.split(":");
  return name.trim().toLowerCase();
}

/**
 * Reads the paths as they are sent. Whoever gives the same request twice meant another one: that is an error.
 */
function readPaths(texts: readonly string[]): readonly string[] {
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
const SECRET_VALUE = "<value>";

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

/** Gives the words of a `--header` as records have them: without its value, unless that is surely no secret. */
export function recordedHeader(text: string): string {
  const [name = ""] = text.split(":");
  return RECORDED_HEADERS.includes(headerName(text)) ? text : `${name}: ${SECRET_VALUE}`;
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
    throw new UsageError(`--path ${shellWord(text)} cannot be sent: ${why}.`);
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

/** All printable letters of ASCII. */
const ALL_PRINTABLE = String.fromCharCode(...Array.from({ length: 95 }, (_, index) => 32 + index));

/** Checks a mask. @throws {UsageError} where it is no expression, or hides too much or nothing. */
function checkMask(text: string): string {
  let why = text === "" ? "it is empty" : null;
  // Bodies are compared byte by byte.
  if (/[^\t\x20-\x7e]/.test(text)) {
    why = "it has letters beyond ASCII: write .+ in their place";
  }
  try {
    const mask = new RegExp(text, "gs");
    // A boundary or a lookahead matches between two letters, and hides nothing.
    if (mask.test("") || ALL_PRINTABLE.match(mask)?.includes("")) {
      why ??= "it matches the empty text";
    }
  } catch (error) {
    why = messageOf(error);
  }
  if (why === null) {
    return text;
  }
  throw new UsageError(`--mask ${JSON.stringify(text)} cannot be used: ${why}. Write a regular expression.`);
}

/** The part that all requests have in common, as it is sent and as a record has it. */
interface ReadRequest {
  readonly settings: RequestSettings;
  /** The record of it, without values that may be secrets. */
  readonly record: RequestRecord;
}

async function readRequest(options: OwnServerOptions): Promise<ReadRequest> {
  const { header = [], secretHeader = [], method, body: file } = options;
  const body = file === undefined ? null : await readBody(file);
  const headers = parseHeaders([...header, ...secretHeader]);
  const secret = secretHeader.map(headerName);
  const isRecorded = (name: string) => RECORDED_HEADERS.includes(name) && !secret.includes(name);
  const settings: RequestSettings = {
    method: parseMethod(method ?? (body === null ? "GET" : "POST")),
    headers,
    body,
  };
  if (body !== null && ["GET", "HEAD"].includes(settings.method)) {
    throw new UsageError(
      `A ${settings.method} request has no body. Leave --body out, or give another --method.`,
    );
  }
  const headerLines = Object.entries(headers).map(
    ([name, value]) => `${name}: ${isRecorded(name) ? value : SECRET_VALUE}`,
  );
  const sha256 = createHash("sha256")
    .update(body ?? "")
    .digest("hex");
  const sent = body === null || file === undefined ? null : { file, bytes: body.byteLength, sha256 };
  const record: RequestRecord = { method: settings.method, headers: headerLines, body: sent };
  return { settings, record };
}

/** Reads the file of a body. @throws {UsageError} where it is none, or too large. */
async function readBody(file: string): Promise<Uint8Array> {
  try {
    const found = await stat(file);
    const { size } = found;
    // A device or a pipe may have no end.
    if (!found.isFile()) {
      throw new Error("it is not a regular file");
    }
    if (size > MAX_BODY_BYTES) {
      throw new Error(`it has ${size} bytes, and the limit is ${MAX_BODY_BYTES}`);
    }
    return await readFile(file);
  } catch (error) {
    throw new UsageError(`--body cannot read ${file}: ${messageOf(error)}. Give another file.`);
  }
}

/** Reads a method. @throws {UsageError} for one that cannot be measured. */
function parseMethod(text: string): string {
  const method = text.toUpperCase();
  if (METHODS.includes(method) && !["CONNECT", "TRACE"].includes(method)) {
    return method;
  }
  throw new UsageError(`"${text}" is not a method. Write one such as --method POST.`);
}

/** Tells whether a text can be a header's name. */
function isHeaderName(text: string): boolean {
  return /^[\w-]+$/.test(text);
}

/** Control characters but the tab, which a header's value may have. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what cannot be sent.
const CONTROLS = /[\u0000-\u0008\u000a-\u001f\u007f]/;

/** Reads the headers of all requests. A header that is given twice is joined, as `Headers` does. */
export function parseHeaders(texts: readonly string[]): Record<string, string> {
  const headers = new Headers();
  for (const text of texts) {
    const at = Math.max(0, text.indexOf(":"));
    const name = text.slice(0, at).trim();
    // One byte each here, two or more as other programs send them: a server would get something else.
    if (isHeaderName(name) && /\P{ASCII}/u.test(text)) {
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
