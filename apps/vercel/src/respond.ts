import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import type { StaticFile } from "./build-output.ts";
import type { Routed } from "./router.ts";

/** Answers with a file. The routes' headers, by `applyRouted`, are set when the head is sent. */
export async function sendFile(
  file: StaticFile,
  routed: Routed<unknown>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { size } = await stat(file.file);
  for (const [name, value] of Object.entries(file.headers)) response.setHeader(name, value);
  if (file.contentType !== undefined) response.setHeader("content-type", file.contentType);
  response.setHeader("content-length", size);
  // What Vercel's CDN says of files that no route says anything about.
  if (!response.hasHeader("cache-control") && !routed.headers.has("cache-control"))
    response.setHeader("cache-control", "public, max-age=0, must-revalidate");
  response.writeHead(file.status ?? 200);
  if (request.method === "HEAD") response.end();
  else await pipeline(createReadStream(file.file), response);
}

/** Files can only be read. */
export function refuseMethod(response: ServerResponse): void {
  response.setHeader("allow", "GET, HEAD");
  sendText(response, 405, "METHOD_NOT_ALLOWED");
}

/** A plain page with Vercel's own code for what went wrong. */
export function sendText(response: ServerResponse, status: number, code: string): void {
  const body = `${code}\n`;
  response.setHeader("content-type", "text/plain; charset=utf-8");
  response.setHeader("content-length", body.length);
  response.writeHead(status).end(body);
}

/** Makes the routes' status and headers take effect when whoever answers sends the head of the response. */
export function applyRouted({ status, headers }: Routed<unknown>, response: ServerResponse): void {
  if (status === undefined && headers.size === 0) return;
  const writeHead = response.writeHead.bind(response) as (...values: unknown[]) => ServerResponse;
  const replaced = (ownStatus: number, ...rest: unknown[]): ServerResponse => {
    for (const [name, { value, important }] of headers) {
      if (important || !response.hasHeader(name)) response.setHeader(name, value);
    }
    return writeHead(status ?? ownStatus, ...rest);
  };
  response.writeHead = replaced as typeof response.writeHead;
}

const pending = new Set<Promise<unknown>>();

/** What @vercel/functions and the launcher of Next.js look up: the way to go on with work behind a response. */
export function provideRequestContext(): void {
  const context = { waitUntil, headers: {}, url: "" };
  Object.assign(globalThis, { [Symbol.for("@vercel/request-context")]: { get: () => context } });
}

/** Resolves when all work is done that was to be waited for. */
export async function waitedFor(): Promise<void> {
  while (pending.size > 0) await Promise.all(pending);
}

function waitUntil(work: unknown): void {
  const settled: Promise<unknown> = Promise.resolve(typeof work === "function" ? work() : work)
    .catch((error: unknown) => console.error("evenbench: work in waitUntil failed:", error))
    .finally(() => pending.delete(settled));
  pending.add(settled);
}
