import { sorted } from "./quantile.ts";
import { drawBelow, type Random } from "./random.ts";

/** A statistic of resampled rounds; it gets how many times each round was drawn. */
export type ResampleStatistic = (timesDrawn: Uint32Array) => number;

/**
 * Circular block bootstrap (Politis & Romano, 1992): rounds are drawn in blocks of neighbours, so that what one round
 * passes on to the next (a collection, a warm cache) is kept. Blocks are n^(1/3) long, the order that
 * minimises the error of a variance (Hall, Horowitz & Jing, 1995).
 *
 * @returns the statistic of `replicates` resamples of as many rounds as there are.
 */
export function blockBootstrap(
  roundCount: number,
  statistic: ResampleStatistic,
  replicates: number,
  random: Random,
): Float64Array {
  const blockLength = Math.ceil(Math.cbrt(roundCount));
  const timesDrawn = new Uint32Array(roundCount);
  const results = new Float64Array(replicates);
  for (let replicate = 0; replicate < replicates; replicate++) {
    timesDrawn.fill(0);
    for (let left = roundCount; left > 0; left -= blockLength) {
      let round = drawBelow(random, roundCount);
      for (let taken = Math.min(blockLength, left); taken > 0; taken--) {
        timesDrawn[round] = (timesDrawn[round] as number) + 1;
        round = round + 1 === roundCount ? 0 : round + 1;
      }
    }
    results[replicate] = statistic(timesDrawn);
  }
  return results;
}

/** The median of resampled values: they are ordered once, and a resample is counted off in that order to its middle. */
export function resampledMedian(values: Float64Array): ResampleStatistic {
  const order = ascendingOrder(values);
  const upper = Math.floor(values.length / 2);
  const lower = values.length % 2 === 0 ? upper - 1 : upper;
  return (timesDrawn) => {
    let rank = 0;
    let seen = timesDrawn[order[0] as number] as number;
    while (seen <= lower) seen += timesDrawn[order[++rank] as number] as number;
    const low = values[order[rank] as number] as number;
    while (seen <= upper) seen += timesDrawn[order[++rank] as number] as number;
    return (low + (values[order[rank] as number] as number)) / 2;
  };
}

/**
 * The places of the values, from the least value on. Sorting numbers and looking each one up takes half the
 * time of sorting by a comparison.
 */
function ascendingOrder(values: Float64Array): Uint32Array {
  const ascending = sorted(values);
  const order = new Uint32Array(values.length);
  const taken = new Uint32Array(values.length);
  values.forEach((value, place) => {
    const first = firstPlaceOf(value, ascending);
    const again = taken[first] as number;
    order[first + again] = place;
    taken[first] = again + 1;
  });
  return order;
}

/** By halving. */
function firstPlaceOf(value: number, ascending: Float64Array): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
