import type { Identity } from "./schema.ts";

/** Nothing that has this pin is ever measured. */
export const DEVELOPMENT_PIN = { mode: "development" } as const;

export const OWN_SERVER_APP = "own-server";

/** Their answers are equal, or somebody said that the work is the same. */
export type SameWork = "proven" | "json" | "assumed";

export interface RequestSettings {
  readonly method: string;
  /** Names in lower case. Values may be secrets: no record has them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
}

export function ownServerIdentity(facts: Identity["facts"]): Identity {
  return {
    schemaVersion: 1,
    app: OWN_SERVER_APP,
    platform: OWN_SERVER_APP,
    instance: { id: "", served: 0 },
    pins: {},
    facts,
  };
}

/** Other runtimes' `process` names a Node.js: their platforms replace its facts, or set EVENBENCH_RUNTIME. */
export function runtimeFacts() {
  const { env } = process;
  const deployed = { build: env.EVENBENCH_BUILD ?? null, region: env.VERCEL_REGION ?? null };
  const { EVENBENCH_RUNTIME: runtime, EVENBENCH_V8: v8 = null, EVENBENCH_V8_FLAGS: v8Flags = null } = env;
  if (runtime !== undefined) {
    return { runtime, v8, v8Flags, system: null, workers: null, ...deployed };
  }
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
