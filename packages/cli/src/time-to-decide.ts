import type { Facts, FailOn, Judged } from "@evenbench/report";

/** By how much longer a run is that somebody may still wait for. */
const MOST_LONGER = 30;
/** By how much longer a run is of which too few trials counted. */
const TOO_SHORT = 2;
/** Whole steps of a time that is advised, in milliseconds. */
const STEP_MS = 30_000;

/**
 * Estimates the time for each case, in milliseconds, in which open comparisons would be decided: the width of an interval falls
 * as the root of the time grows, and their middles stay.
 *
 * @param open comparisons of which nobody can say whether they meet the condition.
 * @returns null where that is not known, or is too long.
 */
export function timeToDecide(
  { run, cases }: Facts,
  open: readonly Judged[],
  { by, verdict }: FailOn,
): number | null {
  if (run.tookMs === null || open.length === 0) {
    return null;
  }
  const sign = verdict === "faster" ? -1 : 1;
  const bound = Math.abs(Math.log1p(sign * by));
  const factors = open.map(({ estimate, low, high, why }) => {
    if (why === "not-warm" || why === "few-trials") {
      return TOO_SHORT;
    }
    if (estimate === null || low === null || high === null || estimate <= 0 || low <= 0) {
      return Number.POSITIVE_INFINITY;
    }
    const middle = sign * Math.log(estimate);
    const reach = Math.max(Math.abs(Math.log(high / estimate)), Math.abs(Math.log(estimate / low)));
    const needed = middle < bound ? bound - middle : middle;
    return (reach / needed) ** 2;
  });
  const factor = Math.max(...factors);
  if (!(factor <= MOST_LONGER)) {
    return null;
  }
  const ms = (run.tookMs / Math.max(1, cases.length)) * Math.max(1, factor);
  // A rounding error is no step.
  return STEP_MS * Math.ceil(ms / STEP_MS - 1e-9);
}
