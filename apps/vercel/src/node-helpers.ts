// What Vercel's launcher adds to requests and responses of Node.js for functions in api/: "Node.js helpers" of its
// documentation, as its own development server does it.
import { hash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { parse as parseQuery } from "node:querystring";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { MIMEType } from "node:util";
import { parse as parseCookies } from "cookie";
import type { Invoke } from "./inner-call.ts";

/** A redirect without a status gets this one. */
const REDIRECT_STATUS = 307;

/** An error of a request that a helper cannot read, with the status of its answer. */
class UnreadableRequest extends Error {
  readonly statusCode = 400;
}

/** Makes a function callable that uses the helpers. */
export function withHelpers(invoke: Invoke): Invoke {
  return async (request, response) => {
    await addToRequest(request);
    addToResponse(request, response);
    try {
      return await invoke(request, response);
    } catch (error) {
      if (!(error instanceof UnreadableRequest) || response.headersSent) {
        throw error;
      }
      response.writeHead(error.statusCode, error.message).end();
    }
  };
}

/** Adds `query`, `cookies` and `body`, each read when it is asked for. A body is read ahead where it has a type. */
async function addToRequest(request: IncomingMessage): Promise<void> {
  const { url = "/", headers } = request;
  const type = headers["content-type"];
  const body = type === undefined ? Buffer.alloc(0) : await readAhead(request);
  const parts = {
    query: () => queryOf(url),
    cookies: () => parseCookies(headers.cookie ?? ""),
    body: () => parsedBody(body, type),
  };
  for (const [name, read] of Object.entries(parts)) {
    const set = (value: unknown) => Object.defineProperty(request, name, { value, writable: true });
    const get = () => {
      const value = read();
      set(value);
      return value;
    };
    Object.defineProperty(request, name, { configurable: true, enumerable: true, get, set });
  }
}

/** Reads a request to its end, and lets it be read once more. */
async function readAhead(request: IncomingMessage): Promise<Buffer> {
  const body = await buffer(request);
  const again = Readable.from([body]);
  const on = request.on.bind(request);
  const listen = (name: string, listener: (...values: unknown[]) => void) =>
    name === "data" || name === "end" ? again.on(name, listener) : on(name, listener);
  const replaced = {
    on: listen,
    addListener: listen,
    read: again.read.bind(again),
    pipe: again.pipe.bind(again),
    [Symbol.asyncIterator]: again[Symbol.asyncIterator].bind(again),
  };
  Object.assign(request, replaced);
  return body;
}

/** Reads a query: a name that comes several times has a list. */
function queryOf(url: string): Readonly<Record<string, string | readonly string[]>> {
  const { searchParams } = new URL(url, "http://localhost");
  const names = [...new Set(searchParams.keys())];
  return Object.fromEntries(
    names.map((name) => {
      const values = searchParams.getAll(name);
      return [name, values.length === 1 ? (values[0] ?? "") : values];
    }),
  );
}

/** Reads a body by its type; undefined for one of another type. @throws {UnreadableRequest} for JSON that is none. */
function parsedBody(body: Buffer, type: string | undefined): unknown {
  switch (type === undefined ? "text/plain" : new MIMEType(type).essence) {
    case "application/json":
      try {
        return body.length === 0 ? {} : JSON.parse(body.toString());
      } catch {
        throw new UnreadableRequest("Invalid JSON");
      }
    case "application/octet-stream":
      return body;
    case "application/x-www-form-urlencoded":
      return parseQuery(body.toString());
    case "text/plain":
      return body.toString();
    default:
      return undefined;
  }
}

/** Characters of a digest that make a tag of an answer. */
const TAG_LENGTH = 27;

/** Makes the tag by which a client asks whether an answer is still the same: length and digest, as of the package etag. */
function weakTag(body: Buffer): string {
  const digest = hash("sha1", body, "base64").slice(0, TAG_LENGTH);
  return `W/"${body.length.toString(16)}-${digest}"`;
}

/** Adds `status`, `redirect`, `send` and `json`, each of which gives the response back. */
function addToResponse(request: IncomingMessage, response: ServerResponse): void {
  const send = (body: unknown): ServerResponse => {
    if (typeof body === "string") {
      return sendText(body, "text/html");
    }
    if (Buffer.isBuffer(body)) {
      return end(body, "application/octet-stream");
    }
    if (body === undefined) {
      return end(null, null);
    }
    return body === null ? end(Buffer.alloc(0), null) : json(body);
  };
  const json = (body: unknown): ServerResponse => {
    const text = JSON.stringify(body) as string | undefined;
    return text === undefined
      ? end(null, "application/json; charset=utf-8")
      : sendText(text, "application/json");
  };
  const sendText = (text: string, usualType: string): ServerResponse => {
    const { essence, params } = new MIMEType(String(response.getHeader("content-type") ?? usualType));
    params.set("charset", "utf-8");
    response.setHeader("content-type", `${essence}; ${params}`);
    return end(Buffer.from(text), null);
  };
  const end = (body: Buffer | null, type: string | null): ServerResponse => {
    if (type !== null && !response.hasHeader("content-type")) {
      response.setHeader("content-type", type);
    }
    if (body !== null) {
      response.setHeader("content-length", body.length);
    }
    if (body !== null && !response.hasHeader("etag")) {
      response.setHeader("etag", weakTag(body));
    }
    const isEmpty = response.statusCode === 204 || response.statusCode === 304;
    for (const name of isEmpty ? ["content-type", "content-length", "transfer-encoding"] : []) {
      response.removeHeader(name);
    }
    return response.end(isEmpty || request.method === "HEAD" ? undefined : (body ?? undefined));
  };
  const status = (code: number): ServerResponse => {
    response.statusCode = code;
    return response;
  };
  const redirect = (first: number | string, second?: string): ServerResponse => {
    const [code, location] = typeof first === "string" ? [REDIRECT_STATUS, first] : [first, second ?? ""];
    return response.writeHead(code, { location }).end();
  };
  Object.assign(response, { status, redirect, send, json });
}
