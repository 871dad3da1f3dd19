import type { CaseManifest, SameWork } from "@evenbench/core";
import type {
  Arrivals,
  LatencyCondition,
  LoadPlan,
  LoadRun,
  LoadTarget,
  OfferedLoad,
  RunEvent,
  RunFolder,
} from "@evenbench/results";
import type { ServerCores, Target } from "@evenbench/runner";
import type { StageOutcome, StageTerms } from "./engine/stage.ts";

export const DEFAULT_LOADS: readonly OfferedLoad[] = [1, 2, 4, 8, 16, 32].map((connections) => ({
  kind: "closed",
  connections,
}));

export interface TargetChoice extends Omit<LoadTarget, "target"> {
  readonly target: Target;
}

export type LoadGoal =
  | { readonly kind: "sweep"; readonly loads: readonly OfferedLoad[] }
  | {
      readonly kind: "capacity";
      readonly condition: LatencyCondition;
      readonly arrivals: Arrivals;
      readonly connections: number;
    };

export interface LoadEngine extends NonNullable<LoadPlan["engine"]> {
  readonly startMs: number;
  readonly leastStageMs: number;
  runStage(stage: EngineStage): Promise<StageOutcome>;
}

export interface EngineStage extends StageTerms {
  readonly origins: readonly string[];
  readonly exchangeTimeoutMs: number;
}

export interface LoadOptions {
  readonly targets: readonly TargetChoice[];
  readonly cases: Readonly<Record<string, readonly CaseManifest[]>>;
  readonly otherCaseIds?: readonly string[];
  readonly goal: LoadGoal;
  readonly engine?: LoadEngine | null;
  /** Trials. Default 3; 1 where the time is too short even for the shortest stages of one. */
  readonly trials?: number;
  /** Time for each case, in milliseconds: starts and warm-up included. Default 60,000; 120,000 for a capacity. */
  readonly timeMs?: number;
  /** As in `RunOptions`, but apart by default: several instances then share what the client leaves. */
  readonly serverCores?: ServerCores;
  readonly sameWork?: SameWork;
  readonly warmUpFile?: string | null;
  readonly seed?: number;
  readonly out?: string;
  /** An empty folder to write into instead, and the run's id. */
  readonly into?: RunFolder;
  readonly allow?: readonly string[];
  /** Longest that one exchange may take, in milliseconds. Default 30,000. */
  readonly exchangeTimeoutMs?: number;
  /** Called as a measured window begins, with the pids that serve: to disturb them on purpose. */
  onWindow?(target: string, load: OfferedLoad, pids: readonly number[]): void;
  onProgress?(progress: LoadProgress): void;
  onEvent?(event: RunEvent): void;
  readonly signal?: AbortSignal;
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

export interface LoadResult {
  readonly folder: string;
  readonly run: LoadRun;
}
