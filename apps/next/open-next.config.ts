import { defineCloudflareConfig } from "@opennextjs/cloudflare";
import kvIncrementalCache from "@opennextjs/cloudflare/overrides/incremental-cache/kv-incremental-cache";
import memoryQueue from "@opennextjs/cloudflare/overrides/queue/memory-queue";

// For next-isr alone: no other page reads a cache. Where the namespace is not bound, each answer is a miss.
const caches = { incrementalCache: kvIncrementalCache, queue: memoryQueue };

export default { ...defineCloudflareConfig(caches), buildCommand: "next build" };
