import type { PlatformId } from "@evenbench/core";

/** Where this runs. The source is one; the runtime tells. */
export const platform: PlatformId =
  globalThis.navigator?.userAgent === "Cloudflare-Workers"
    ? "cloudflare"
    : process.env.VERCEL === "1"
      ? "vercel"
      : "node";

/** What `/identity` tells beyond the pins. */
export function facts(): Record<string, string | null> {
  const { env } = process;
  const isWorker = platform === "cloudflare";
  return {
    runtime: isWorker ? (env.EVENBENCH_RUNTIME ?? null) : `Node.js ${process.versions.node}`,
    v8: isWorker ? (env.EVENBENCH_V8 ?? null) : process.versions.v8,
    adapter: env.BUILT_WITH ?? null,
    system: isWorker ? null : `${process.platform} ${process.arch}`,
    workers: env.EVENBENCH_WORKERS ?? null,
    v8Flags: isWorker ? (env.EVENBENCH_V8_FLAGS ?? null) : ownFlags(),
    region: env.VERCEL_REGION ?? null,
  };
}

/** Flags that the host's own files need say nothing about the comparison. */
function ownFlags(): string {
  return process.execArgv.filter((flag) => !/strip-types|disable-warning/.test(flag)).join(" ") || "none";
}
