import digamma from "@stdlib/math-base-special-digamma";
import trigamma from "@stdlib/math-base-special-trigamma";
import studentQuantile from "@stdlib/stats-base-dists-t-quantile";
import { largest, mean, median, sum, variance } from "./numbers.ts";
import type { RatioInterval } from "./verdict.ts";

/** Of every interval. Copies are then called different in about one of a hundred comparisons (docs/coverage.md). */
export const CONFIDENCE_LEVEL = 0.99;

/** Of cases whose variances do not differ: not infinity. */
const MAX_PRIOR_FREEDOM = 1000;
/** A variance of 0 (a coarse clock) counts as this part of the usual one, since it has no logarithm. */
const MINIMUM_VARIANCE_SHARE = 1e-5;
const CASES_FOR_NOISE = 4;
const ADDED_NOISES = [0, ...Array.from({ length: 30 }, (_, step) => 0.005 * 1.2 ** step)];

/** What one target showed in one trial, on a scale on which differences add up. */
export interface Cell {
  readonly target: string;
  readonly block: number | string;
  readonly value: number;
}

export interface Spread {
  readonly variance: number;
  readonly freedom: number;
}

/** In units of what is usual in a case. */
export interface Prior extends Spread {
  /** Variance that is the same in all cases. */
  readonly machineVariance: number;
}

export const NO_PRIOR: Prior = { variance: 0, freedom: 0, machineVariance: 0 };

/** Standard deviation between instances of a case that says nothing of its own: between a loop's 1 % and a page's 8 %. */
const USUAL_SCATTER = 0.04;

/** A case's variance, and what it usually scatters by, as a fraction. */
interface ScatteredCase {
  readonly fit: Spread;
  readonly scatter?: number | undefined;
}

/** The mean of some targets less the mean of others. */
export interface Difference {
  readonly estimate: number;
  /** Its variance, in units of the error's variance. */
  readonly factor: number;
}

type Row = Float64Array<ArrayBuffer>;

/** What `fitTwoWay` found. */
export interface TwoWayFit extends Spread {
  /**
   * The mean of some targets less the mean of others; null where a target has no value, or no chain of blocks joins them.
   */
  difference(these: readonly string[], those: readonly string[]): Difference | null;
}

/**
 * Fits value = target + block + error by least squares. Blocks of one target and targets of one block are welcome: they say
 * what they can. The normal equations are solved once, whatever number of differences is asked for.
 */
export function fitTwoWay(cells: readonly Cell[]): TwoWayFit {
  const targets = [...new Set(cells.map(({ target }) => target))];
  const indexes = new Map(targets.map((target, index) => [target, index]));
  const indexOf = ({ target }: Cell): number => indexes.get(target) as number;
  const blocks = [...Map.groupBy(cells, ({ block }) => block).values()];
  const parts = partsOf(targets.length, blocks, indexOf);
  const { matrix, right } = normalEquations(parts, blocks, indexOf);
  const inverse = inverseOf(matrix);
  const effects = inverse.map((row) => dot(row, right));
  const effectOf = (cell: Cell): number => effects[indexOf(cell)] as number;
  const squares = sum(
    blocks.map((block) => {
      const centre = mean(block.map((cell) => cell.value - effectOf(cell)));
      return sum(block.map((cell) => (cell.value - effectOf(cell) - centre) ** 2));
    }),
  );
  const freedom = cells.length - targets.length - blocks.length + new Set(parts).size;
  return {
    variance: freedom === 0 ? Number.NaN : squares / freedom,
    freedom,
    difference(these, those) {
      const weights = new Map<number, number>();
      const sides = [
        { names: these, share: 1 / these.length },
        { names: those, share: -1 / those.length },
      ];
      for (const { names, share } of sides) {
        for (const name of names) {
          const index = indexes.get(name);
          if (index === undefined) {
            return null;
          }
          weights.set(index, (weights.get(index) ?? 0) + share);
        }
      }
      const weighted = [...weights];
      if (new Set(weighted.map(([index]) => parts[index])).size > 1) {
        return null;
      }
      const estimate = sum(weighted.map(([index, weight]) => weight * (effects[index] as number)));
      const factors = weighted.flatMap(([row, weight]) =>
        weighted.map(([column, other]) => weight * other * (inverse[row]?.[column] as number)),
      );
      return { estimate, factor: sum(factors) };
    },
  };
}

