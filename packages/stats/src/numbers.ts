/** Lower limit of a time before its logarithm is taken, in milliseconds: an account of CPU time can say 0. */
const MINIMUM_MS = 0.01;

/** Takes the natural logarithm of a time in milliseconds. Times below 0.01 ms count as 0.01 ms. */
export function logMs(ms: number): number {
  return Math.log(Math.max(ms, MINIMUM_MS));
}

/** Adds values; 0 for none. */
export function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) {
    total += value;
  }
  return total;
}

/** Finds the largest of values; -Infinity of none. `Math.max(...values)` overflows the stack beyond about 100,000. */
export function largest(values: Iterable<number>): number {
  let found = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    found = Math.max(found, value);
  }
  return found;
}

/** Finds the smallest of any number of values, however many; Infinity of none. */
export function smallest(values: Iterable<number>): number {
  let found = Number.POSITIVE_INFINITY;
  for (const value of values) {
    found = Math.min(found, value);
  }
  return found;
}

/** Computes the arithmetic mean; NaN of no value. */
export function mean(values: ArrayLike<number>): number {
  let total = 0;
  for (let index = 0; index < values.length; index++) {
    total += values[index] as number;
  }
  return total / values.length;
}

/** Computes the sample variance (divided by n - 1); 0 for fewer than two values. */
export function variance(values: ArrayLike<number>): number {
  if (values.length < 2) {
    return 0;
  }
  const centre = mean(values);
  let total = 0;
  for (let index = 0; index < values.length; index++) {
    total += ((values[index] as number) - centre) ** 2;
  }
  return total / (values.length - 1);
}

/** Copies values in ascending order, by size and not as text. */
export function sorted(values: ArrayLike<number>): Float64Array {
  return new Float64Array(values).sort();
}

/**
 * Computes a quantile of ascending values, interpolated linearly: type 7 of Hyndman & Fan (1996), as R and NumPy do.
 *
 * @param share of the values below it, from 0 to 1.
 * @throws {RangeError} without a value.
 */
export function quantile(ascending: ArrayLike<number>, share: number): number {
  if (ascending.length === 0) {
    throw new RangeError("A quantile needs at least one value.");
  }
  const place = (ascending.length - 1) * share;
  const below = Math.floor(place);
  const low = ascending[below] as number;
  const high = ascending[Math.min(below + 1, ascending.length - 1)] as number;
  return low + (high - low) * (place - below);
}

/** Computes the median of values in any order, without sorting them. @throws {RangeError} without a value. */
export function median(values: ArrayLike<number>): number {
  if (values.length === 0) {
    throw new RangeError("A median needs at least one value.");
  }
  const found = new Float64Array(values);
  const middle = Math.floor(found.length / 2);
  const high = selected(found, middle);
  if (found.length % 2 === 1) {
    return high;
  }
  const low = largest(found.subarray(0, middle));
  return low + (high - low) / 2;
}

/**
 * Finds the value that would be at a place in ascending order, and moves the others around it (C. A. R. Hoare,
 * "Algorithm 65: Find", 1961).
 */
function selected(values: Float64Array, place: number): number {
  let from = 0;
  let to = values.length - 1;
  while (from < to) {
    const pivot = values[place] as number;
    let left = from;
    let right = to;
    while (left <= right) {
      while ((values[left] as number) < pivot) {
        left += 1;
      }
      while ((values[right] as number) > pivot) {
        right -= 1;
      }
      if (left <= right) {
        const swapped = values[left] as number;
        values[left] = values[right] as number;
        values[right] = swapped;
        left += 1;
        right -= 1;
      }
    }
    if (right < place) {
      from = left;
    }
    if (left > place) {
      to = right;
    }
  }
  return values[place] as number;
}

/** Computes the mean of the middle half, which varies less than the median; NaN of no value. */
export function interquartileMean(values: ArrayLike<number>): number {
  const outer = Math.floor(values.length / 4);
  return mean(sorted(values).subarray(outer, values.length - outer));
}

/** The times of one instance's rounds, in milliseconds, by the round's index from 0, ascending. A map is one. */
export interface MsByRound extends Iterable<readonly [round: number, ms: number]> {
  readonly size: number;
  /** Gives the time of a round, in milliseconds; undefined where there is none. */
  get(round: number): number | undefined;
  /** The rounds' indexes. */
  keys(): Iterable<number>;
  /** The rounds' times, in milliseconds. */
  values(): Iterable<number>;
}

/** Computes the median of an instance's rounds, in milliseconds. @throws {RangeError} without a round. */
export function medianOfRounds(rounds: MsByRound): number {
  return median(Float64Array.from(rounds.values()));
}
