import { median } from "./quantile.ts";

const WINDOW = 5;
const WINDOWS = 3;
const TOLERANCE = 0.05;

/**
 * Whether warm-up has come to rest: the medians of the last three windows of five exchanges lie within 5 % of one
 * another. Not every program gets there (Barrett et al., OOPSLA 2017); the caller bounds the wait and says which it was.
 *
 * @param timesMs of one target's warm-up exchanges, in order.
 */
export function isSteady(timesMs: readonly number[]): boolean {
  if (timesMs.length < WINDOW * WINDOWS) return false;
  const medians = Array.from({ length: WINDOWS }, (_, index) => {
    const end = timesMs.length - index * WINDOW;
    return median(timesMs.slice(end - WINDOW, end));
  });
  return Math.max(...medians) <= Math.min(...medians) * (1 + TOLERANCE);
}
