import type { Sample } from "@evenbench/results";

/** The word of a cache for what it did: gave a fresh answer, gave one that was too old, or had it computed. */
export type CacheSaid = NonNullable<Sample["cacheSaid"]>;

/** Headers in which caches of platforms and frameworks say what they did, the outermost first. */
const SAID_IN = ["x-vercel-cache", "x-opennext-cache", "x-nextjs-cache", "x-vinext-cache"];

/**
 * The words of these headers. "PRERENDER" and "STATIC" are answers that the build made, "REVALIDATED" one that was
 * computed because it was asked for (https://vercel.com/docs/headers/response-headers#x-vercel-cache).
 */
const MEANING: ReadonlyMap<string, CacheSaid> = new Map([
  ["HIT", "hit"],
  ["PRERENDER", "hit"],
  ["STATIC", "hit"],
  ["STALE", "stale"],
  ["MISS", "miss"],
  ["REVALIDATED", "miss"],
]);

/** Reads what an answer says that a cache did; null where it says nothing. @param headers by lower-case name. */
export function cacheSaidIn(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): CacheSaid | null {
  for (const name of SAID_IN) {
    const meaning = MEANING.get(String(headers[name] ?? "").toUpperCase());
    if (meaning !== undefined) {
      return meaning;
    }
  }
  return null;
}
