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

/** Stands for the app of targets that know nothing of Evenbench. */
export const STRANGER_APP = "stranger";

/** Why such targets may be compared: their answers are equal, or somebody said that the work is the same. */
export type SameWork = "proven" | "assumed";

/** With what such a target is asked, beside the path. */
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

/** The identity of a target that has none to report: no setting of it is known, and nothing is proven by it. */
export function strangerIdentity(facts: Identity["facts"]): Identity {
  return {
    schemaVersion: 1,
    app: STRANGER_APP,
    platform: STRANGER_APP,
    instance: { id: "", served: 0 },
    pins: {},
    facts,
  };
}
