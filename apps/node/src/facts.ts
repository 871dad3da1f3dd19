import { getHeapStatistics } from "node:v8";
import { runtimeFacts } from "@evenbench/core";

/** Filled in by the build. */
declare const SRVX_VERSION: string;

/** What `/identity` says of this process beyond the pins. */
export function facts(): Record<string, string | null> {
  return {
    ...runtimeFacts(),
    adapter: `srvx ${SRVX_VERSION}`,
    heapLimitBytes: String(getHeapStatistics().heap_size_limit),
  };
}
