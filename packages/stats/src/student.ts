import studentQuantile from "@stdlib/stats-base-dists-t-quantile";

/** Of every interval. Copies are then called different in about one of a hundred comparisons (docs/coverage.md). */
export const LEVEL = 0.99;

/** Half-width of an interval, in standard errors. */
export function studentQuantileOf(degreesOfFreedom: number, level = LEVEL): number {
  return studentQuantile((1 + level) / 2, degreesOfFreedom);
}
