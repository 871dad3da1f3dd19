import {
  type AppDefinition,
  type CaseManifest,
  type ExpectedBuild,
  type Platform,
  type Run,
  type RunEvent,
  UserError,
} from "@evenbench/core";

/** A target served on this machine: an app's deployable on a platform. */
export interface LocalTarget {
  readonly place: "local";
  /** "node" for the bundle of handler cases, "next-node" for another app. */
  readonly name: string;
  readonly app: AppDefinition;
  readonly platform: Platform;
  /** Absolute path of what the platform serves; it need not be built yet. */
  readonly deployable: string;
}

/** A target that runs already, known by its URL alone. */
export interface UrlTarget {
  readonly place: "url";
  readonly name: string;
  /** The app whose cases it serves, such as "bundle". */
  readonly app: string;
  /** Origin, with or without a trailing slash. */
  readonly url: string;
  /** Sent as its bearer token, where it is closed. */
  readonly token?: string | null;
  /** What it has to run, where it is a deployment of ours. */
  readonly expectedBuild?: ExpectedBuild | null;
  /** Where the platform keeps its accounts of requests to be collected; null where it tells with the responses, or not. */
  readonly accountsUrl?: string | null;
}

export type Target = LocalTarget | UrlTarget;

/** A target that takes no part, and why. */
export interface MissingTarget {
  readonly name: string;
  readonly detail: string;
}

export interface RunOptions {
  readonly targets: readonly Target[];
  /** The cases to measure, by app id. Targets of different apps are never compared with one another. */
  readonly cases: Readonly<Record<string, readonly CaseManifest[]>>;
  /** Cases that the targets serve but that are not measured: their pins do not matter. */
  readonly otherCaseIds?: readonly string[];
  /** Targets that were asked for and could not be built: the report says so. */
  readonly missing?: readonly MissingTarget[];
  /** Name (or platform) of the target that the others are compared with, for each app. Default "node", else the first. */
  readonly baseline?: string;
  /** Worker processes behind one address, where a platform has such a thing. Default 1; Infinity: one for each core. */
  readonly workers?: number;
  /** Measured rounds of each generation. Default: as many as the time allows, at least 3. */
  readonly rounds?: number | null;
  /** Sets of fresh instances for each case. Default: 5, 10 or 15, by the time there is; see plan.ts. */
  readonly generations?: number | null;
  /** Time for each case, in milliseconds: warm-up and start of instances included. Overrides `totalMs`. */
  readonly timeMs?: number | null;
  /** Time for all cases together, in milliseconds. Default: 14,000 for each. */
  readonly totalMs?: number;
  /** Width of the interval (as a fraction of the ratio) at which a case with time for more ends early. Default 0.02. */
  readonly precision?: number;
  /** From 0 to 2^32 - 1. Default: random. */
  readonly seed?: number;
  /** The folder that takes the run's own folder. Default "results" in the current directory. */
  readonly out?: string;
  /** Instances of each local target that are started for their first exchanges alone, after each case. Default 0. */
  readonly coldStarts?: number;
  /** Names of pins that may differ. */
  readonly allow?: readonly string[];
  /** Longest that one exchange may take, in milliseconds. Default 30,000. */
  readonly exchangeTimeoutMs?: number;
  /** Whether platforms are asked what CPU time they account to each request of deployed targets. */
  readonly providerCpu?: boolean;
  /** Called between rounds: at each new phase, else at most five times a second. Must be quick. */
  onProgress?(progress: Progress): void;
  /** Called for each event as it happens. */
  onEvent?(event: RunEvent): void;
  /** Ends the run early; what was measured is kept. */
  readonly signal?: AbortSignal;
}

/** Where a run is. */
export interface Progress {
  readonly phase: "preflight" | "start" | "warmup" | "measure" | "floor" | "cold" | "stop";
  /** null during preflight. */
  readonly caseId: string | null;
  /** From 0. */
  readonly caseIndex: number;
  readonly caseCount: number;
  /** From 0; and how many there can be at most. */
  readonly generation: number;
  readonly generations: number;
  /** From 0 in each phase of each generation. */
  readonly roundIndex: number;
  /** Time left in the whole run if no case ends early, in milliseconds; null while unknown. */
  readonly etaMs: number | null;
}

export interface RunResult {
  /** Absolute path of the run's folder. */
  readonly folder: string;
  readonly run: Run;
}

/** A run that could not begin or go on, with what to do about it in its message. */
export class RunError extends UserError {
  override readonly name: string = "RunError";
}
