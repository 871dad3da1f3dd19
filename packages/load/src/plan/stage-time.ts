import type { LatencyCondition, OfferedLoad } from "@evenbench/core";
import type { LoadGoal } from "../options.ts";

const SHORTEST_STAGE_MS = 500;
const LONGEST_STAGE_MS = 30_000;
/** A stage of a capacity search may get so many times longer, so that its quantile means something. */
const LONGEST_STRETCH = 4;

/** What a case's time is divided by. Times in milliseconds. */
export interface StageBudget {
  readonly timeMs: number;
  readonly sets: number;
  /** Stages of single length in one set. */
  readonly lengthsPerSet: number;
  /** What a set of instances costs before its first stage. */
  readonly startMs: number;
}

/** Steps of a capacity search at most; a closed loop before them finds where to begin. */
export const MOST_STEPS = 8;

/** Stages in one set of instances, at most. */
export function stagesPerSet(goal: LoadGoal, subjects: number): number {
  return subjects * (goal.kind === "sweep" ? goal.loads.length : 1 + MOST_STEPS);
}

/** Lanes that a stage of single length has time for: with more, each would be answered too seldom in it. */
const LANES_PER_LENGTH = 8;

/** How many times longer than others a stage is. */
export function lengthOf(load: OfferedLoad): number {
  return load.kind === "closed" ? Math.max(1, load.lanes / LANES_PER_LENGTH) : 1;
}

/** All stages in one set of instances at most, in stages of single length. */
export function lengthsPerSet(goal: LoadGoal, subjects: number): number {
  if (goal.kind === "capacity") return stagesPerSet(goal, subjects);
  return subjects * goal.loads.reduce((sum, load) => sum + lengthOf(load), 0);
}

/** What the starts leave of a case's time, divided among the stages; within bounds. */
export function stageTime({ timeMs, sets, lengthsPerSet, startMs }: StageBudget): number {
  const share = (timeMs / sets - startMs) / lengthsPerSet;
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
