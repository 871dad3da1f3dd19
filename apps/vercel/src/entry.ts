import { getHeapStatistics } from "node:v8";
import { runtimeFacts } from "@evenbench/core";
import { createHandler } from "#behind/artifact";

const { env } = process;

/** The function of the artifact: a module with `fetch`, as @vercel/node takes it. */
export default {
  fetch: createHandler({
    platform: "vercel",
    nodeEnv: env.NODE_ENV,
    facts: () => ({
      ...runtimeFacts(),
      adapter: env.EVENBENCH_ADAPTER ?? null,
      heapLimitBytes: String(getHeapStatistics().heap_size_limit),
      memoryMegabytes: env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE ?? null,
    }),
  }),
};
