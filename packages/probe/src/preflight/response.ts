import type { Agent as HttpAgent, IncomingHttpHeaders } from "node:http";
import type { Agent as HttpsAgent } from "node:https";
import { bearer, type RequestSettings } from "@evenbench/core";
import { ask, type HttpAnswer } from "@evenbench/core/http";

export interface WholeResponse extends Omit<HttpAnswer, "headers"> {
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

/**
 * Asks for a URL as the probe does (HTTP/1.1, no compression accepted, no redirects followed), with
 * node:http, which names the response's HTTP version.
 */
export async function fetchWhole(url: string, options: FetchOptions): Promise<WholeResponse> {
  const { timeoutMs, agent, signal, token } = options;
  const { method = "GET", body = null, headers: own = {} } = options.request ?? {};
  const headers = {
    accept: "*/*",
    "accept-encoding": "identity",
    "user-agent": "evenbench",
    ...bearer(token),
    ...(body === null ? {} : { "content-length": String(body.byteLength) }),
    ...own,
  };
  const { headers: said, ...answer } = await ask(url, { method, headers, body, agent, timeoutMs, signal });
  const encoding = said["content-encoding"]?.toLowerCase() ?? null;
  return {
    ...answer,
    keepAlive: !/\bclose\b/i.test(said.connection ?? "") && answer.httpVersion !== "1.0",
    contentType: said["content-type"]?.split(";")[0]?.trim().toLowerCase() ?? null,
    contentEncoding: encoding === "identity" ? null : encoding,
    cacheHeaders: cacheHeaders(said),
    location: said.location ?? null,
    setsCookie: said["set-cookie"] !== undefined,
  };
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
