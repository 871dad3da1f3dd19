import { drawBelow, type Random } from "./random.ts";

/** A statistic of resampled rounds: it gets the rounds' indices, as many as there are rounds. */
export type RoundStatistic = (rounds: Uint32Array) => number;

/**
 * Circular block bootstrap (Politis & Romano, 1992): rounds are drawn in blocks of neighbours, so that what one round
 * passes on to the next (a collection, a warm cache) is kept. Blocks are n^(1/3) long, the order that minimises the error
 * of a variance (Hall, Horowitz & Jing, 1995).
 *
 * @returns the statistic of `replicates` resamples.
 */
export function blockBootstrap(
  roundCount: number,
  statistic: RoundStatistic,
  replicates: number,
  random: Random,
): Float64Array {
  const blockLength = Math.ceil(Math.cbrt(roundCount));
  const rounds = new Uint32Array(roundCount);
  return Float64Array.from({ length: replicates }, () => {
    for (let at = 0; at < roundCount; ) {
      const start = drawBelow(random, roundCount);
      for (let offset = 0; offset < blockLength && at < roundCount; offset++, at++) {
        rounds[at] = (start + offset) % roundCount;
      }
    }
    return statistic(rounds);
  });
}

/**
 * A median of resampled values without sorting them each time: values are ranked once, a resample is counted by rank,
 * and the counts are walked to the middle.
 */
export function resampledMedian(values: Float64Array): RoundStatistic {
  const order = Uint32Array.from(values.keys()).sort((a, b) => (values[a] as number) - (values[b] as number));
  const rankOf = new Uint32Array(values.length);
  order.forEach((index, rank) => {
    rankOf[index] = rank;
  });
  const counts = new Uint32Array(values.length);
  const upper = Math.floor(values.length / 2);
  const lower = values.length % 2 === 0 ? upper - 1 : upper;
  return (rounds) => {
    counts.fill(0);
    for (const round of rounds) {
      const rank = rankOf[round] as number;
      counts[rank] = (counts[rank] as number) + 1;
    }
    let seen = 0;
    let low = Number.NaN;
    for (let rank = 0; rank < counts.length; rank++) {
      seen += counts[rank] as number;
      const value = values[order[rank] as number] as number;
      if (Number.isNaN(low) && seen > lower) low = value;
      if (seen > upper) return (low + value) / 2;
    }
    return low;
  };
}
