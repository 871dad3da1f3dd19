import type { IncomingHttpHeaders } from "node:http";
import { answeringCacheIn, CACHE_HEADERS } from "../cache-said.ts";

/**
 * Headers by which an application steers caches. Their values must be equal on all targets. What only a
 * platform in front adds is not compared.
 */
const COMPARED_CACHE_HEADERS = ["cache-control", "expires", "x-nextjs-cache"];
/** Headers whose values change with the body: only that they are there is compared. */
const VALIDATORS = ["etag", "last-modified"];

/**
 * The header by which Next.js says that a page was rendered ahead:
 * https://nextjs.org/docs/app/api-reference/config/next-config-js/incrementalCacheHandlerPath
 */
const PRERENDERED = "x-nextjs-prerender";

/** Headers that say whether a cache has answered, whoever runs it. */
export const CACHE_STATES: readonly string[] = [...CACHE_HEADERS, PRERENDERED];

/**
 * Headers that come together where a server sends a file: a part of it may be asked for, and it has the time of its last
 * change (RFC 9110, 14.3 and 8.8.2). What is computed for a request has both hardly ever.
 */
const OF_FILES = ["accept-ranges", "last-modified"];

/** Finds the header by which an answer says that a cache or a file gave it; null where none does. */
export function cacheHitIn(headers: IncomingHttpHeaders): string | null {
  const cache = answeringCacheIn(headers);
  if (cache !== null) {
    return `${cache.name}: ${cache.value}`;
  }
  if (headers[PRERENDERED] === "1") {
    return `${PRERENDERED}: 1`;
  }
  const ofFile = OF_FILES.map((name) => [name, headers[name]] as const);
  const isFile = headers["accept-ranges"] === "bytes" && ofFile.every(([, value]) => value !== undefined);
  return isFile ? ofFile.map(([name, value]) => `${name}: ${value}`).join(", ") : null;
}

/** Writes what caches on the way say that they did; "" where none says anything. */
export function cacheStateIn(headers: IncomingHttpHeaders): string {
  // An age is another one with each second.
  const given = CACHE_STATES.filter((name) => name !== "age" && headers[name] !== undefined);
  return given.map((name) => `${name}: ${headers[name]}`).join("; ");
}

/** Writes what an application says to caches: values, and of validators that they are there; "" for nothing. */
export function cacheRulesIn(headers: IncomingHttpHeaders): string {
  const names = [...COMPARED_CACHE_HEADERS, ...VALIDATORS].filter((name) => headers[name] !== undefined);
  return names
    .map((name) => (VALIDATORS.includes(name) ? `with ${name}` : `${name}: ${headers[name]}`))
    .join("; ");
}
