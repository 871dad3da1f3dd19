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
  return Float64Array.from(values).sort();
}

export function median(values: ArrayLike<number>): number {
  return quantile(sorted(values), 0.5);
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
