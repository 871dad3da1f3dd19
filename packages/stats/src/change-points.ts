import { median, sum } from "./numbers.ts";

/** Longest series that is cut value by value: the work grows with its square. Longer ones are thinned. */
const MAX_VALUES = 600;

/** A part of a series that keeps one level. */
export interface LevelSegment {
  /** Index of its first value. */
  readonly start: number;
  /** Index after its last value. */
  readonly end: number;
  /** Median of its values, in their unit. */
  readonly level: number;
}

/**
 * Cuts a series where its level changes, by PELT (Killick, Fearnhead & Eckley, JASA 2012). A segment costs
 * its absolute deviations from its median, so that single slow values are no change. Each further segment
 * costs 2 ln n times the noise (BIC). The noise is estimated by the mean absolute difference of neighbours,
 * which a step hardly moves.
 *
 * @param minLength number of values that a segment has at least.
 * @returns the segments in order, without gaps; none of an empty series.
 */
export function levelSegments(values: readonly number[], minLength: number): LevelSegment[] {
  const width = Math.max(1, Math.ceil(values.length / MAX_VALUES));
  const thinned = width === 1 ? values : blocksOf(values, width, median, { keepsRest: true });
  const starts = segmentStarts(thinned, minLength).map((start) => start * width);
  return starts.map((start, index) => {
    const end = starts[index + 1] ?? values.length;
    return { start, end, level: median(values.slice(start, end)) };
  });
}

/**
 * Replaces every `width` values in a row by one.
 *
 * @param keepsRest whether values left at the end are a block. Default: false.
 */
export function blocksOf(
  values: readonly number[],
  width: number,
  reduce: (block: readonly number[]) => number,
  { keepsRest = false }: { readonly keepsRest?: boolean } = {},
): number[] {
  const blocks = values.length / width;
  const length = keepsRest ? Math.ceil(blocks) : Math.floor(blocks);
  return Array.from({ length }, (_, block) => reduce(values.slice(block * width, (block + 1) * width)));
}

/** The best cut up to a value is the best cut up to an earlier one, and one segment from there: dynamic programming. */
function segmentStarts(values: readonly number[], minLength: number): number[] {
  const penalty = 2 * Math.log(values.length) * noiseOfSeries(values);
  const best = values.map(() => Number.POSITIVE_INFINITY);
  const startOfLast = values.map(() => 0);
  for (let start = 0; start < values.length; start++) {
    const before = start === 0 ? -penalty : (best[start - 1] as number);
    if (before === Number.POSITIVE_INFINITY) {
      continue;
    }
    const segment = new GrowingSegment();
    for (let last = start; last < values.length; last++) {
      segment.push(values[last] as number);
      if (last - start + 1 < minLength) {
        continue;
      }
      const total = before + segment.cost;
      // It cannot win any more, whatever follows: the P of PELT.
      if (total > (best[last] as number)) {
        break;
      }
      if (total + penalty >= (best[last] as number)) {
        continue;
      }
      best[last] = total + penalty;
      startOfLast[last] = start;
    }
  }
  const starts: number[] = [];
  for (let last = values.length - 1; last >= 0; last = (starts[0] as number) - 1) {
    starts.unshift(startOfLast[last] as number);
  }
  return starts;
}

/** The sum of absolute deviations from a median, kept up to date as values come in. */
class GrowingSegment {
  readonly #ordered: number[] = [];
  cost = 0;

  push(value: number): void {
    const ordered = this.#ordered;
    // A value between the two middle ones adds nothing; any other adds its distance from them.
    const low = ordered[Math.floor((ordered.length - 1) / 2)] ?? value;
    const high = ordered[Math.floor(ordered.length / 2)] ?? value;
    this.cost += Math.max(0, low - value, value - high);
    ordered.splice(indexInOrder(value, ordered), 0, value);
  }
}

/** The index at which a value keeps an ascending list ascending, by binary search. */
function indexInOrder(value: number, ordered: readonly number[]): number {
  let from = 0;
  let to = ordered.length;
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if ((ordered[middle] as number) < value) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  return from;
}

/** Standard deviation-like noise of a series, by the mean absolute difference of neighbours. */
function noiseOfSeries(values: readonly number[]): number {
  const steps = values.slice(1).map((value, index) => Math.abs(value - (values[index] as number)));
  return sum(steps) / Math.max(1, steps.length) / Math.SQRT2;
}
