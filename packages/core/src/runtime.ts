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
 * The facts of this process. The variables EVENBENCH_… are the local host's, but for EVENBENCH_BUILD, which a
 * deployment has.
 */
export function runtimeFacts(): RuntimeFacts {
  const { env } = process;
  const deployed = { build: env.EVENBENCH_BUILD ?? null, region: env.VERCEL_REGION ?? null };
  // Its compatibility layer names a Node.js. A deployed Worker knows neither its version nor V8's.
  if (globalThis.navigator?.userAgent === "Cloudflare-Workers") {
    const { EVENBENCH_RUNTIME: runtime = navigator.userAgent, EVENBENCH_V8: v8 = null } = env;
    return { runtime, v8, v8Flags: env.EVENBENCH_V8_FLAGS ?? null, system: null, workers: null, ...deployed };
  }
  const system = `${process.platform} ${process.arch}`;
  return { ...engineFacts(), system, workers: env.EVENBENCH_WORKERS ?? null, ...deployed };
}

/** Node.js, or a runtime with its `process`: Bun names a V8 there that it does not have, and all name a Node.js. */
function engineFacts(): Pick<RuntimeFacts, "runtime" | "v8" | "v8Flags"> {
  const { versions, execArgv, env } = process;
  if (versions.bun !== undefined) return { runtime: `Bun ${versions.bun}`, v8: null, v8Flags: null };
  // Flags that the host's own files need say nothing about the comparison. Deno does not show a program any of its own.
  const flags = execArgv.filter((flag) => !/strip-types|disable-warning/.test(flag));
  return {
    runtime: versions.deno === undefined ? `Node.js ${versions.node}` : `Deno ${versions.deno}`,
    v8: versions.v8 ?? null,
    v8Flags: env.EVENBENCH_V8_FLAGS || flags.join(" ") || "none",
  };
}
