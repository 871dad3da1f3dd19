import { median, sorted } from "./numbers.ts";
import { WARM_UP } from "./warm-up-policy.ts";

const { tolerance, minThirdLength } = WARM_UP.level;

/** Tells whether two levels count as one. @param by their difference as a natural logarithm. */
export function isSameLevel(by: number): boolean {
  return Math.abs(by) <= Math.log1p(tolerance);
}

/**
 * Measures the drift of a series: the difference of the median of a series' last third from that of its first third,
 * in the unit of the values: natural logarithms. 0 where it is within the tolerance of one level, where a third is
 * too short, or where too few pairs of an early and a late value differ in its direction (the statistic of Mann &
 * Whitney, 1947).
 *
 * @param pairShare share of all such pairs that have to differ in its direction, from 0.5 to 1.
 */
export function driftOf(values: readonly number[], pairShare: number): number {
  const third = Math.floor(values.length / 3);
  if (third < minThirdLength) {
    return 0;
  }
  const early = sorted(values.slice(0, third));
  const late = sorted(values.slice(-third));
  const by = median(late) - median(early);
  if (isSameLevel(by)) {
    return 0;
  }
  const pairs = by < 0 ? pairsBelow(early, late) : pairsBelow(late, early);
  return pairs < pairShare * third ** 2 ? 0 : by;
}

/** Counts the pairs, a value of each list, in which the second list's is below the first's. Both are ascending. */
function pairsBelow(first: Float64Array, second: Float64Array): number {
  let pairs = 0;
  let below = 0;
  for (const value of first) {
    while (below < second.length && (second[below] as number) < value) {
      below += 1;
    }
    pairs += below;
  }
  return pairs;
}