/** @returns for each target the part of the table that it is in: targets that a chain of blocks joins are in one part. */
function partsOf(
  targets: number,
  blocks: readonly (readonly Cell[])[],
  indexOf: (cell: Cell) => number,
): readonly number[] {
  const parts = Array.from({ length: targets }, (_, index) => index);
  for (const block of blocks) {
    const joined = new Set(block.map((cell) => parts[indexOf(cell)] as number));
    const first = Math.min(...joined);
    for (const [index, part] of parts.entries()) {
      if (joined.has(part)) {
        parts[index] = first;
      }
    }
  }
  return parts;
}

/** The targets' normal equations, blocks taken out. Each part has a free constant, which is fixed by adding its mean. */
function normalEquations(
  parts: readonly number[],
  blocks: readonly (readonly Cell[])[],
  indexOf: (cell: Cell) => number,
): { readonly matrix: readonly Row[]; readonly right: Row } {
  const size = parts.length;
  const matrix = parts.map((part) => Float64Array.from(parts, (other) => (part === other ? 1 / size : 0)));
  const right = new Float64Array(size);
  for (const block of blocks) {
    const centre = mean(block.map(({ value }) => value));
    for (const cell of block) {
      const row = indexOf(cell);
      const line = matrix[row] as Row;
      right[row] = (right[row] as number) + cell.value - centre;
      line[row] = (line[row] as number) + 1;
      for (const other of block) {
        const column = indexOf(other);
        line[column] = (line[column] as number) - 1 / block.length;
      }
    }
  }
  return { matrix, right };
}

function dot(these: Row, those: Row): number {
  return these.reduce((total, value, index) => total + value * (those[index] as number), 0);
}

/** By Gauss and Jordan's elimination with pivots. */
function inverseOf(matrix: readonly Row[]): readonly Row[] {
  const size = matrix.length;
  const rows = matrix.map((row, index) => {
    const wide = new Float64Array(2 * size);
    wide.set(row);
    wide[size + index] = 1;
    return wide;
  });
  for (let step = 0; step < size; step++) {
    const pivot = largestBelow(rows, step);
    const scaled = rows[pivot] as Row;
    rows[pivot] = rows[step] as Row;
    rows[step] = scaled;
    const by = scaled[step] as number;
    for (let column = step; column < 2 * size; column++) {
      scaled[column] = (scaled[column] as number) / by;
    }
    for (const row of rows) {
      const factor = row[step] as number;
      if (row === scaled || factor === 0) {
        continue;
      }
      for (let column = step; column < 2 * size; column++) {
        row[column] = (row[column] as number) - factor * (scaled[column] as number);
      }
    }
  }
  return rows.map((row) => row.subarray(size));
}

/** @returns the row, from `step` on, whose value in that column is the largest. */
function largestBelow(rows: readonly Row[], step: number): number {
  let largest = step;
  for (let row = step; row < rows.length; row++) {
    const value = Math.abs(rows[row]?.[step] as number);
    if (value > Math.abs(rows[largest]?.[step] as number)) {
      largest = row;
    }
  }
  return largest;
}

/**
 * By moments of the logarithm of variances (Smyth, 2004, section 6.2): the more alike cases are, the more freedom they lend,
 * but no more than all but one of them have. What is usual in each is taken out before, with the noise that the machine adds
 * to all: the one that leaves them most alike.
 */
export function priorOfCases(cases: readonly ScatteredCase[]): Prior {
  const known = cases.filter(({ fit }) => fit.freedom > 0);
  const minimumVariance =
    MINIMUM_VARIANCE_SHARE * (known.length === 0 ? 0 : median(known.map(({ fit }) => fit.variance)));
  if (known.length < 2 || minimumVariance === 0) {
    return NO_PRIOR;
  }
  const all = known.map(({ fit }) => fit.freedom);
  const most = Math.min(MAX_PRIOR_FREEDOM, sum(all) - largest(all));
  const logsWith = (machineVariance: number) =>
    known.map(
      ({ fit, scatter }) =>
        Math.log(Math.max(fit.variance, minimumVariance) / usualVariance(scatter, machineVariance)) -
        bias(fit.freedom),
    );
  const noises = new Set(known.map(({ scatter }) => scatter)).size < CASES_FOR_NOISE ? [0] : ADDED_NOISES;
  const [machineVariance] = noises
    .map((sd) => [sd ** 2, variance(logsWith(sd ** 2))] as const)
    .reduce((best, next) => (next[1] < best[1] ? next : best));
  const logs = logsWith(machineVariance);
  const between = (variance(logs) * (known.length - 1)) / (known.length - Math.min(noises.length, 2));
  const addedVariance = between - mean(all.map((freedom) => trigamma(freedom / 2)));
  const freedom = addedVariance <= trigamma(most / 2) ? most : 2 * trigammaInverse(addedVariance);
  return { freedom, variance: Math.exp(mean(logs) + bias(freedom)), machineVariance: machineVariance };
}

