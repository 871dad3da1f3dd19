import type { Load } from "@evenbench/report";
import type {
  Arrivals,
  LatencyCondition,
  LoadPlan,
  LoadRun,
  LoadSample,
  LoadTarget,
  OfferedLoad,
} from "@evenbench/results";
import type { MeasuringSession, RunOptions, Target } from "@evenbench/runner";

/**
 * The loads of a sweep for which the user names none: more and more connections, each with one request at a
 * time.
 */
export const DEFAULT_LOADS: readonly OfferedLoad[] = [1, 2, 4, 8, 16, 32].map((connections) => ({
  kind: "closed",
  connections,
}));

/** A target with the number of its instances, and of the workers of each. */
export type LoadedTarget = Target & Pick<LoadTarget, "instances" | "workers">;

/** The goal of a load: the rates and latencies under given loads, or the highest rate at which a condition holds. */
export type LoadGoal =
  | { readonly kind: "sweep"; readonly loads: readonly OfferedLoad[] }
  | {
      readonly kind: "capacity";
      readonly condition: LatencyCondition;
      readonly arrivals: Arrivals;
      readonly connections: number;
    };

/** A program that sends the load in the place of Evenbench's own client. */
export interface LoadEngine extends NonNullable<LoadPlan["engine"]> {
  /** Path of the program. */
  readonly file: string;
}

/**
 * Options of a load. Those of `RunOptions` mean the same; but servers get cores of their own by default, of
 * which several instances share what the client leaves.
 */
export interface LoadOptions
  extends Pick<RunOptions, "cases" | "otherCaseIds" | "serverCores" | "sameWork" | "seed">,
    Pick<RunOptions, "out" | "asked" | "allow" | "onEvent" | "onWait" | "signal"> {
  /** The targets, in the order of the report. */
  readonly targets: readonly LoadedTarget[];
  readonly goal: LoadGoal;
  /** The program that sends the load. Default: null, Evenbench's own client. */
  readonly engine?: LoadEngine | null;
  /**
   * Trials of each case, with fresh instances. Default: 3; 1 where the time is too short even for the
   * shortest stages of one.
   */
  readonly trials?: number;
  /** Milliseconds for each case, with starts and warm-up. Default: 60,000; 120,000 for a capacity. */
  readonly timeMs?: number;
  /** Whether memory is read between blocks of requests, after all trials of a case. Default: false. */
  readonly memory?: boolean;
  /** Is called as a measured window begins, with the pids that serve: to disturb them on purpose. */
  onWindow?(pids: readonly number[]): void;
  /** Is called with each step. */
  onProgress?(progress: LoadProgress): void;
}

/** What is done in each phase of a load. */
export const LOAD_PHASES = {
  preflight: "preflight",
  start: "starting",
  warmup: "warming up",
  load: "loading",
  memory: "reading memory",
} as const;

/** The progress of a load. */
export interface LoadProgress {
  readonly phase: keyof typeof LOAD_PHASES;
  /** The case; null before the first one. */
  readonly caseId: string | null;
  /** The trial of the case, from 0. */
  readonly trial: number;
  /** Number of trials of the case. */
  readonly trials: number;
  /** The target that is asked; null while targets start. */
  readonly target: string | null;
  /** The load that is sent; null in other phases. */
  readonly load: Load | null;
  /** Number of the case's stages that are done. */
  readonly stagesDone: number;
  /** Largest number of stages that the case can have. */
  readonly stagesMost: number;
}

/** A session that writes a load. */
export type LoadMeasuring = MeasuringSession<LoadRun, LoadSample>;
