import type { PlannedCase } from "../protocol/plan.ts";

/** What of a plan a client needs. */
export interface EmbeddedPlan {
  /** See `VantagePlan`. */
  readonly hash: string;
  readonly seed: number;
  readonly trials: number;
  readonly rounds: number;
  /** Of every target in every trial, before its rounds. */
  readonly warmUp: number;
  readonly digestEvery: number;
  readonly timeoutMs: number;
  readonly cases: readonly PlannedCase[];
  readonly origins: Readonly<Record<string, string>>;
  /** Names of targets that are the copy of another one. */
  readonly copies: readonly string[];
  /** By name of a copy: the host that its requests name. */
  readonly hosts: Readonly<Record<string, string>>;
  /** Names of targets that get the token. */
  readonly closed: readonly string[];
  /** Lines of exchanges that a client writes. */
  readonly exchanges: number;
}

/** Put in its place when the script is bundled. */
declare const EVENBENCH_PLAN: EmbeddedPlan;

export const PLAN: EmbeddedPlan = EVENBENCH_PLAN;
