import type { LatencyCondition } from "@evenbench/core";
import type { LoadGoal } from "../options.ts";

const SHORTEST_STAGE_MS = 500;
const LONGEST_STAGE_MS = 30_000;
/** A stage of a capacity search may get so many times longer, so that its quantile means something. */
const LONGEST_STRETCH = 4;

/** What a case's time is divided by. Times in milliseconds. */
export interface StageBudget {
  readonly timeMs: number;
  readonly sets: number;
  readonly stagesPerSet: number;
  /** What a set of instances costs before its first stage. */
  readonly startMs: number;
}

/** Steps of a capacity search at most; a closed loop before them finds where to begin. */
export const MOST_STEPS = 8;

/** Stages in one set of instances, at most. */
export function stagesPerSet(goal: LoadGoal, subjects: number): number {
  return subjects * (goal.kind === "sweep" ? goal.loads.length : 1 + MOST_STEPS);
}

/** An equal share for every stage of what the starts leave, within bounds. */
export function stageTime({ timeMs, sets, stagesPerSet, startMs }: StageBudget): number {
  const share = (timeMs / sets - startMs) / stagesPerSet;
  return Math.round(Math.min(Math.max(share, SHORTEST_STAGE_MS), LONGEST_STAGE_MS));
}

/**
 * A quantile needs at least 1 / (1 - p) exchanges, or it is the largest one: a stage at a low rate gets longer for that, within
 * bounds.
 *
 * @param measuredShare the part of a stage that is measured.
 */
export function stretchedTime(
  stageMs: number,
  perSecond: number,
  { quantile }: LatencyCondition,
  measuredShare: number,
): number {
  const neededMs = (1000 * Math.ceil(1 / (1 - quantile))) / perSecond / measuredShare;
  return Math.round(Math.min(Math.max(stageMs, neededMs), stageMs * LONGEST_STRETCH));
}
