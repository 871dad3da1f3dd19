import type { RatioInterval } from "./analysis.ts";
import { mean, variance } from "./quantile.ts";
import { studentQuantile975 } from "./student.ts";

/** The mean of a few independent values with its 95 % interval, by Student's t; null with fewer than two. */
export function meanInterval(values: readonly number[]): RatioInterval | null {
  if (values.length < 2) return null;
  const centre = mean(values);
  const half = studentQuantile975(values.length - 1) * Math.sqrt(variance(values) / values.length);
  return { estimate: centre, low: centre - half, high: centre + half, level: 0.95 };
}
