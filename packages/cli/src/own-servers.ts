import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { METHODS } from "node:http";
import type { CaseManifest, RequestRecord, RequestSettings } from "@evenbench/core";
import { messageOf, UsageError } from "@evenbench/core/errors";
import { shellWord } from "@evenbench/core/shell";
import type { Target, UrlTarget } from "@evenbench/runner";
import { commandOf, type OwnServerOptions } from "./options.ts";
import { sayNote } from "./say.ts";

/** The path that is asked where the user gives none. */
const USUAL_PATH = "/";
/** Milliseconds in which a server that a command starts has to answer; frameworks in development need the most. */
export const COMMAND_READY_WITHIN_MS = 60_000;
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

/** A user's own servers, and the cases that they are asked with. */
export interface OwnServers {
  /** The servers. */
  readonly targets: readonly Target[];
  /** Cases, one for each path. */
  readonly cases: readonly CaseManifest[];
}

/**
 * Reads targets and cases of a user's own servers from options.
 *
 * @throws {UsageError} for a word that is no server, path, mask, header, method or file.
 */
export async function readOwnServers(options: OwnServerOptions): Promise<OwnServers> {
  const { cases, settings, readyPath } = await readOwnRequests(options);
  const { ownServerCommand, ownServerUrl } = await import("@evenbench/runner");
  const started = {
    environment: await readVariables(options.envFile),
    folder: process.cwd(),
    readyPath,
    method: settings.method,
    headers: settings.headers,
    body: settings.body,
    readyWithinMs: COMMAND_READY_WITHIN_MS,
  };
  const targets = (options.target ?? []).map((word): Target => {
    const server = readOwnServer(word);
    return server.command === null
      ? ownServerUrl(server.name, server.url, settings)
      : ownServerCommand(server.name, { ...started, command: server.command }, settings);
  });
  if (targets.length === 0) {
    throw new UsageError(
      'No --target names one of your own servers. Write --target a=http://127.0.0.1:3000 or --target a="cmd: node server.js".',
    );
  }
  assertNames(targets);
  if (targets.some(({ place }) => place === "local")) {
    sayNote(
      "Commands get NODE_ENV=production, PORT, HOST and HOSTNAME=127.0.0.1, what tools need of your environment, and --env-file.",
    );
    sayReadiness(settings.method, cases[0]?.path ?? readyPath);
  }
  return { targets, cases };
}

/** The requests that each of a user's own servers gets. */
export interface OwnRequests {
  /** Cases, one for each path. */
  readonly cases: readonly CaseManifest[];
  readonly settings: RequestSettings;
  /** The first path, as it is sent: a server that answers it is ready. */
  readonly readyPath: string;
}

/**
 * Reads the requests to servers that know nothing of Evenbench: a case for each path.
 *
 * @throws {UsageError} as `readOwnServers`.
 */
export async function readOwnRequests(options: OwnServerOptions): Promise<OwnRequests> {
  const { settings, record } = await readRequest(options);
  const paths = readPaths(options.path ?? [USUAL_PATH]);
  const secretPaths: Record<string, string> = {};
  const masks = (options.mask ?? []).map(checkMask);
  const { ownServerCase } = await import("@evenbench/runner");
  const cases: CaseManifest[] = [];
  for (const path of paths) {
    const recorded = recordedPath(
      path,
      cases.map((manifest) => manifest.path),
    );
    if (recorded !== path) {
      secretPaths[recorded] = path;
    }
    const taken = cases.map(({ id }) => id);
    cases.push(ownServerCase(recorded, taken, record, masks));
  }
  return { cases, settings: { ...settings, secretPaths }, readyPath: paths[0] ?? USUAL_PATH };
}

/** A server by its address, or by the command that starts it. */
type OwnServer =
  | { readonly name: string; readonly command: string }
  | { readonly name: string; readonly command: null; readonly url: string };

/** Reads name=URL or name="cmd: ...". @throws {UsageError} for anything else. */
function readOwnServer(word: string): OwnServer {
  const server = commandOf(word);
  if (server !== null) {
    const { name, command } = server;
    assertName(name);
    if (command === "") {
      throw new UsageError(`"${word}" names no command. Write ${name}="cmd: node server.js".`);
    }
    return server;
  }
  if (!word.includes("=")) {
    throw new UsageError(
      `"${word}" is not one of your own servers, and --path needs these. Write name=URL or name="cmd: node server.js"; for a target of the repository leave --path out.`,
    );
  }
  const { name, url } = parseUrlTarget(word, "");
  return { name, url, command: null };
}

