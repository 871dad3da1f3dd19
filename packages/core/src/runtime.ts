/**
 * What `/identity` says of whatever answers, beyond the pins: the same facts on every platform. null: it does
 * not say.
 */
export type RuntimeFacts = {
  /** Its name and version: "Node.js 24.21.0". */
  readonly runtime: string;
  /** null where it is not made of V8. */
  readonly v8: string | null;
  readonly v8Flags: string | null;
  /** Operating system and processor: "linux x64". */
  readonly system: string | null;
  /** Processes that share the work, where the local host started several. */
  readonly workers: string | null;
  /** Which build a deployment serves. */
  readonly build: string | null;
  readonly region: string | null;
};

/**
 * The facts of this process. Other runtimes than Node.js have a `process` that names one all the same: their
 * platforms put their own facts in its place, or say by EVENBENCH_RUNTIME what it is. The other variables
 * EVENBENCH_… are the local host's, but for EVENBENCH_BUILD.
 */
export function runtimeFacts(): RuntimeFacts {
  const { env } = process;
  const deployed = { build: env.EVENBENCH_BUILD ?? null, region: env.VERCEL_REGION ?? null };
  const { EVENBENCH_RUNTIME: runtime, EVENBENCH_V8: v8 = null, EVENBENCH_V8_FLAGS: v8Flags = null } = env;
  if (runtime !== undefined) return { runtime, v8, v8Flags, system: null, workers: null, ...deployed };
  // Flags that the host's own files need say nothing about the comparison.
  const flags = process.execArgv.filter((flag) => !/strip-types|disable-warning/.test(flag));
  return {
    runtime: `Node.js ${process.versions.node}`,
    v8: process.versions.v8 ?? null,
    v8Flags: v8Flags || flags.join(" ") || "none",
    system: `${process.platform} ${process.arch}`,
    workers: env.EVENBENCH_WORKERS ?? null,
    ...deployed,
  };
}
