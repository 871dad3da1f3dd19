import type { RatioInterval } from "./analysis.ts";
import { mean } from "./quantile.ts";
import { studentQuantile975 } from "./student.ts";

/**
 * Geometric mean of ratios with its 95 % interval: Student's t on their logarithms.
 *
 * @param logs natural logarithms of one ratio for each set of instances.
 * @returns null with fewer than two.
 */
export function geometricInterval(logs: readonly number[]): RatioInterval | null {
  if (logs.length < 2) return null;
  const centre = mean(logs);
  const variance = logs.reduce((total, log) => total + (log - centre) ** 2, 0) / (logs.length - 1);
  const half = studentQuantile975(logs.length - 1) * Math.sqrt(variance / logs.length);
  return {
    estimate: Math.exp(centre),
    low: Math.exp(centre - half),
    high: Math.exp(centre + half),
    level: 0.95,
  };
}
