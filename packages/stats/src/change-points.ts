import { median } from "./numbers.ts";

/** The work grows with the square of a length: longer series are thinned first. */
const MOST_VALUES = 600;

/**
 * Cuts a series where its level changes, by PELT (Killick, Fearnhead & Eckley, JASA 2012). A segment costs its absolute
 * deviations from its median, so that single slow values are no change, and each further one 2 ln n times the noise (BIC).
 * The mean absolute difference of neighbours tells the noise: a step hardly moves it.
 */
export function segments(values: readonly number[], least = 5) {
  const width = Math.ceil(values.length / MOST_VALUES);
  const thinned = width === 1 ? values : blocks(values, width);
  const starts = segmentStarts(thinned, least).map((start) => start * width);
  return starts.map((start, index) => {
    const end = starts[index + 1] ?? values.length;
    return { start, end, level: median(values.slice(start, end)) };
  });
}

function blocks(values: readonly number[], width: number): number[] {
  return Array.from({ length: Math.ceil(values.length / width) }, (_, block) =>
    median(values.slice(block * width, (block + 1) * width)),
  );
}

/** Where the last segment may begin, and what the best cut before it costs. */
interface Candidate {
  readonly start: number;
  readonly before: number;
  readonly segment: GrowingSegment;
}

function segmentStarts(values: readonly number[], least: number): number[] {
  if (values.length === 0) return [];
  const penalty = 2 * Math.log(values.length) * noiseOf(values);
  const best = [-penalty];
  const lastStart = [0];
  let candidates: Candidate[] = [];
  for (let end = 1; end <= values.length; end++) {
    const from = end - 1;
    const before = best[from] as number;
    if (before < Number.POSITIVE_INFINITY) {
      candidates.push({ start: from, before, segment: new GrowingSegment() });
    }
    for (const { segment } of candidates) segment.push(values[from] as number);
    const chosen = cheapest(candidates, end - least);
    best.push(chosen === undefined ? Number.POSITIVE_INFINITY : total(chosen) + penalty);
    lastStart.push(chosen?.start ?? 0);
    // What cannot win any more, whatever follows, is left behind: the P of PELT.
    const bound = best[end] as number;
    candidates = candidates.filter((one) => end - one.start < least || total(one) <= bound);
  }
  const starts: number[] = [];
  for (let end = values.length; end > 0; end = starts[0] as number) starts.unshift(lastStart[end] as number);
  return starts;
}

const total = ({ before, segment }: Candidate) => before + segment.cost;

function cheapest(candidates: readonly Candidate[], latestStart: number): Candidate | undefined {
  let found: Candidate | undefined;
  for (const one of candidates) {
    if (one.start > latestStart) break;
    if (found === undefined || total(one) < total(found)) found = one;
  }
  return found;
}

/** The sum of absolute deviations from a median, as values come in. */
class GrowingSegment {
  readonly #ordered: number[] = [];
  cost = 0;

  push(value: number): void {
    const ordered = this.#ordered;
    const count = ordered.length;
    if (count > 0) {
      // A value between the two middle ones adds nothing; any other adds its distance from them.
      const low = ordered[(count - 1) >> 1] as number;
      const high = ordered[count >> 1] as number;
      this.cost += Math.max(0, low - value, value - high);
    }
    let [from, to] = [0, count];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((ordered[middle] as number) < value) from = middle + 1;
      else to = middle;
    }
    ordered.splice(from, 0, value);
  }
}

function noiseOf(values: readonly number[]): number {
  let sum = 0;
  for (let index = 1; index < values.length; index++) {
    sum += Math.abs((values[index] as number) - (values[index - 1] as number));
  }
  return sum / Math.max(1, values.length - 1) / Math.SQRT2;
}
