import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { METHODS } from "node:http";
import { type CaseManifest, messageOf, type RequestRecord, type RequestSettings } from "@evenbench/core";
import { strangerCase, strangerCommand, strangerUrl, type Target } from "@evenbench/runner";
import { UsageError } from "../nearest.ts";
import { sayNote } from "../say.ts";
import { parseUrlTarget } from "../url-target.ts";
import { commandOf, type OwnServerOptions } from "./options.ts";

/** What is asked where nobody names a path. */
const USUAL_PATH = "/";
const USUAL_READY_WITHIN_MS = 60_000;
/** It is in memory, and is sent with every request. */
const MOST_BODY_BYTES = 64 * 1024 * 1024;

/** Headers whose values are no secrets: records have them. */
const TOLD = ["accept", "accept-language", "content-type", "host", "user-agent"];
/** Headers that belong to the connection, or to how bodies are compared. */
const REFUSED: Readonly<Record<string, string>> = {
  "accept-encoding": "bodies are compared as they are, so they are asked for without compression",
  connection: "connections are kept, and belong to the client",
  "content-length": "the client sends the length of --body",
  expect: "the client does not wait before it sends a body",
  "transfer-encoding": "the client sends --body as a whole",
  upgrade: "only HTTP/1.1 is measured",
};

export interface OwnServers {
  readonly targets: readonly Target[];
  readonly cases: readonly CaseManifest[];
}

/**
 * Reads targets and cases from the words of a command line.
 *
 * @throws {UsageError} for what cannot be used, in one line.
 */
export async function readOwnServers(
  options: OwnServerOptions & { readonly target?: readonly string[] },
): Promise<OwnServers> {
  const { settings, record } = await readRequest(options);
  const paths = [...new Set((options.path ?? [USUAL_PATH]).map(parsePath))];
  const masks = (options.mask ?? []).map(checkMask);
  const cases: CaseManifest[] = [];
  for (const path of paths) {
    const taken = cases.map(({ id }) => id);
    cases.push(strangerCase(path, taken, record, masks));
  }
  const own = {
    folder: process.cwd(),
    readyPath: paths[0] ?? USUAL_PATH,
    headers: settings.headers,
    readyWithinMs: options.readyWithin ?? USUAL_READY_WITHIN_MS,
  };
  const targets = (options.target ?? []).map((word) => parseTarget(word, own, settings));
  assertNames(targets);
  if (targets.some(({ place }) => place === "local"))
    sayNote("Commands get NODE_ENV=production, PORT, and HOST and HOSTNAME=127.0.0.1 in their environment.");
  return { targets, cases };
}

type Own = Omit<Parameters<typeof strangerCommand>[1], "command">;

function parseTarget(word: string, own: Own, settings: RequestSettings): Target {
  if (!word.includes("=")) {
    throw new UsageError(
      `"${word}" is no server of your own, and --path is for these. Write name=URL or name="cmd: node server.js"; for a target of the repository leave --path out.`,
    );
  }
  const started = commandOf(word);
  // The word's name is checked as that of a URL is.
  const { name, url } = parseUrlTarget(
    started === null ? word : `${started.name}=http://127.0.0.1`,
    "",
    "whole",
  );
  if (started === null) return strangerUrl(name, url, settings);
  if (started.command === "")
    throw new UsageError(`"${word}" names no command. Write ${name}="cmd: node server.js".`);
  return strangerCommand(name, { ...own, command: started.command }, settings);
}

function assertNames(targets: readonly Target[]): void {
  const names = targets.map(({ name }) => name);
  if (names.length === 0) {
    throw new UsageError(
      'No --target names a server of your own. Write --target a=http://127.0.0.1:3000 or --target a="cmd: node server.js".',
    );
  }
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw new UsageError(`Two targets are named "${twice}". Give one of them another name.`);
}

/** A path with its query, as it goes over the wire. */
export function parsePath(text: string): string {
  const url = text.startsWith("/") ? URL.parse(text, "http://host.invalid") : null;
  if (url === null || url.host !== "host.invalid")
    throw new UsageError(
      `"${text}" is no path. Write it with a slash and without a host, such as --path /products.`,
    );
  return url.pathname + url.search;
}

function checkMask(text: string): string {
  let why = text === "" ? "it is empty" : null;
  // Bodies are compared byte by byte.
  if (/[^\t\x20-\x7e]/.test(text)) why = "it has letters beyond ASCII: write .+ in their place";
  try {
    if (new RegExp(text, "gs").test("")) why ??= "it matches the empty text";
  } catch (error) {
    why = messageOf(error);
  }
  if (why === null) return text;
  throw new UsageError(`--mask ${JSON.stringify(text)} cannot be used: ${why}. Write a regular expression.`);
}

async function readRequest({
  header = [],
  method,
  body: file,
}: OwnServerOptions): Promise<{ readonly settings: RequestSettings; readonly record: RequestRecord }> {
  const body = file === undefined ? null : await readBody(file);
  const headers = parseHeaders(header);
  const settings = { method: parseMethod(method ?? (body === null ? "GET" : "POST")), headers, body };
  if (body !== null && ["GET", "HEAD"].includes(settings.method))
    throw new UsageError(
      `A ${settings.method} request has no body. Leave --body out, or give another --method.`,
    );
  const told = Object.entries(headers).map(
    ([name, value]) => `${name}: ${TOLD.includes(name) ? value : "<value>"}`,
  );
  const sha256 = createHash("sha256")
    .update(body ?? "")
    .digest("hex");
  const sent = body === null || file === undefined ? null : { file, bytes: body.byteLength, sha256 };
  return { settings, record: { method: settings.method, headers: told, body: sent } };
}

async function readBody(file: string): Promise<Uint8Array> {
  try {
    const found = await stat(file);
    const { size } = found;
    // A device or a pipe may have no end.
    if (!found.isFile()) throw new Error("it is no regular file");
    if (size > MOST_BODY_BYTES) throw new Error(`it has ${size} bytes, and ${MOST_BODY_BYTES} is the most`);
    return await readFile(file);
  } catch (error) {
    throw new UsageError(`--body cannot read ${file}: ${messageOf(error)}. Give another file.`);
  }
}

function parseMethod(text: string): string {
  const method = text.toUpperCase();
  if (METHODS.includes(method) && !["CONNECT", "TRACE"].includes(method)) return method;
  throw new UsageError(`"${text}" is no method. Write one such as --method POST.`);
}

function parseHeaders(texts: readonly string[]): Record<string, string> {
  const headers = texts.map(parseHeader);
  const names = headers.map(([name]) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return Object.fromEntries(headers);
  const separator = twice === "cookie" ? "; " : ", ";
  throw new UsageError(
    `Two --header give "${twice}", and the second would replace the first. Give the values in one, joined by "${separator}".`,
  );
}

/** Of "name: value". */
export function parseHeader(text: string): [name: string, value: string] {
  const [, name = "", value = ""] =
    /^([!#$%&'*+.^_`|~\w-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*?)[ \t]*$/.exec(text) ?? [];
  const lower = name.toLowerCase();
  if (name === "") {
    // Not repeated: its value may be a secret.
    throw new UsageError(
      'A --header is none. Write it as "name: value", such as --header "accept-language: de".',
    );
  }
  const why = Object.hasOwn(REFUSED, lower) ? REFUSED[lower] : undefined;
  if (why !== undefined) throw new UsageError(`--header cannot set ${lower}: ${why}. Leave it out.`);
  return [lower, value];
}
