import { expect, test } from "vitest";
import { cacheSaidIn } from "./cache-said.ts";
import { cacheHitIn } from "./preflight/cache-headers.ts";

const FILE = { "accept-ranges": "bytes", "last-modified": "Sun, 29 Nov 2026 08:00:00 GMT" };

test.each([
  [{}, null, null],
  [{ "x-nextjs-cache": "HIT" }, "hit", "x-nextjs-cache: HIT"],
  [{ "x-vinext-cache": "STALE" }, "stale", "x-vinext-cache: STALE"],
  [{ "x-vercel-cache": "MISS" }, "miss", null],
  [{ "x-vercel-cache": "MISS", "x-nextjs-cache": "HIT" }, "hit", "x-nextjs-cache: HIT"],
  [{ "x-vercel-cache": "PRERENDER" }, "hit", "x-vercel-cache: PRERENDER"],
  [{ "x-vercel-cache": "whatever" }, null, null],
  [{ "x-cache": "Hit from cloudfront" }, "hit", "x-cache: Hit from cloudfront"],
  [{ "x-cache": "TCP_MEM_HIT from a1.deploy" }, "hit", "x-cache: TCP_MEM_HIT from a1.deploy"],
  [{ "x-cache": "TCP_REFRESH_MISS" }, "miss", null],
  [{ "x-cache-status": "UPDATING" }, "stale", "x-cache-status: UPDATING"],
  [{ "x-proxy-cache": "HIT" }, "hit", "x-proxy-cache: HIT"],
  [{ "x-litespeed-cache": "hit,private" }, "hit", "x-litespeed-cache: hit,private"],
  [{ "x-varnish": "32770 3" }, "hit", "x-varnish: 32770 3"],
  [{ "x-varnish": "32771" }, "miss", null],
  [{ "cf-cache-status": "HIT" }, "hit", "cf-cache-status: HIT"],
  [{ "cf-cache-status": "DYNAMIC" }, null, null],
  [
    { "cache-status": "edge; hit; ttl=-12", "x-nextjs-cache": "MISS" },
    "stale",
    "cache-status: edge; hit; ttl=-12",
  ],
  [{ "cache-status": "edge; hit; fwd=stale" }, "stale", "cache-status: edge; hit; fwd=stale"],
  [{ "cache-status": "edge; fwd=stale" }, "miss", null],
  [
    { "cache-status": "origin; hit; ttl=30, edge; fwd=stale" },
    "hit",
    "cache-status: origin; hit; ttl=30, edge; fwd=stale",
  ],
  [{ age: "12" }, "hit", "age: 12"],
  [{ "cf-cache-status": "MISS", age: "0" }, "miss", null],
  // What the build made, and files, are known before anything is measured.
  [{ "x-nextjs-prerender": "1" }, null, "x-nextjs-prerender: 1"],
  [FILE, null, `accept-ranges: bytes, last-modified: ${FILE["last-modified"]}`],
  [{ ...FILE, "accept-ranges": "none" }, null, null],
])("of an answer with %j a sample says %s, and preflight %s", (headers, said, found) => {
  expect(cacheSaidIn(headers)).toBe(said);
  expect(cacheHitIn(headers)).toBe(found);
});