/** What a case has of what cases lend each other. */
export function priorOf(
  { scatter }: Pick<ScatteredCase, "scatter">,
  { machineVariance, ...prior }: Prior,
): Spread {
  return { ...prior, variance: prior.variance * usualVariance(scatter, machineVariance) };
}

function usualVariance(scatter = USUAL_SCATTER, machineVariance = 0): number {
  return scatter ** 2 + machineVariance;
}

function bias(freedom: number): number {
  return digamma(freedom / 2) - Math.log(freedom / 2);
}

function trigammaInverse(value: number): number {
  let low = 1e-6;
  let high = MAX_PRIOR_FREEDOM;
  for (let step = 0; step < 60; step++) {
    const middle = Math.sqrt(low * high);
    if (trigamma(middle) > value) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

interface IntervalOptions {
  readonly prior?: Spread | undefined;
  readonly level?: number | undefined;
  /** Variance that the difference has whatever its trials say. */
  readonly minimumVariance?: number;
  /** Variance of what its trials cannot show, known from elsewhere. */
  readonly addedVariance?: number;
}

/** By Student's t; null where nothing is known of the variance. */
export function intervalOf(
  { estimate, factor }: { readonly estimate: number; readonly factor: number },
  fit: Spread,
  {
    prior = NO_PRIOR,
    level = CONFIDENCE_LEVEL,
    minimumVariance = 0,
    addedVariance = 0,
  }: IntervalOptions = {},
): RatioInterval | null {
  const freedom = fit.freedom + prior.freedom;
  if (freedom <= 0) {
    return null;
  }
  const squares = fit.freedom === 0 ? 0 : fit.freedom * fit.variance;
  const shared = (prior.freedom * prior.variance + squares) / freedom;
  const widthOf = (variance: number, by: number) =>
    studentQuantile((1 + level) / 2, by) * Math.sqrt(variance);
  const half = Math.hypot(
    widthOf(Math.max(shared * factor, minimumVariance), freedom),
    widthOf(addedVariance, MAX_PRIOR_FREEDOM),
  );
  return { estimate, low: estimate - half, high: estimate + half };
}

/** The mean of a few independent values; null with fewer than two. @param minimumVariance variance of the mean. */
export function meanInterval(values: readonly number[], minimumVariance = 0): RatioInterval | null {
  const fit = { variance: variance(values), freedom: values.length - 1 };
  const difference = { estimate: mean(values), factor: 1 / values.length };
  return values.length < 2 ? null : intervalOf(difference, fit, { minimumVariance: minimumVariance });
}

export function geometricInterval(logs: readonly number[]): RatioInterval | null {
  return exponentiate(meanInterval(logs));
}

/** As of independent estimates: half-widths add in quadrature on the scale of logarithms. */
export function divided<Ratio extends RatioInterval>(ratio: Ratio, by: RatioInterval): Ratio {
  const estimate = ratio.estimate / by.estimate;
  const above = Math.hypot(Math.log(ratio.high / ratio.estimate), Math.log(by.estimate / by.low));
  const below = Math.hypot(Math.log(ratio.estimate / ratio.low), Math.log(by.high / by.estimate));
  return { ...ratio, estimate, low: estimate / Math.exp(below), high: estimate * Math.exp(above) };
}

/** Ends further apart than this factor are no interval: two trials that differ make ends that no file can hold. */
const WIDEST = 1e6;

/** From logarithms; null where the interval says nothing. */
export function exponentiate(interval: RatioInterval | null): RatioInterval | null {
  if (interval === null || interval.high - interval.low > Math.log(WIDEST)) {
    return null;
  }
  const { estimate, low, high } = interval;
  return { estimate: Math.exp(estimate), low: Math.exp(low), high: Math.exp(high) };
}
