import { readFile } from "node:fs/promises";
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import { type Condition, compileCondition, cookies, type SourceCondition } from "./conditions.ts";

/** "<name>.prerender-config.json": Build Output API v3, "Vercel Primitives: Prerender Functions". */
export interface PrerenderConfiguration {
  /** Seconds that an answer is good for; false: for ever. */
  readonly expiration?: number | false;
  /** How the rest of a page is rendered that is rendered ahead in part. */
  readonly chain?: { readonly outputPath: string; readonly headers?: Readonly<Record<string, string>> };
  readonly fallback?: string | { readonly fsPath?: string; readonly contentType?: string } | null;
  readonly initialHeaders?: Readonly<Record<string, string>>;
  readonly initialStatus?: number;
  /** Names of parameters that make another answer. Left out: all do. */
  readonly allowQuery?: readonly string[];
  /** Names of headers that a function sees when it renders for all. Left out: it sees all. */
  readonly allowHeader?: readonly string[];
  readonly bypassToken?: string;
  /** Requests that are never answered from the cache. */
  readonly experimentalBypassFor?: readonly SourceCondition[];
}

/** A function whose answers are kept. */
export interface Prerender {
  /** The name of its file, such as "posts/[id].prerender-config.json". */
  readonly name: string;
  /** What the build rendered; null where it is rendered when it is first asked for. */
  readonly ahead: BuiltAnswer | null;
  /** Milliseconds; Infinity: for ever. */
  readonly goodForMs: number;
  readonly chain: { readonly path: string; readonly headers: Readonly<Record<string, string>> } | null;
  readonly allowQuery: readonly string[] | null;
  readonly allowHeader: readonly string[] | null;
  readonly bypassToken: string | null;
  readonly bypassFor: readonly Condition[];
  /** What of its settings the local host does not have, in words; null where it has all. */
  readonly lacks: string | null;
}

/** An answer that the build left as a file. */
export interface BuiltAnswer {
  /** Absolute path. */
  readonly file: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** An answer as it is kept. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
  /** What the rest of the page is rendered from; null where there is no rest. */
  readonly state: Buffer | null;
  /** Milliseconds of `performance.now()` from which on it is rendered again; Infinity: never. */
  readonly goodUntil: number;
}

/** Compiles the settings of a prerender function. */
export function compilePrerender(
  name: string,
  configuration: PrerenderConfiguration,
  ahead: BuiltAnswer | null,
): Prerender {
  const { expiration = false, chain, bypassToken = null } = configuration;
  const conditions = (configuration.experimentalBypassFor ?? []).map(compileCondition);
  const lacking = conditions.find((condition) => typeof condition === "string");
  return {
    name,
    ahead,
    goodForMs: expiration === false ? Number.POSITIVE_INFINITY : expiration * 1000,
    chain: chain === undefined ? null : { path: `/${chain.outputPath}`, headers: chain.headers ?? {} },
    allowQuery: configuration.allowQuery ?? null,
    allowHeader: configuration.allowHeader ?? null,
    bypassToken,
    bypassFor: conditions.filter((condition) => typeof condition !== "string"),
    lacks: lacking === undefined ? null : `${lacking} (experimentalBypassFor of ${name})`,
  };
}

/** A content type that says that a body begins with the state of a page that is rendered on: `@vercel/next` writes it. */
const PARTIAL = /^application\/x-nextjs-pre-render;\s*state-length=(\d+);\s*origin="([^"]*)"/;

/** Divides what was rendered into the state and the part that is sent. */
export function divideAnswer(
  contentType: string | undefined,
  whole: Buffer,
): { readonly state: Buffer | null; readonly body: Buffer; readonly contentType: string | undefined } {
  const [, length, origin] = PARTIAL.exec(contentType ?? "") ?? [];
  if (length === undefined) {
    return { state: null, body: whole, contentType };
  }
  const end = Number(length);
  return { state: whole.subarray(0, end), body: whole.subarray(end), contentType: origin };
}

/** Reads what the build rendered. Its time begins when it is read. */
export async function readBuiltAnswer({ ahead, goodForMs }: Prerender): Promise<KeptAnswer | null> {
  if (ahead === null) {
    return null;
  }
  const { "content-type": type, ...headers } = ahead.headers;
  const { state, body, contentType } = divideAnswer(type, await readFile(ahead.file));
  return {
    status: ahead.status,
    headers: { ...headers, ...(contentType === undefined ? {} : { "content-type": contentType }) },
    body,
    state,
    goodUntil: performance.now() + goodForMs,
  };
}

/** Whether a request is answered by the function itself, whatever is kept. */
export function isBypassed(
  { bypassToken, bypassFor }: Prerender,
  { query, headers }: { readonly query: string; readonly headers: IncomingHttpHeaders },
): boolean {
  const hasCookie = cookies(headers.cookie).some(
    ([name, value]) => name === "__prerender_bypass" && value === bypassToken,
  );
  return hasCookie || bypassFor.some((matches) => matches({ query, headers }) !== null);
}

/** Leaves of a query what the answer depends on, in one order. */
export function allowedQuery({ allowQuery }: Prerender, query: string): string {
  const parameters = [...new URLSearchParams(query)];
  const kept = parameters.filter(([name]) => allowQuery === null || allowQuery.includes(name));
  return new URLSearchParams(kept.sort(([a], [b]) => a.localeCompare(b))).toString();
}

/** Leaves of a request's headers what a function sees that renders for all. */
export function allowedHeaders(
  { allowHeader }: Prerender,
  headers: IncomingHttpHeaders,
): IncomingHttpHeaders {
  if (allowHeader === null) {
    return { ...headers };
  }
  return Object.fromEntries(Object.entries(headers).filter(([name]) => allowHeader.includes(name)));
}

/**
 * Says how long a rendered answer is good for: as its own `s-maxage` says, else as the build's settings do.
 *
 * @returns milliseconds; 0: it is not kept.
 */
export function goodFor({ goodForMs }: Prerender, status: number, cacheControl: string): number {
  if (status >= 500 || /\b(?:private|no-store|no-cache)\b/.test(cacheControl)) {
    return 0;
  }
  const own = /\bs-maxage=(\d+)/.exec(cacheControl)?.[1];
  return own === undefined ? goodForMs : Number(own) * 1000;
}
