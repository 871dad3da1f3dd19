import type { CaseCost } from "./warm-up-needs.ts";

/**
 * Smallest number of rounds in a trial. Even: where a collector runs in every second exchange, the median of
 * an odd number lies on one of its two levels.
 */
export const MIN_ROUNDS = 6;

/** How long a trial measures while the variances of its case are unknown. */
const USUAL_MEASURE = {
  /** Number of rounds that it measures, if these take no less and no more than the times below. */
  rounds: 24,
  /** The shortest time that they take, in milliseconds. */
  minMs: 2000,
  /** The longest time that they take, in milliseconds, if the warm-up took no longer. */
  maxMs: 5000,
  /** Number of rounds beyond which no trial is longer for its warm-up: more of them say little of an instance. */
  roundsForWarmUp: 100,
};

/** Bounds of a trial's best duration, in milliseconds: variances of few trials are badly known. */
const BEST_MEASURE = { minMs: 1000, maxMs: 12_000 };

/**
 * Computes how long a trial's rounds are measured while the variances of its case are unknown, in milliseconds: for the
 * case's own number of rounds where it has one, else as long as it was warmed up, or longer. A quarter of that was too
 * short: in default runs much of what instances differed by came from the few rounds of each, and a second more of
 * measuring costs less than another instance's warm-up.
 */
export function defaultMeasureMs({
  roundMs,
  warmUpMs,
  rounds,
}: Pick<CaseCost, "roundMs" | "warmUpMs" | "rounds">): number {
  if (rounds !== undefined) {
    return rounds * roundMs;
  }
  const { minMs, maxMs, roundsForWarmUp } = USUAL_MEASURE;
  const usualMs = Math.min(Math.max(USUAL_MEASURE.rounds * roundMs, minMs), maxMs);
  return Math.max(usualMs, MIN_ROUNDS * roundMs, Math.min(warmUpMs, roundsForWarmUp * roundMs));
}

/** The variances of a case's trials so far, by which the length of the next one is chosen. */
export interface TrialVariances {
  /** Time that a trial takes before its first round, for starts and warm-up, in milliseconds. */
  readonly instanceMs: number;
  /** Time that its rounds took, in milliseconds. */
  readonly roundsMs: number;
  /** Variance of an instance's value that comes from its few rounds, in squared log units. */
  readonly ofRounds: number;
  /** Whole variance of an instance's value, that of rounds included, in squared log units. */
  readonly ofAll: number;
}

/**
 * Computes how long a trial's rounds are best measured, in milliseconds: longer where rounds vary, shorter where
 * instances differ, since further instances then say more. Kalibera & Jones, "Rigorous benchmarking in
 * reasonable time" (ISMM 2013), section 6.
 */
export function optimalMeasureMs({ instanceMs, roundsMs, ofRounds, ofAll }: TrialVariances): number {
  // Few trials know their variance badly: neither is taken for nothing.
  const ofInstances = Math.max(ofAll - ofRounds, Math.max(ofAll, ofRounds) / 4);
  const bestMs = Math.sqrt((instanceMs * roundsMs * ofRounds) / ofInstances);
  return Math.min(Math.max(bestMs, BEST_MEASURE.minMs), BEST_MEASURE.maxMs);
}

/**
 * Estimates the time of a trial without a search, in milliseconds.
 *
 * @param rounds the number that the user fixed; null: none.
 */
export function trialMs(cost: CaseCost, rounds: number | null = null): number {
  return cost.startMs + cost.warmUpMs + roundsMs(cost, rounds);
}

/**
 * Estimates the time of a trial's rounds, in milliseconds.
 *
 * @param rounds the number that the user fixed; null: none.
 */
export function roundsMs(cost: CaseCost, rounds: number | null): number {
  return rounds === null ? defaultMeasureMs(cost) : rounds * cost.roundMs;
}
