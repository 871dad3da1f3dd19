import type { CaseManifest } from "./case.ts";
import type { Identity } from "./identity.ts";
import type { RunEvent, RunMachine, RunTarget } from "./run.ts";
import type { Sample } from "./sample.ts";
import type { ClientLoad, InstanceUsage } from "./usage.ts";

/** The version of `load.json` and of the samples beside it that this code writes. */
export const LOAD_SCHEMA_VERSION = 1;

/** Closed loop: each lane sends its next request when the answer to the last one is complete. */
export interface ClosedLoad {
  readonly kind: "closed";
  readonly lanes: number;
}

/** Open loop: requests are due at times of their own, whether or not earlier ones have been answered. */
export interface OpenLoad {
  readonly kind: "open";
  /** Arrivals per second. */
  readonly perSecond: number;
  readonly arrivals: Arrivals;
  /** Connections: what is due while all of them are taken waits, and its wait counts. */
  readonly lanes: number;
}

/** poisson: independent arrivals, exponential gaps. uniform: equal gaps. */
export type Arrivals = "poisson" | "uniform";
export type OfferedLoad = ClosedLoad | OpenLoad;

/** What a load is put on: a target, as so many instances. */
export interface LoadSubject {
  readonly name: string;
  readonly target: RunTarget;
  /** Hosts side by side; the client's lanes are spread over them in turn. */
  readonly instances: number;
  /** Worker processes behind one host, where the platform has such a thing. */
  readonly workers: number;
  /** Parameters of the case, where they are not the defaults. */
  readonly parameters: Readonly<Record<string, string | number>>;
}

/** One exchange under load: a line of `samples.ndjson`. Times are milliseconds on the client's monotonic clock. */
export interface LoadSample
  extends Pick<
    Sample,
    | "phase"
    | "startedAtMs"
    | "connectMs"
    | "firstByteMs"
    | "lastByteMs"
    | "status"
    | "bodyBytes"
    | "instanceId"
    | "served"
    | "inFlight"
    | "error"
  > {
  /** Index in `load.json`'s stages: case, subject, set and load stand there. */
  readonly stage: number;
  /** Which connection, from 0. */
  readonly lane: number;
  /** When it was due, from the start of the run. Latency counts from here (coordinated omission: Tene). */
  readonly intendedAtMs: number;
  /** Other requests of this client that the subject had not answered when this one was sent. */
  readonly outstanding: number;
}

/** One load on one subject for some time. */
export interface LoadStage {
  readonly caseId: string;
  /** Name of the subject. */
  readonly subject: string;
  /** Which set of fresh instances, from 0. */
  readonly set: number;
  readonly load: OfferedLoad;
  /** Start of the measured window, from the start of the run, and its length. */
  readonly startedAtMs: number;
  readonly windowMs: number;
  /** In the whole stage: requests that were sent, ... */
  readonly sent: number;
  /** ... that found all lanes taken and waited for one (open loop), ... */
  readonly queued: number;
  /** ... that a free lane sent more than 2 ms late, which is the client's fault, ... */
  readonly late: number;
  /** ... and that were due but never sent, because too many were waiting already. */
  readonly dropped: number;
  /** Answers that were complete within the window. */
  readonly completed: number;
  /** Mean number of requests under way in the window, from the client's own count over time. */
  readonly meanInFlight: number;
  /** Of all processes of the subject in the window; null where the system does not tell. */
  readonly usage: Pick<
    InstanceUsage,
    "cpuMs" | "userMs" | "systemMs" | "residentBytes" | "peakResidentBytes"
  > | null;
  readonly client: Pick<ClientLoad, "wallMs" | "cpuMs" | "eventLoopDelayP99Ms">;
  /** Why it ended early, or null. */
  readonly ended: string | null;
}

/** A limit on latency, such as "p99 <= 250 ms". */
export interface LatencyCondition {
  /** From 0 to 1: 0.99 for p99. */
  readonly quantile: number;
  readonly limitMs: number;
}

/** What was to be done. */
export interface LoadPlan {
  readonly cases: readonly CaseManifest[];
  readonly subjects: readonly LoadSubject[];
  /** Every load is put on every subject; for a capacity they are found on the way, and there are none here. */
  readonly loads: readonly OfferedLoad[];
  /** The condition under which the highest rate was searched, or null. */
  readonly condition: LatencyCondition | null;
  /** Sets of fresh instances. */
  readonly sets: number;
  /** Length of a stage, warm-up included; with more than 8 lanes, or at a low rate in a search, stages are longer. */
  readonly stageMs: number;
  readonly seed: number;
  readonly allowedPins: readonly string[];
}

/** `load.json`. */
export interface LoadRun {
  readonly schemaVersion: typeof LOAD_SCHEMA_VERSION;
  readonly id: string;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly finishedAt: string | null;
  readonly status: "running" | "complete" | "interrupted" | "failed";
  readonly evenbenchVersion: string;
  readonly plan: LoadPlan;
  readonly machine: RunMachine;
  /** As preflight saw them, by the target's name. */
  readonly identities: Readonly<Record<string, Identity>>;
  readonly stages: readonly LoadStage[];
  readonly events: readonly RunEvent[];
}
