import type { Agent as HttpAgent, IncomingHttpHeaders } from "node:http";
import type { Agent as HttpsAgent } from "node:https";
import { ask, type HttpAnswer } from "@evenbench/core/http";
import { type AskedWith, requestWith } from "../request.ts";
import { codingOf, mediaType } from "../rules.ts";
import { cacheHitIn, cacheRulesIn, cacheStateIn } from "./cache-headers.ts";

/** A whole response, with what preflight compares of its headers. */
export interface WholeResponse extends HttpAnswer {
  /** The URL that it is the answer of, as it was asked: its path may have secrets. */
  readonly url: string;
  /** True where the connection goes on behind it. */
  readonly keepAlive: boolean;
  /** The content type without its parameters; null where there is none. */
  readonly contentType: string | null;
  /** What its bytes are coded by, as `codingOf` gives it. */
  readonly coding: string | null;
  /** Headers that steer caches, as text; empty where the response has none. */
  readonly cacheRules: string;
  /** Headers in which caches on the way say what they did, as text; empty where there are none. */
  readonly cacheState: string;
  /**
   * The header by which the answer says that a cache gave it, such as "x-nextjs-cache: HIT"; null where none
   * says so.
   */
  readonly fromCache: string | null;
  /** The header "location"; null where there is none. */
  readonly location: string | null;
  /** True where it sets a cookie. No request sends one back. */
  readonly setsCookie: boolean;
}

/** How a response is fetched. */
export interface FetchOptions extends AskedWith {
  /** Milliseconds within which the whole response has to come. */
  readonly timeoutMs: number;
  /** Default: Node.js's own. */
  readonly agent?: HttpAgent | HttpsAgent;
  /** Ends the request early: there is then no whole response. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Fetches a whole response with node:http, which names its HTTP version. No redirects are followed.
 *
 * @throws {NoAnswerError} where there is no whole response.
 */
export async function fetchWhole(url: string, options: FetchOptions): Promise<WholeResponse> {
  const { timeoutMs, agent, signal } = options;
  const { method, body, headers: requestHeaders } = requestWith(options, url);
  const headers = { ...(body !== null && { "content-length": String(body.byteLength) }), ...requestHeaders };
  const answer = await ask(url, { method, headers, body, agent, timeoutMs, signal });
  const head = answer.headers;
  return {
    ...answer,
    url,
    body: sharedBody(answer.body),
    keepAlive: isKept(method, answer, head),
    contentType: mediaType(head["content-type"]),
    coding: codingOf(head["content-encoding"] ?? null, head["transfer-encoding"] ?? null),
    cacheRules: cacheRulesIn(head),
    cacheState: cacheStateIn(head),
    fromCache: cacheHitIn(head),
    location: head.location ?? null,
    setsCookie: head["set-cookie"] !== undefined,
  };
}

/** The last body that came, for as long as it is used. */
let lastBody = new WeakRef<Buffer>(Buffer.alloc(0));

/** Gives the last body where an equal one came, as most are: many answers of many megabytes are kept at once. */
function sharedBody(body: Buffer): Buffer {
  const last = lastBody.deref();
  if (last?.equals(body)) {
    return last;
  }
  lastBody = new WeakRef(body);
  return body;
}

/** The texts of bodies. */
const texts = new WeakMap<Buffer, string>();

/** Gives a body as text, one character for each byte. */
export function textOf(body: Buffer): string {
  const text = texts.get(body) ?? body.toString("latin1");
  texts.set(body, text);
  return text;
}

/**
 * Tells whether the connection goes on behind an answer. It ends with a body that has no named end (RFC 9112,
 * section 6.3).
 */
function isKept(
  method: string,
  { status, httpVersion }: Pick<HttpAnswer, "status" | "httpVersion">,
  headers: IncomingHttpHeaders,
): boolean {
  if (httpVersion === "1.0" || /\bclose\b/i.test(headers.connection ?? "")) {
    return false;
  }
  const hasNoBody = method === "HEAD" || status === 204 || status === 304;
  return hasNoBody || headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
}

/**
 * A response counts as streamed if its first body byte arrives before this share of its time: the rest was
 * not complete then.
 */
const STREAMS_BELOW = 0.5;

/** Finds the shortest time of some responses, in milliseconds: a busy machine makes them longer, never shorter. */
export function shortestMs(responses: readonly Pick<WholeResponse, "elapsedMs">[]): number {
  return Math.min(...responses.map(({ elapsedMs }) => elapsedMs));
}

/**
 * Tells whether at least one response came as the page says: in parts, or at once. A busy machine can hold up a
 * part of one response; an adapter does the same with all.
 */
export function isDelivered(responses: readonly WholeResponse[], streams: boolean): boolean {
  return responses.some((response) => {
    const wasStreamed = response.bodyStartMs / response.elapsedMs < STREAMS_BELOW;
    return wasStreamed === streams;
  });
}
