import { type Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { type Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { bearer, type RequestSettings } from "@evenbench/core";

/** A whole response, as preflight looks at it. */
export interface WholeResponse {
  readonly status: number;
  /** "1.1" */
  readonly httpVersion: string;
  /** Whether the connection may be used again. */
  readonly keepAlive: boolean;
  /** Without parameters, in lower case; null without one. */
  readonly contentType: string | null;
  /** null without one, or for "identity". */
  readonly contentEncoding: string | null;
  /** Everything that tells a cache what to do, "name: value; ..."; empty without any. */
  readonly cacheHeaders: string;
  /** Where a redirect leads; null without one. */
  readonly location: string | null;
  readonly setsCookie: boolean;
  readonly body: Buffer;
  /** From the call to the first byte of the body; without a body, to its end. */
  readonly bodyStartMs: number;
  /** From the call to the end of the body. */
  readonly elapsedMs: number;
}

export interface FetchOptions {
  readonly timeoutMs: number;
  readonly agent?: HttpAgent | HttpsAgent;
  readonly signal?: AbortSignal | undefined;
  /** The target's token, where it is closed. */
  readonly token?: string | null | undefined;
  /** With what it is asked. Default: a GET with our own headers alone. */
  readonly request?: RequestSettings | undefined;
}

/** A response that was not complete in time. */
export class LateError extends Error {}

/** No case comes near this; it bounds what a wrong URL can make us read. */
const MAXIMUM_BODY_BYTES = 256 * 1024 * 1024;

/**
 * Asks for a URL as the probe does (HTTP/1.1, no compression accepted, no redirects followed), with
 * node:http, which names the response's HTTP version.
 *
 * @throws {LateError} when no whole response came in time; {Error} when it was refused, reset, cut off, or too long.
 */
export async function fetchWhole(url: string, options: FetchOptions): Promise<WholeResponse> {
  const started = performance.now();
  const timeout = AbortSignal.timeout(options.timeoutMs);
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
  const send = url.startsWith("https:") ? httpsRequest : httpRequest;
  const { method = "GET", body = null, headers: own = {} } = options.request ?? {};
  const headers = {
    accept: "*/*",
    "accept-encoding": "identity",
    "user-agent": "evenbench",
    ...bearer(options.token),
    ...(body === null ? {} : { "content-length": String(body.byteLength) }),
    ...own,
  };
  const requestOptions = { method, headers, signal, ...(options.agent ? { agent: options.agent } : {}) };
  try {
    return await new Promise((resolve, reject) => {
      const request = send(url, requestOptions, (response) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        let bodyStartMs: number | null = null;
        response.on("data", (chunk: Buffer) => {
          bytes += chunk.length;
          bodyStartMs ??= performance.now() - started;
          if (bytes > MAXIMUM_BODY_BYTES) {
            response.destroy(new Error(`the body exceeds ${MAXIMUM_BODY_BYTES} bytes`));
          } else chunks.push(chunk);
        });
        response.once("error", reject);
        response.once("end", () => {
          const elapsedMs = performance.now() - started;
          const encoding = response.headers["content-encoding"]?.toLowerCase() ?? null;
          resolve({
            status: response.statusCode ?? 0,
            httpVersion: response.httpVersion,
            keepAlive:
              !/\bclose\b/i.test(response.headers.connection ?? "") && response.httpVersion !== "1.0",
            contentType: response.headers["content-type"]?.split(";")[0]?.trim().toLowerCase() ?? null,
            contentEncoding: encoding === "identity" ? null : encoding,
            cacheHeaders: cacheHeaders(response.headers),
            location: response.headers.location ?? null,
            setsCookie: response.headers["set-cookie"] !== undefined,
            body: Buffer.concat(chunks),
            bodyStartMs: bodyStartMs ?? elapsedMs,
            elapsedMs,
          });
        });
      });
      request.once("error", reject);
      request.end(body ?? undefined);
    });
  } catch (error) {
    if (timeout.aborted) throw new LateError(`no complete response within ${options.timeoutMs} ms`);
    const { code, message } = error as NodeJS.ErrnoException;
    const words = message && code && !message.includes(code) ? `${message} (${code})` : message || code;
    throw new Error(words, { cause: error });
  }
}

/**
 * What an application says to caches. A deployed platform's own headers (cf-cache-status, x-vercel-cache) are
 * not its.
 */
const CACHE_HEADERS = ["cache-control", "expires", "x-nextjs-cache"];
/** Their values change with the body: only that they are there is compared. */
const VALIDATORS = ["etag", "last-modified"];

function cacheHeaders(headers: IncomingHttpHeaders): string {
  const told = [...CACHE_HEADERS, ...VALIDATORS].filter((name) => headers[name] !== undefined);
  return told
    .map((name) => (VALIDATORS.includes(name) ? `with ${name}` : `${name}: ${headers[name]}`))
    .join("; ");
}
