import type { CaseManifest } from "./case.ts";
import type { BuildRecord } from "./deployable.ts";
import type { Identity } from "./identity.ts";
import type { PlatformId } from "./platform.ts";
import type { ClientLoad, ColdStart, CpuAccount, InstanceUsage, Timeline } from "./usage.ts";

/** The version of `run.json` and `samples.ndjson` that this code writes. */
export const RUN_SCHEMA_VERSION = 1;

/** A target as a run knows it. */
export interface RunTarget {
  readonly name: string;
  readonly app: string;
  /** null where a URL was given and its identity could not be read. */
  readonly platform: PlatformId | null;
  readonly place: "local" | "url";
  /** Given for place "url"; local targets have another address for each fresh instance. */
  readonly url: string | null;
  /** The name of the target that this one is the twin of, for the control. */
  readonly twinOf: string | null;
}

/** What was to be measured. Durations in milliseconds. */
export interface RunPlan {
  readonly cases: readonly CaseManifest[];
  readonly targets: readonly RunTarget[];
  readonly seed: number;
  /** Budget for each case, by case id: warm-up and start of instances included. */
  readonly caseBudgetMs: Readonly<Record<string, number>>;
  /** Fresh instances of every target for each case: at least, and at most if the precision is not reached. */
  readonly generations: { readonly minimum: number; readonly maximum: number };
  /** Rounds of each generation, where the user fixed them; otherwise time decides. */
  readonly roundsPerGeneration: number | null;
  /** A comparison ends early when all its intervals are narrower than this, as a fraction (0.02 is 2 %). */
  readonly precision: number;
  /** Fresh instances of every target that are started for their first exchanges alone, for each case. */
  readonly coldStarts: number;
  /** Every n-th body is checked by digest; every body by length. */
  readonly digestEvery: number;
  /** Pins that were allowed to differ. */
  readonly allowedPins: readonly string[];
}

export interface RunMachine {
  readonly system: string;
  readonly cpuModel: string;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly clientNode: string;
  /** The cores of the client and of the servers, or null where they could not be kept apart. */
  readonly coresApart: { readonly client: string; readonly servers: string } | null;
  /** null in runs from before it was noted: there it was /proc. */
  readonly cpuAccount: CpuAccount | null;
}

/** Something that happened and that a reader must know. */
export interface RunEvent {
  readonly atMs: number;
  readonly kind:
    | "build-failed"
    | "body-varies"
    | "golden-unconfirmed"
    | "host-restarted"
    | "target-dropped"
    | "case-failed"
    | "error-budget"
    | "warmup-unstable"
    | "pin-allowed"
    | "other-run-active"
    | "provider-cpu"
    | "interrupted";
  readonly caseId: string | null;
  readonly target: string | null;
  readonly generation: number | null;
  readonly detail: string;
}

/** `run.json`. */
export interface Run {
  readonly schemaVersion: typeof RUN_SCHEMA_VERSION;
  readonly id: string;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly finishedAt: string | null;
  readonly status: "running" | "complete" | "interrupted" | "failed";
  readonly evenbenchVersion: string;
  readonly plan: RunPlan;
  readonly machine: RunMachine;
  /** As preflight saw them, by target name. */
  readonly identities: Readonly<Record<string, Identity>>;
  /** How the deployables of local targets were made, by target name; null where that was not recorded. */
  readonly deployables: Readonly<Record<string, BuildRecord | null>>;
  /** CPU time and memory of each set of local instances in each case, where the system tells. */
  readonly usage: readonly InstanceUsage[];
  /** What the client was busy with meanwhile. */
  readonly clientLoad: readonly ClientLoad[];
  /** Of streamed bodies, one for each set of instances. */
  readonly timelines: readonly Timeline[];
  /** Empty unless they were asked for. */
  readonly coldStarts: readonly ColdStart[];
  readonly events: readonly RunEvent[];
}
