import { getHeapStatistics } from "node:v8";

/** What `/identity` tells of this process beyond the pins. */
export function facts(): Record<string, string | null> {
  // The EVENBENCH_ variables are the local host's; Vercel does not tell which adapter it uses.
  const { env } = process;
  const isLocal = env.EVENBENCH_ADAPTER !== undefined;
  return {
    runtime: `Node.js ${process.versions.node}`,
    v8: process.versions.v8,
    adapter: env.EVENBENCH_ADAPTER ?? null,
    system: `${process.platform} ${process.arch}`,
    v8Flags: env.EVENBENCH_V8_FLAGS ?? (process.execArgv.join(" ") || "none"),
    heapLimitBytes: String(getHeapStatistics().heap_size_limit),
    // Locally these variables are set as a function expects them, but nothing enforces or stands behind them.
    memoryLimitMb: isLocal ? null : (env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE ?? null),
    region: isLocal ? null : (env.VERCEL_REGION ?? null),
  };
}
