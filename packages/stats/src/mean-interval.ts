import type { RatioInterval } from "./analysis.ts";
import { mean, variance } from "./quantile.ts";
import { LEVEL, studentQuantileOf } from "./student.ts";

/** The mean of a few independent values with its interval, by Student's t; null with fewer than two. */
export function meanInterval(values: readonly number[]): RatioInterval | null {
  if (values.length < 2) return null;
  const centre = mean(values);
  const half = studentQuantileOf(values.length - 1) * Math.sqrt(variance(values) / values.length);
  return { estimate: centre, low: centre - half, high: centre + half, level: LEVEL };
}

/**
 * Geometric mean of ratios or times with its interval.
 *
 * @param logs natural logarithms of one value for each trial.
 */
export function geometricInterval(logs: readonly number[]): RatioInterval | null {
  return asRatio(meanInterval(logs));
}

/** Ends further apart than this factor are no interval: two trials that differ make ends that no file can hold. */
const WIDEST = 1e6;

/** From logarithms; null where the interval says nothing. */
export function asRatio(interval: RatioInterval | null): RatioInterval | null {
  if (interval === null || interval.high - interval.low > Math.log(WIDEST)) return null;
  const { estimate, low, high, level } = interval;
  return { estimate: Math.exp(estimate), low: Math.exp(low), high: Math.exp(high), level };
}
