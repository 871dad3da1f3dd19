/** An account can say 0 of a request whose CPU time it books with the next one. Milliseconds. */
const LEAST_MS = 0.01;

export function logMs(ms: number): number {
  return Math.log(Math.max(ms, LEAST_MS));
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The largest of any number of values, -Infinity of none: `Math.max(...values)` overflows the stack beyond about 100,000. */
export function largest(values: Iterable<number>): number {
  let most = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    most = Math.max(most, value);
  }
  return most;
}

/** The smallest of any number of values, Infinity of none. */
export function smallest(values: Iterable<number>): number {
  let least = Number.POSITIVE_INFINITY;
  for (const value of values) {
    least = Math.min(least, value);
  }
  return least;
}

export function mean(values: ArrayLike<number>): number {
  let total = 0;
  for (let index = 0; index < values.length; index++) {
    total += values[index] as number;
  }
  return total / values.length;
}

/** Sample variance (divided by n - 1); 0 for fewer than two values. */
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

export function sorted(values: ArrayLike<number>): Float64Array {
  return new Float64Array(values).sort();
}

/** Of sorted values, interpolated linearly: type 7 of Hyndman & Fan (1996), the default of R and NumPy. */
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

export function median(values: ArrayLike<number>): number {
  return quantile(sorted(values), 1 / 2);
}

/** The mean of the middle half: it varies less than the median, and what lies far out moves it no more. */
export function interquartileMean(values: ArrayLike<number>): number {
  const outer = Math.floor(values.length / 4);
  return mean(sorted(values).subarray(outer, values.length - outer));
}

/** Milliseconds by round, ascending. */
export type Rounds = ReadonlyMap<number, number>;

export function medianOf(rounds: Rounds): number {
  return median([...rounds.values()]);
}
