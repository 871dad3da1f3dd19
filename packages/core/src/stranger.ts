import type { Identity } from "./identity.ts";

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
