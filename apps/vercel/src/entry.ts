// The Vercel Function: the artifact's handler and nothing else, as the web-standard export that Vercel documents.
import { getHeapStatistics } from "node:v8";
import { createHandler } from "./_artifact/index.mjs";

const { env } = process;

export default {
  fetch: createHandler({
    platform: "vercel",
    nodeEnv: env.NODE_ENV,
    facts: () => ({
      runtime: `Node.js ${process.versions.node}`,
      v8: process.versions.v8,
      adapter: env.EVENBENCH_ADAPTER ?? null,
      system: `${process.platform} ${process.arch}`,
      v8Flags:
        process.execArgv.filter((flag) => !/strip-types|disable-warning/.test(flag)).join(" ") || "none",
      heapLimitBytes: String(getHeapStatistics().heap_size_limit),
      memoryMegabytes: env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE ?? null,
      build: env.EVENBENCH_BUILD ?? null,
      region: env.VERCEL_REGION ?? null,
    }),
  }),
};
