import type { IncomingHttpHeaders } from "node:http";
import { LOOPBACK } from "@evenbench/host/loopback";
import { UnservedError } from "./unserved.ts";

/** The effects of a middleware on a request and its answer. */
export interface MiddlewareOutcome {
  /** The middleware's own answer, which is that of the request; null where the request goes on. */
  readonly answer: Response | null;
  /** Path and query that the request goes on with; null where they stay. */
  readonly rewrite: string | null;
  /** Headers that the request goes on with. */
  readonly requestHeaders: IncomingHttpHeaders;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** Headers by which `NextResponse` and `@vercel/functions/middleware` tell the platform what is to be done. */
const INTERNAL = "x-middleware-";
const NEXT = `${INTERNAL}next`;
const REWRITE = `${INTERNAL}rewrite`;
const OVERRIDDEN = `${INTERNAL}override-headers`;
const REQUEST = `${INTERNAL}request-`;

/**
 * Reads a middleware's response.
 *
 * @param sent the request's headers.
 * @throws {UnservedError} where it sends the request to another host.
 */
export function readMiddlewareResponse(response: Response, sent: IncomingHttpHeaders): MiddlewareOutcome {
  const { headers } = response;
  const to = headers.get(REWRITE);
  if (to === null && headers.get(NEXT) === null) {
    return { answer: response, rewrite: null, requestHeaders: sent, headers: [] };
  }
  return {
    answer: null,
    rewrite: to === null ? null : rewritePathOf(to, sent.host ?? LOOPBACK),
    requestHeaders: overridden(sent, headers),
    headers: [...headers].filter(([name]) => !name.startsWith(INTERNAL) && !NOT_OF_THE_ANSWER.includes(name)),
  };
}

/** Headers that describe the middleware's own body, which nobody sees. */
const NOT_OF_THE_ANSWER = ["content-length", "content-type", "content-encoding", "transfer-encoding"];

/** Gives path and query of a rewrite. @throws {UnservedError} where it leads to another host. */
function rewritePathOf(to: string, host: string): string {
  const address = new URL(to, `http://${host}`);
  if (byName(address.host) !== byName(host)) {
    throw new UnservedError(`a middleware's rewrite to another host (${address.host})`);
  }
  return address.pathname + address.search;
}

/** Writes this machine's address as its name: Next.js does so in all addresses that it makes. */
function byName(host: string): string {
  return host.replace(/^(?:127(?:\.\d+){3}|\[::1\])(?=:|$)/, "localhost");
}

/** Gives a request's headers as a middleware changed them: it lists the names of all that the request is to have. */
function overridden(sent: IncomingHttpHeaders, headers: Headers): IncomingHttpHeaders {
  const names = headers.get(OVERRIDDEN);
  if (names === null) {
    return sent;
  }
  const left: IncomingHttpHeaders = {};
  for (const name of names.split(",").map((text) => text.trim().toLowerCase())) {
    const value = headers.get(REQUEST + name);
    if (value !== null) {
      left[name] = value;
    }
  }
  return left;
}