/** Reads the variables that the user named for commands. @throws {UsageError} for a file that cannot be read. */
async function readVariables(files: readonly string[] = []): Promise<Readonly<Record<string, string>>> {
  const { readEnvironment } = await import("@evenbench/own-apps");
  const { variables, read } = readEnvironment([], files);
  for (const { file, notApplied } of read) {
    for (const { what, why } of notApplied) {
      sayNote(`${file}: not applied: ${what} (${why}).`);
    }
  }
  return variables;
}

/** Notes that commands are asked with a method that may change data before anything is measured. */
function sayReadiness(method: string, readyPath: string): void {
  if (method !== "GET" && method !== "HEAD") {
    sayNote(
      `Commands are asked ${method} ${readyPath}, as it is measured, until the answer has a status below 500.`,
    );
  }
}

/** Checks the names of targets. @throws {UsageError} where two are the same. */
export function assertNames(targets: readonly Target[]): void {
  const names = targets.map(({ name }) => name);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) {
    throw new UsageError(`Two targets are named "${repeated}". Give one of them another name.`);
  }
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
    if (path !== text) {
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
  return RECORDED_HEADERS.includes(name.trim().toLowerCase()) ? text : `${name}: ${SECRET_VALUE}`;
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

async function readRequest({ header = [], method, body: file }: OwnServerOptions): Promise<ReadRequest> {
  const body = file === undefined ? null : await readBody(file);
  const headers = parseHeaders(header);
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
    ([name, value]) => `${name}: ${RECORDED_HEADERS.includes(name) ? value : SECRET_VALUE}`,
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

/**
 * Pattern of the names of such targets, which is that of all targets: words joined by hyphens, dots or
 * underscores. An A/A copy's "~" is left to A/A copies.
 */
const SERVER_NAME = /^[a-z][a-z0-9._-]{0,63}$/i;

/**
 * Reads a target that runs already: "name=URL".
 *
 * @param app the app that the target serves.
 * @throws {UsageError} for what is no such word, or a URL with a password, a fragment or a path.
 */
export function parseUrlTarget(word: string, app: string): UrlTarget {
  const at = word.indexOf("=");
  const name = word.slice(0, at);
  const typed = word.slice(at + 1);
  const url = URL.parse(typed);
  assertName(name);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    const isCommand = commandOf(word) !== null;
    throw new UsageError(
      isCommand
        ? `"${word}" starts your own server, which only \`run\`, \`load\` and \`profile\` can do. Start it yourself, and give its address: ${name}=http://127.0.0.1:3000.`
        : `"${word}" is not a target. Write name=URL, such as mine=https://worker.example.workers.dev.`,
    );
  }
  // Not repeated: it may be a password.
  if (url.username !== "" || url.password !== "") {
    throw new UsageError(
      `The URL of "${name}" contains a user or password, which is never sent. Leave it out; a token goes with --header "authorization: Bearer <token>".`,
    );
  }
  if (url.href.includes("#")) {
    throw new UsageError(
      `The URL of "${name}" has a part behind #, which is never sent. Leave it out, or write %23 for the character itself.`,
    );
  }
  if (url.href !== `${url.origin}/`) {
    throw new UsageError(
      `The URL of "${name}" has a path. Give it to all targets: --target ${name}=${url.origin} --path ${shellWord(url.pathname + url.search)}`,
    );
  }
  if (!isOrigin(typed, url)) {
    sayNote(`${name} is asked at ${url.origin}`);
  }
  return { place: "url", name, app, url: url.origin };
}

/**
 * Tells whether a URL was typed as its origin is written: with or without a slash, and with or without its
 * usual port.
 */
function isOrigin(typed: string, { protocol, origin }: URL): boolean {
  const port = protocol === "https:" ? /:443$/ : /:80$/;
  return typed.trim().toLowerCase().replace(/\/$/, "").replace(port, "") === origin;
}

/** Checks a target's name. @throws {UsageError} where it cannot be one. */
function assertName(name: string): void {
  if (name in Object.prototype) {
    throw new UsageError(
      `"${name}" cannot name a target: every object of JavaScript has it. Give another name.`,
    );
  }
  if (SERVER_NAME.test(name)) {
    return;
  }
  throw new UsageError(
    `"${name.slice(0, 80)}" cannot name a target. Begin with a letter, and give at most 64 letters, digits, "-", "_" and ".", such as mine=https://worker.example.workers.dev.`,
  );
}
