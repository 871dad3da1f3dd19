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

export const DEFAULT_LOADS: readonly OfferedLoad[] = [1, 2, 4, 8, 16, 32].map((connections) => ({
  kind: "closed",
  connections,
}));

/** In the folder of the run that it follows. */
export const SWEEP_FOLDER = "sweep";

export type LoadedTarget = Target & Pick<LoadTarget, "instances" | "workers">;

export type LoadGoal =
  | { readonly kind: "sweep"; readonly loads: readonly OfferedLoad[] }
  | {
      readonly kind: "capacity";
      readonly condition: LatencyCondition;
      readonly arrivals: Arrivals;
      readonly connections: number;
    };

export interface LoadEngine extends NonNullable<LoadPlan["engine"]> {
  readonly file: string;
}

/** As in `RunOptions`, but with cores apart by default: several instances then share what the client leaves. */
export interface LoadOptions
  extends Pick<RunOptions, "cases" | "otherCaseIds" | "serverCores" | "sameWork" | "seed">,
    Pick<RunOptions, "out" | "allow" | "onEvent" | "signal"> {
  readonly targets: readonly LoadedTarget[];
  readonly goal: LoadGoal;
  readonly engine?: LoadEngine | null;
  /** Default 3; 1 where the time is too short even for the shortest stages of one. */
  readonly trials?: number;
  /** For each case, starts and warm-up included. Default 60,000; 120,000 for a capacity. */
  readonly timeMs?: number;
  /** Called as a measured window begins, with the pids that serve: to disturb them on purpose. */
  onWindow?(pids: readonly number[]): void;
  onProgress?(progress: LoadProgress): void;
}

export interface LoadProgress {
  readonly phase: "preflight" | "start" | "load";
  readonly caseId: string | null;
  readonly trial: number;
  readonly trials: number;
  readonly target: string | null;
  readonly load: OfferedLoad | null;
  readonly stagesDone: number;
  readonly stagesMost: number;
}

export type LoadMeasuring = MeasuringSession<LoadRun, LoadSample>;
