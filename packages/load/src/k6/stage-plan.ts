import type { Expectation } from "@evenbench/probe";
import type { OpenLoad } from "@evenbench/results";
import type { RateExchangeLine } from "@evenbench/vantages";

export interface K6StagePlan {
  readonly origins: readonly string[];
  readonly path: string;
  readonly expected: Expectation;
  readonly timeoutMs: number;
  readonly connections: number;
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

/**
 * Which arrivals of a stage one client is to make: all, or every so many-th of them, from the `first` one
 * (from 0) on.
 */
export interface OwnArrivals extends Pick<K6StagePlan, "rate" | "stageMs"> {
  readonly first?: number;
  readonly every?: number;
}

/**
 * When a client's n-th arrival is due, from 0, in milliseconds from the stage's start; and from one of its
 * own to the next.
 */
export function dueTimes(plan: OwnArrivals): { readonly firstMs: number; readonly gapMs: number } {
  const { first = 0, every = 1 } = plan;
  const period = periodMs(plan);
  return { firstMs: first * period, gapMs: every * period };
}

/**
 * What is due within such a part of a gap before the end, through rounded gaps, k6 may or may not come to.
 */
const AT_THE_END = 1e-3;

/** Requests that are due in a stage: without others' parts the first one at its start. */
export function dueCount(plan: OwnArrivals): number {
  const { firstMs, gapMs } = dueTimes(plan);
  return Math.max(0, Math.ceil((plan.stageMs - firstMs) / gapMs - AT_THE_END));
}

export const OPEN_MS = 2000;

export interface K6BeginLine {
  readonly evenbench: "begin";
  readonly startedAt: number;
}

export type K6RequestLine = Omit<RateExchangeLine, "evenbench" | "nonce" | "stage" | "protocol"> & {
  readonly evenbench: "request";
};

export type K6Line = K6BeginLine | K6RequestLine;

export const LINE_START = '{"evenbench":';
