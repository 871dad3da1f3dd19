import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import type { StaticFile } from "./build-output.ts";
import { setCacheControl } from "./proxy-headers.ts";
import type { Routed } from "./router.ts";

/** Sends a static file. */
export async function sendFile(
  file: StaticFile,
  routed: Routed<unknown>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { size } = await stat(file.file);
  if (file.contentType !== undefined) {
    response.setHeader("content-type", file.contentType);
  }
  response.setHeader("content-length", size);
  // As the platform says it of static files.
  response.setHeader("x-vercel-cache", "HIT");
  setCacheControl(routed, response);
  response.writeHead(200);
  if (request.method === "HEAD") {
    response.end();
  } else {
    await pipeline(createReadStream(file.file), response);
  }
}

/** Sends a line of text, as the platform does for its errors. */
export function sendText(response: ServerResponse, status: number, code: string): void {
  const body = `${code}\n`;
  response.setHeader("content-type", "text/plain; charset=utf-8");
  response.setHeader("content-length", Buffer.byteLength(body));
  response.writeHead(status).end(body);
}

/** Makes the routes' status and headers take effect when whoever answers sends the head of the response. */
export function applyRouted(
  { status, headers, answerChanges }: Routed<unknown>,
  response: ServerResponse,
): void {
  if (status === undefined && headers.size === 0 && answerChanges.length === 0) {
    return;
  }
  const writeHead = response.writeHead.bind(response) as (...values: unknown[]) => ServerResponse;
  const replaced = (ownStatus: number, ...rest: unknown[]): ServerResponse => {
    for (const [name, { value, important }] of headers) {
      if (important || !response.hasHeader(name)) {
        response.setHeader(name, value);
      }
    }
    for (const { op, name, value } of answerChanges) {
      if (op === "delete") {
        response.removeHeader(name);
      } else if (op === "append") {
        response.appendHeader(name, value);
      } else {
        response.setHeader(name, value);
      }
    }
    return writeHead(status ?? ownStatus, ...rest);
  };
  response.writeHead = replaced as typeof response.writeHead;
}
