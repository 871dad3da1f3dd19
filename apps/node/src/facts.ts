import { getHeapStatistics } from "node:v8";

/** Filled in by the build. */
declare const SRVX_VERSION: string;

/** What `/identity` tells of this process beyond the pins. */
export function facts(): Record<string, string | null> {
  return {
    runtime: `Node.js ${process.versions.node}`,
    v8: process.versions.v8,
    adapter: `srvx ${SRVX_VERSION}`,
    system: `${process.platform} ${process.arch}`,
    workers: process.env.EVENBENCH_WORKERS ?? null,
    v8Flags: process.execArgv.join(" ") || "none",
    heapLimitBytes: String(getHeapStatistics().heap_size_limit),
    build: process.env.EVENBENCH_BUILD ?? null,
    region: null,
  };
}
