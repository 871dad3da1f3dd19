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
