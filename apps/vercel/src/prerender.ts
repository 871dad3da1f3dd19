import { readFile } from "node:fs/promises";
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import { type Condition, compileCondition, cookiesIn, type SourceCondition } from "./conditions.ts";

/** The contents of "<name>.prerender-config.json": Build Output API v3, "Vercel Primitives: Prerender Functions". */
export interface PrerenderConfiguration {
  /** Seconds that an answer is good for; false: for ever. */
  readonly expiration?: number | false;
  /** The function that renders the rest of a page of which the build rendered a part. */
  readonly chain?: { readonly outputPath: string; readonly headers?: Readonly<Record<string, string>> };
  /** The file of the answer that the build rendered; null or left out for none. */
  readonly fallback?: string | { readonly fsPath?: string; readonly contentType?: string } | null;
  readonly initialHeaders?: Readonly<Record<string, string>>;
  /** The status of that answer. Default: 200. */
  readonly initialStatus?: number;
  /** Names of parameters that make another answer. Left out: all do. */
  readonly allowQuery?: readonly string[] | undefined;
  /** Names of headers that a function sees when it renders for all. Left out: it sees all. */
  readonly allowHeader?: readonly string[] | undefined;
  /** The secret with which a request is answered by the function itself. */
  readonly bypassToken?: string | undefined;
  /** Requests that are never answered from the cache. */
  readonly experimentalBypassFor?: readonly SourceCondition[];
}

/** The rules by which the answers of a function are kept. */
export interface Prerender
  extends Pick<PrerenderConfiguration, "allowQuery" | "allowHeader" | "bypassToken"> {
  /** The name of its file, such as "posts/[id].prerender-config.json". */
  readonly name: string;
  /** The answer that the build rendered; null where it is rendered when it is first asked for. */
  readonly ahead: BuiltAnswer | null;
  /** Milliseconds for which an answer is good; Infinity: for ever. */
  readonly goodForMs: number;
  /** Path and headers of the call that renders the rest of a page; null where answers are whole pages. */
  readonly chain: { readonly path: string; readonly headers: Readonly<Record<string, string>> } | null;
  /** Conditions of which one is enough for a request to be answered by the function itself. */
  readonly bypassFor: readonly Condition[];
  /** The setting that the local host does not have, in words; null where it has all. */
  readonly lacks: string | null;
}

/** An answer that the build left as a file. */
export interface BuiltAnswer {
  /** Absolute path of its body. */
  readonly file: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** An answer as it is kept. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
  /** The state from which the rest of the page is rendered; null where there is no rest. */
  readonly state: Buffer | null;
  /** Milliseconds of `performance.now()` from which on it is rendered again; Infinity: never. */
  readonly goodUntil: number;
}

/**
 * Compiles the settings of a prerender function.
 *
 * @param name of its file, for people.
 * @param ahead the build's answer; null for none.
 */
export function compilePrerender(
  name: string,
  configuration: PrerenderConfiguration,
  ahead: BuiltAnswer | null,
): Prerender {
  const { expiration = false, chain, allowQuery, allowHeader, bypassToken } = configuration;
  const { experimentalBypassFor = [] } = configuration;
  const conditions = experimentalBypassFor.map(compileCondition);
  const lacking = conditions.find((condition) => typeof condition === "string");
  return {
    name,
    ahead,
    allowQuery,
    allowHeader,
    bypassToken,
    goodForMs: expiration === false ? Number.POSITIVE_INFINITY : expiration * 1000,
    chain: chain === undefined ? null : { path: `/${chain.outputPath}`, headers: chain.headers ?? {} },
    bypassFor: conditions.filter((condition) => typeof condition !== "string"),
    lacks: lacking === undefined ? null : `${lacking} (experimentalBypassFor of ${name})`,
  };
}

/** A content type of a page that is rendered on, whose body begins with its state: `@vercel/next` writes it. */
const PARTIAL = /^application\/x-nextjs-pre-render;\s*state-length=(\d+);\s*origin="([^"]*)"/;

/** A rendered answer, divided into the state of a page and the part that is sent. */
interface DividedAnswer extends Pick<KeptAnswer, "state" | "body"> {
  /** The content type of the part that is sent; undefined where the answer has none. */
  readonly contentType: string | undefined;
}

/** Divides a rendered answer into the state, as its content type says, and the part that is sent. */
export function divideAnswer(contentType: string | undefined, whole: Buffer): DividedAnswer {
  const [, length, origin] = PARTIAL.exec(contentType ?? "") ?? [];
  if (length === undefined) {
    return { state: null, body: whole, contentType };
  }
  const end = Number(length);
  return { state: whole.subarray(0, end), body: whole.subarray(end), contentType: origin };
}

/** Reads the answer that the build rendered; null where there is none. Its time begins when it is read. */
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

/** The cookie with the token, as Vercel names it. */
const BYPASS_COOKIE = "__prerender_bypass";

/** Tells whether a request is answered by the function itself, whatever is kept. */
export function isBypassed(
  { bypassToken, bypassFor }: Prerender,
  { query, headers }: { readonly query: string; readonly headers: IncomingHttpHeaders },
): boolean {
  const given = cookiesIn(headers)[BYPASS_COOKIE];
  return (
    (given !== undefined && given === bypassToken) ||
    bypassFor.some((matches) => matches({ query, headers }) !== null)
  );
}

/** Gives the parameters of a query that the answer depends on, in one order. */
export function allowedQuery({ allowQuery }: Prerender, query: string): string {
  const parameters = [...new URLSearchParams(query)];
  const kept = parameters.filter(([name]) => allowQuery == null || allowQuery.includes(name));
  return new URLSearchParams(kept.sort(([a], [b]) => a.localeCompare(b))).toString();
}

/** Gives the headers of a request that a function sees when it renders for all. */
export function allowedHeaders(
  { allowHeader }: Prerender,
  headers: IncomingHttpHeaders,
): IncomingHttpHeaders {
  if (allowHeader == null) {
    return { ...headers };
  }
  return Object.fromEntries(Object.entries(headers).filter(([name]) => allowHeader.includes(name)));
}

/** Says how long a rendered answer is good for, by its `s-maxage`, else by the build: milliseconds; 0: it is not kept. */
export function goodFor({ goodForMs }: Prerender, status: number, cacheControl: string): number {
  if (status >= 500 || /\b(?:private|no-store|no-cache)\b/.test(cacheControl)) {
    return 0;
  }
  const own = /\bs-maxage=(\d+)/.exec(cacheControl)?.[1];
  return own === undefined ? goodForMs : Number(own) * 1000;
}
