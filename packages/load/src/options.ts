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

/** Name of a sweep's folder, in the folder of the run that it follows. */
export const SWEEP_FOLDER = "sweep";

/** A target with how many instances it gets, and how many workers each of them has. */
export type LoadedTarget = Target & Pick<LoadTarget, "instances" | "workers">;

/**
 * What is to be found out: how a target does under given loads, or the highest rate at which a condition
 * holds.
 */
export type LoadGoal =
  | { readonly kind: "sweep"; readonly loads: readonly OfferedLoad[] }
  | {
      readonly kind: "capacity";
      readonly condition: LatencyCondition;
      readonly arrivals: Arrivals;
      readonly connections: number;
    };

/** A program that sends the load in the place of our own client. */
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
    Pick<RunOptions, "out" | "allow" | "onEvent" | "signal"> {
  readonly targets: readonly LoadedTarget[];
  readonly goal: LoadGoal;
  /** Default: null, our own client. */
  readonly engine?: LoadEngine | null;
  /**
   * Trials of each case, with fresh instances. Default: 3; 1 where the time is too short even for the
   * shortest stages of one.
   */
  readonly trials?: number;
  /** Milliseconds for each case, with starts and warm-up. Default: 60,000; 120,000 for a capacity. */
  readonly timeMs?: number;
  /** Called as a measured window begins, with the pids that serve: to disturb them on purpose. */
  onWindow?(pids: readonly number[]): void;
  onProgress?(progress: LoadProgress): void;
}

/** How far a load has come. */
export interface LoadProgress {
  readonly phase: "preflight" | "start" | "load";
  /** null before the first case. */
  readonly caseId: string | null;
  /** The trial of the case, from 0. */
  readonly trial: number;
  readonly trials: number;
  /** The target that a load is sent to; null while targets start. */
  readonly target: string | null;
  readonly load: OfferedLoad | null;
  /** Stages of the case that are done. */
  readonly stagesDone: number;
  /** Stages that the case has at most. */
  readonly stagesMost: number;
}

/** A session that writes a load. */
export type LoadMeasuring = MeasuringSession<LoadRun, LoadSample>;
