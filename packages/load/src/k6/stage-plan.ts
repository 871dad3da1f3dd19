import type { Expectation } from "@evenbench/probe";
import type { OpenLoad } from "@evenbench/results";

/** What k6 is given for one stage. */
export interface K6StagePlan {
  /** One for each instance. */
  readonly origins: readonly string[];
  readonly path: string;
  readonly expected: Expectation;
  readonly timeoutMs: number;
  readonly connections: number;
  /** Arrivals in `RATE_UNIT_S`. */
  readonly rate: number;
  readonly stageMs: number;
}

/** k6 takes whole numbers as rates: in so many seconds, thousandths of an arrival per second are one. */
export const RATE_UNIT_S = 1000;

export function rateOf({ perSecond }: OpenLoad): number {
  return Math.max(1, Math.round(perSecond * RATE_UNIT_S));
}

/** Milliseconds from one arrival to the next. k6 has whole nanoseconds, rounded down. */
export function periodMs({ rate }: Pick<K6StagePlan, "rate">): number {
  return Math.floor((RATE_UNIT_S * 1e9) / rate) / 1e6;
}

/** What is due within such a part of a gap before the end, through rounded gaps, k6 may or may not come to. */
const AT_THE_END = 1e-3;

/** Requests that are due in a stage: the first one at its start. */
export function dueCount(plan: Pick<K6StagePlan, "rate" | "stageMs">): number {
  return Math.ceil(plan.stageMs / periodMs(plan) - AT_THE_END);
}
