import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { LOOPBACK } from "@evenbench/host/loopback";
import { waitUntil } from "./pending-work.ts";

/** A function that takes a Request and gives a Response. */
export interface WebHandler {
  /** Answers a request. By `waitUntil` it says which work goes on behind the answer. */
  handle(request: Request, context: { readonly waitUntil: typeof waitUntil }): Response | Promise<Response>;
  /** The class of requests that it takes: the edge runtime has its own. */
  readonly Request: typeof Request;
}

/** A request as a handler is to see it. */
export interface AskedOfHandler {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** The body; null for a method without one. */
  readonly body: ReadableStream | null;
}

/** Calls a handler with a request of its own class. */
export async function callWebHandler(
  handler: WebHandler,
  { method, url, headers, body }: AskedOfHandler,
): Promise<Response> {
  const list = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  );
  const address = `http://${headers.host ?? LOOPBACK}${url}`;
  // `duplex` is asked for by fetch's own rules wherever a body is a stream.
  const options = { method, headers: list, body, ...(body === null ? {} : { duplex: "half" }) };
  return handler.handle(new handler.Request(address, options as RequestInit), { waitUntil });
}

/** Reads the body of a request as a stream of the web; null for a method without one. */
export function requestStreamOf(request: IncomingMessage): ReadableStream | null {
  const { method } = request;
  return method === "GET" || method === "HEAD" ? null : (Readable.toWeb(request) as ReadableStream);
}

/** Sends a handler's answer. @param method of the request: HEAD gets no body. */
export async function sendWebResponse(
  answer: Response,
  response: ServerResponse,
  method: string,
): Promise<void> {
  answer.headers.forEach((value, name) => {
    if (name !== "set-cookie") {
      response.setHeader(name, value);
    }
  });
  const cookies = answer.headers.getSetCookie();
  if (cookies.length > 0) {
    response.setHeader("set-cookie", cookies);
  }
  response.writeHead(answer.status);
  if (answer.body === null || method === "HEAD") {
    response.end();
    return;
  }
  for await (const chunk of answer.body) {
    await writePart(response, chunk);
    if (response.destroyed) {
      return;
    }
  }
  response.end();
}

/** Writes a part of a body, and waits where the client reads more slowly than it is written. */
export async function writePart(response: ServerResponse, part: Uint8Array): Promise<void> {
  if (response.write(part)) {
    return;
  }
  await new Promise((resolve) => {
    response.once("drain", resolve);
    response.once("close", resolve);
  });
}
