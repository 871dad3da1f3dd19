import type { Sample } from "@evenbench/results";

/** The word of a cache for what it did: gave a fresh answer, gave one that was too old, or had it computed. */
export type CacheSaid = NonNullable<Sample["cacheSaid"]>;

/** Headers of an answer, by lower-case name. */
type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The values of a header that have a meaning. */
type Meanings = Readonly<Partial<Record<CacheSaid, RegExp>>>;

/**
 * The words of platforms and frameworks. "PRERENDER" and "STATIC" are answers that the build made, "REVALIDATED" one that
 * was computed because it was asked for (https://vercel.com/docs/headers/response-headers#x-vercel-cache).
 */
const WORDS: Meanings = {
  hit: /^(?:HIT|PRERENDER|STATIC)$/i,
  stale: /^STALE$/i,
  miss: /^(?:MISS|REVALIDATED)$/i,
};

/**
 * The words of proxies: https://developers.cloudflare.com/cache/concepts/cache-responses/, and those of nginx
 * ($upstream_cache_status of ngx_http_upstream_module), in headers that its users name so.
 */
const WORDS_OF_PROXIES: Meanings = {
  hit: /^(?:HIT|REVALIDATED)$/i,
  stale: /^(?:STALE|UPDATING)$/i,
  miss: /^(?:MISS|EXPIRED)$/i,
};

/** A word among others, such as "Hit from cloudfront", "TCP_MEM_HIT from a1.deploy" and "hit,private". */
const AMONG_WORDS: Meanings = { hit: /(?:\b|_)hit\b/i, stale: /\bstale\b/i, miss: /(?:\b|_)miss\b/i };

/** Headers in which caches say what they did, whoever runs them, the outermost first. */
const SAID_IN: readonly (readonly [name: string, meanings: Meanings])[] = [
  ["cf-cache-status", WORDS_OF_PROXIES],
  ["x-vercel-cache", WORDS],
  ["cdn-cache", WORDS_OF_PROXIES],
  ["x-cache", AMONG_WORDS],
  ["x-cache-status", WORDS_OF_PROXIES],
  ["x-proxy-cache", WORDS_OF_PROXIES],
  ["x-litespeed-cache", AMONG_WORDS],
  // Varnish names this request, and behind it the one for which what it gives was computed.
  ["x-varnish", { hit: /^\d+ \d+$/, miss: /^\d+$/ }],
  // RFC 9211, sections 2.1 to 2.5: what was forwarded for being too old is no answer of the cache.
  [
    "cache-status",
    { hit: /;\s*hit\b/i, stale: /;\s*hit\b[^,]*;\s*(?:ttl=-\d|fwd=stale\b)/i, miss: /;\s*fwd=/i },
  ],
  ["x-opennext-cache", WORDS],
  ["x-nextjs-cache", WORDS],
  ["x-vinext-cache", WORDS],
  // RFC 9111, section 5.1: only what came out of a cache has an age.
  ["age", { hit: /^[1-9]\d*$/ }],
];

/** The names of these headers. */
export const CACHE_HEADERS: readonly string[] = SAID_IN.map(([name]) => name);

/** A header of a cache, and what it says. */
interface SaidInHeader {
  readonly name: string;
  readonly value: string;
  readonly said: CacheSaid;
}

/** What a header can say, in the order in which it is looked for: of an old answer it may say "hit", too. */
const SAYINGS = ["stale", "hit", "miss"] as const satisfies readonly CacheSaid[];

/** Lists the headers in which caches of an answer say what they did, the outermost first. */
function cachesIn(headers: Headers): readonly SaidInHeader[] {
  return SAID_IN.flatMap(([name, meanings]) => {
    const value = String(headers[name] ?? "");
    const said = SAYINGS.find((word) => meanings[word]?.test(value));
    return said === undefined ? [] : [{ name, value, said }];
  });
}

/** Finds the header of the outermost cache that gave an answer; null where none says that it did. */
export function answeringCacheIn(headers: Headers): SaidInHeader | null {
  return cachesIn(headers).find(({ said }) => said !== "miss") ?? null;
}

/**
 * Reads what an answer says that the cache did which gave it, and else the outermost one; null where it says nothing. It
 * is asked while an exchange is timed: hardly any answer has such a header.
 */
export function cacheSaidIn(headers: Headers): CacheSaid | null {
  for (const name of CACHE_HEADERS) {
    if (headers[name] !== undefined) {
      return (answeringCacheIn(headers) ?? cachesIn(headers)[0])?.said ?? null;
    }
  }
  return null;
}
