import type { PlatformId } from "./platform.ts";

/** Among the pins of what is served for developing. Nothing that says so is ever measured. */
export const DEVELOPMENT_PIN = { mode: "development" } as const;

/** The answer of `/identity`: who serves, and with which settings. */
export interface Identity {
  readonly schemaVersion: 1;
  readonly app: string;
  readonly platform: PlatformId;
  readonly instance: {
    /** Random for each isolate or process; 16 hexadecimal digits. */
    readonly id: string;
    /** Measured requests served before this one (identity requests do not count). */
    readonly served: number;
  };
  /**
   * Settings that must be equal on all targets of a comparison: NODE_ENV, artifact digest, React version and
   * build ...
   */
  readonly pins: Readonly<Record<string, string>>;
  /**
   * What may differ and is reported: runtime and version, V8, region or colo, memory and CPU limits. null:
   * not known.
   */
  readonly facts: Readonly<Record<string, string | null>>;
}

export const OWN_SERVER_APP = "own-server";

/** Their answers are equal, or somebody said that the work is the same. */
export type SameWork = "proven" | "json" | "assumed";

export interface RequestSettings {
  readonly method: string;
  /** Names in lower case. Values may be secrets: no record has them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
}

/** How a request was made, as records have it: enough to make it again, and no secret. */
export interface RequestRecord {
  readonly method: string;
  /** "name: value"; "name: <value>" where the value may be a secret. */
  readonly headers: readonly string[];
  readonly body: { readonly file: string; readonly bytes: number; readonly sha256: string } | null;
}

/** No setting of it is known, and nothing is proven by it. */
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

/** null: it does not say. */
export type RuntimeFacts = {
  readonly runtime: string;
  readonly v8: string | null;
  readonly v8Flags: string | null;
  /** Operating system and processor: "linux x64". */
  readonly system: string | null;
  readonly workers: string | null;
  readonly build: string | null;
  readonly region: string | null;
};

/** Other runtimes have a `process` that names a Node.js: their platforms replace its facts, or say by EVENBENCH_RUNTIME what it is. */
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
