import type { RatioInterval } from "./analysis.ts";
import { meanInterval } from "./mean-interval.ts";

/**
 * Geometric mean of ratios with its 95 % interval: Student's t on their logarithms.
 *
 * @param logs natural logarithms of one ratio for each trial.
 * @returns null with fewer than two.
 */
export function geometricInterval(logs: readonly number[]): RatioInterval | null {
  const interval = meanInterval(logs);
  if (interval === null) return null;
  const { estimate, low, high, level } = interval;
  return { estimate: Math.exp(estimate), low: Math.exp(low), high: Math.exp(high), level };
}
