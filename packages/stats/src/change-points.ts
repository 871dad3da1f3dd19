import { median, sum } from "./numbers.ts";

/** The work grows with the square of a length: longer series are thinned first. */
const MOST_VALUES = 600;

/**
 * Cuts a series where its level changes, by PELT (Killick, Fearnhead & Eckley, JASA 2012). A segment costs its absolute
 * deviations from its median, so that single slow values are no change, and each further one 2 ln n times the noise (BIC).
 * The mean absolute difference of neighbours tells the noise: a step hardly moves it.
 */
export function segments(values: readonly number[], least = 5) {
  const width = Math.ceil(values.length / MOST_VALUES);
  const thinned = width === 1 ? values : inBlocks(values, width, median, Math.ceil);
  const starts = segmentStarts(thinned, least).map((start) => start * width);
  return starts.map((start, index) => {
    const end = starts[index + 1] ?? values.length;
    return { start, end, level: median(values.slice(start, end)) };
  });
}

/** What is left at the end is left out, or, with `Math.ceil`, a block of its own. */
export function inBlocks(
  values: readonly number[],
  width: number,
  middle: (block: readonly number[]) => number,
  whole = Math.floor,
): number[] {
  return Array.from({ length: whole(values.length / width) }, (_, block) =>
    middle(values.slice(block * width, (block + 1) * width)),
  );
}

/** What a series costs is what it costs up to its last segment, and that one. */
function segmentStarts(values: readonly number[], least: number): number[] {
  const penalty = 2 * Math.log(values.length) * noiseOf(values);
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
      if (last - start + 1 < least) {
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

/** The sum of absolute deviations from a median, as values come in. */
class GrowingSegment {
  readonly #ordered: number[] = [];
  cost = 0;

  push(value: number): void {
    const ordered = this.#ordered;
    let from = 0;
    let to = ordered.length;
    // A value between the two middle ones adds nothing; any other adds its distance from them.
    const low = ordered[(to - 1) >> 1] ?? value;
    const high = ordered[to >> 1] ?? value;
    this.cost += Math.max(0, low - value, value - high);
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((ordered[middle] as number) < value) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    ordered.splice(from, 0, value);
  }
}

function noiseOf(values: readonly number[]): number {
  const steps = values.slice(1).map((value, index) => Math.abs(value - (values[index] as number)));
  return sum(steps) / Math.max(1, steps.length) / Math.SQRT2;
}
