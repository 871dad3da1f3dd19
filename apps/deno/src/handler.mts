import { getHeapStatistics } from "node:v8";
import { runtimeFacts } from "@evenbench/core";
import { createHandler } from "#behind/artifact";

export default {
  fetch: createHandler({
    platform: "deno",
    nodeEnv: process.env.NODE_ENV,
    facts: () => ({
      ...runtimeFacts(),
      runtime: `Deno ${process.versions.deno}`,
      heapLimitBytes: String(getHeapStatistics().heap_size_limit),
      adapter: "none: Deno.serve",
    }),
  }),
};
