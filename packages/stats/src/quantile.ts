import quickselect from "quickselect";

/**
 * The p-quantile of sorted values, interpolated linearly: type 7 of Hyndman & Fan (1996), the default of R and NumPy.
 *
 * @param sorted in ascending order, not empty.
 * @param p from 0 to 1.
 */
export function quantile(sorted: ArrayLike<number>, p: number): number {
  if (sorted.length === 0) throw new RangeError("A quantile needs at least one value.");
  const place = (sorted.length - 1) * p;
  const below = Math.floor(place);
  const low = sorted[below] as number;
  const high = sorted[Math.min(below + 1, sorted.length - 1)] as number;
  return low + (high - low) * (place - below);
}

/** The values in ascending order, in a new array. */
export function sorted(values: ArrayLike<number>): Float64Array {
  return new Float64Array(values).sort();
}

/** The middle one, or the mean of the two in the middle: found without putting all others in order. */
export function median(values: ArrayLike<number>): number {
  const parted = new Float64Array(values);
  const middle = parted.length >> 1;
  // It swaps what it is given, whatever kind of array that is.
  quickselect(parted as unknown as number[], middle);
  const upper = parted[middle];
  if (upper === undefined) throw new RangeError("A median needs at least one value.");
  if (parted.length % 2 === 1) return upper;
  const lower = parted.subarray(0, middle).reduce((most, value) => Math.max(most, value));
  return lower + (upper - lower) / 2;
}

export function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let index = 0; index < values.length; index++) sum += values[index] as number;
  return sum / values.length;
}

/** Sample variance (divided by n - 1); 0 for fewer than two values. */
export function variance(values: ArrayLike<number>): number {
  if (values.length < 2) return 0;
  const centre = mean(values);
  let sum = 0;
  for (let index = 0; index < values.length; index++) sum += ((values[index] as number) - centre) ** 2;
  return sum / (values.length - 1);
}
