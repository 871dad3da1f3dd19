// Reads what servers and apps of a user's own are asked, from options and from a settings file.
import { createHash } from "node:crypto";
import { METHODS } from "node:http";
import type { CaseManifest, CaseRequest, RequestRecord, RequestSettings } from "@evenbench/core";
import { messageOf, UsageError } from "@evenbench/core/errors";
import { SECRET_VALUE } from "@evenbench/core/sent";
import { readUserBytes } from "@evenbench/core/user-file";
import { headerName, parseHeaders, RECORDED_HEADERS } from "./own-headers.ts";
import { parsePath, readPaths, recordedPaths } from "./own-paths.ts";
import type { OwnServerOptions } from "./own-server-options.ts";
import type { OwnRequest } from "./settings-values.ts";

/** The path that is asked where the user gives none. */
const USUAL_PATH = "/";
/** Largest file of `--body` in bytes: it is in memory, and is sent with every request. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** The requests that each of a user's own servers gets. */
export interface OwnRequests {
  /** Cases, one for each path, and for each way of a settings file to ask it. */
  readonly cases: readonly CaseManifest[];
  readonly settings: RequestSettings;
  /** The first case's request: a server that answers it is ready. */
  readonly ready: CaseRequest;
}

/**
 * Reads the requests to own servers, a case for each path.
 *
 * @throws {UsageError} for what is no path, mask, header, method or file.
 */
export async function readOwnRequests(options: OwnServerOptions): Promise<OwnRequests> {
  const { ownServerCase } = await import("@evenbench/runner");
  const paths = readPaths(options.path ?? [USUAL_PATH]);
  const usual = readRequest(options);
  const cases: CaseManifest[] = [];
  const ofCases = new Map<string, CaseRequest>();
  let ready: CaseRequest = { ...usual.settings, path: paths[0] ?? USUAL_PATH };
  for (const [path, recorded] of recordedPaths(paths)) {
    for (const asked of waysToAsk(path, options)) {
      const { settings, record } = asked === options ? usual : readRequest(asked);
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

function readRequest(options: OwnServerOptions): ReadRequest {
  const { header = [], secretHeader = [], method, body: file } = options;
  const body = file === undefined ? null : readBody(file);
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
function readBody(file: string): Uint8Array {
  try {
    return readUserBytes(file, MAX_BODY_BYTES);
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
