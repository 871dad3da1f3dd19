import digamma from "@stdlib/math-base-special-digamma";
import trigamma from "@stdlib/math-base-special-trigamma";
import studentQuantile from "@stdlib/stats-base-dists-t-quantile";
import { largest, mean, median, sum, variance } from "./numbers.ts";
import type { RatioInterval } from "./verdict.ts";

/**
 * Confidence level of every interval that is reported. At 0.99 a target and its own copy are called different
 * in about 1 of 100 comparisons; measured in docs/coverage.md.
 */
export const CONFIDENCE_LEVEL = 0.99;

/**
 * Upper bound for the prior's degrees of freedom. If the cases' variances do not differ the estimate is
 * infinite; 1000 is near enough to it and keeps the arithmetic finite.
 */
const MAX_PRIOR_FREEDOM = 1000;

/** Floor for a case's variance, as a fraction of the median: a coarse clock gives 0, which has no logarithm. */
const MINIMUM_VARIANCE_SHARE = 1e-5;

/** Number of different scatters among the cases from which on the machine's noise can be told from theirs. */
const SCATTERS_FOR_MACHINE_NOISE = 4;

/** Noises of the machine that are tried, as standard deviations of logarithms: none, and 30 from 0.005 to 0.99. */
const MACHINE_NOISES: readonly number[] = [
  0,
  ...Array.from({ length: 30 }, (_, step) => 0.005 * 1.2 ** step),
];

/** A value of a table of targets and blocks, on a scale on which differences add up, such as logarithms. */
export interface Cell {
  readonly target: string;
  /** Whatever was measured together: the index of a trial, or the number of a repetition. */
  readonly block: number | string;
  readonly value: number;
}

/** A variance with how well it is known. */
export interface Spread {
  /** Variance in squared units of the value; NaN where `freedom` is 0 and nothing is known. */
  readonly variance: number;
  /** Degrees of freedom that it was estimated with, 0 or more. */
  readonly freedom: number;
}

/**
 * The variance of a case as all cases of its run together show it (empirical Bayes). `variance` is relative
 * here: multiply it by `usualVariance(scatter, machineVariance)` to get squared log units, as `priorOf` does.
 */
export interface Prior extends Spread {
  /** Variance in squared log units that the machine adds to every case, whatever the case's own scatter. */
  readonly machineVariance: number;
}

/** The prior that says nothing: each case stands for itself. */
export const NO_PRIOR: Prior = { variance: 0, freedom: 0, machineVariance: 0 };

/**
 * Default for `CaseManifest.scatter`: the standard deviation between processes, as a fraction. Loops show 1 %, rendered
 * pages 8 %.
 */
const USUAL_SCATTER = 0.04;

/** A case's variance beside what its instances usually differ by. */
export interface ScatteredCase {
  /** The variance that was found, in squared log units. */
  readonly fit: Spread;
  /** Standard deviation between instances that was known before, as a fraction. Default: 0.04. */
  readonly scatter?: number | undefined;
}

/** The mean of some targets less the mean of others. */
export interface MeanDifference {
  /** The difference, in the unit of the cells' values. */
  readonly estimate: number;
  /** Variance of the difference, in units of the error's variance. */
  readonly factor: number;
}

type MatrixRow = Float64Array<ArrayBuffer>;

/** A least-squares fit of a table: its residual variance, and any difference between its targets. */
export interface TwoWayFit extends Spread {
  /** The mean of some targets less that of others; null where one has no value, or no chain of blocks joins them. */
  difference(these: readonly string[], those: readonly string[]): MeanDifference | null;
}

/**
 * Fits `value = target effect + block effect + error` by ordinary least squares. The table may be incomplete:
 * a block may hold one target only. Differences exist only between targets that a chain of shared blocks
 * connects. The normal equations are solved once, whatever number of differences is asked for.
 *
 * @returns the residual variance with its degrees of freedom (NaN and 0 when there is nothing left over).
 */
export function fitTwoWay(cells: readonly Cell[]): TwoWayFit {
  const targets = [...new Set(cells.map(({ target }) => target))];
  const indexes = new Map(targets.map((target, index) => [target, index]));
  const indexOf = ({ target }: Cell): number => indexes.get(target) as number;
  const blocks = [...Map.groupBy(cells, ({ block }) => block).values()];
  const parts = joinedPartsOf(targets.length, blocks, indexOf);
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
      const weights = weightsOf(indexes, these, those);
      if (weights === null || new Set(weights.map(([index]) => parts[index])).size > 1) {
        return null;
      }
      const estimate = sum(weights.map(([index, weight]) => weight * (effects[index] as number)));
      const factors = weights.flatMap(([row, weight]) =>
        weights.map(([column, other]) => weight * other * (inverse[row]?.[column] as number)),
      );
      return { estimate, factor: sum(factors) };
    },
  };
}

/** The weights of effects in the mean of some targets less that of others, by index; null where one has no value. */
function weightsOf(
  indexes: ReadonlyMap<string, number>,
  these: readonly string[],
  those: readonly string[],
): readonly (readonly [number, number])[] | null {
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
  return [...weights];
}

/** @returns for each target the part of the table that it is in: a chain of blocks joins those of one part. */
function joinedPartsOf(
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

/** The targets' normal equations, blocks taken out. Each part's free constant is fixed by adding its mean. */
function normalEquations(
  parts: readonly number[],
  blocks: readonly (readonly Cell[])[],
  indexOf: (cell: Cell) => number,
): { readonly matrix: readonly MatrixRow[]; readonly right: MatrixRow } {
  const size = parts.length;
  const matrix = parts.map((part) => Float64Array.from(parts, (other) => (part === other ? 1 / size : 0)));
  const right = new Float64Array(size);
  for (const block of blocks) {
    const centre = mean(block.map(({ value }) => value));
    for (const cell of block) {
      const row = indexOf(cell);
      const line = matrix[row] as MatrixRow;
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

function dot(these: MatrixRow, those: MatrixRow): number {
  return these.reduce((total, value, index) => total + value * (those[index] as number), 0);
}

/** Inverts a matrix by Gauss and Jordan's elimination with partial pivoting. */
function inverseOf(matrix: readonly MatrixRow[]): readonly MatrixRow[] {
  const size = matrix.length;
  const rows = matrix.map((row, index) => {
    const wide = new Float64Array(2 * size);
    wide.set(row);
    wide[size + index] = 1;
    return wide;
  });
  for (let step = 0; step < size; step++) {
    const pivot = largestBelow(rows, step);
    const scaled = rows[pivot] as MatrixRow;
    rows[pivot] = rows[step] as MatrixRow;
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
function largestBelow(rows: readonly MatrixRow[], step: number): number {
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
 * Estimates the prior for a case's residual variance from all cases of a run: limma's method of moments on
 * log variances (Smyth, 2004, section 6.2). Each variance is first divided by the case's usual one plus a
 * common machine noise; of 31 candidate noises the one that leaves the log variances least spread is taken.
 * The more alike the cases are, the more degrees of freedom the prior has, at most those of all cases but the
 * largest.
 *
 * @returns `NO_PRIOR` with fewer than two cases that have a variance.
 */
export function priorOfCases(cases: readonly ScatteredCase[]): Prior {
  const known = cases.filter(({ fit }) => fit.freedom > 0);
  if (known.length < 2) {
    return NO_PRIOR;
  }
  const minimumVariance = MINIMUM_VARIANCE_SHARE * median(known.map(({ fit }) => fit.variance));
  if (minimumVariance === 0) {
    return NO_PRIOR;
  }
  const freedoms = known.map(({ fit }) => fit.freedom);
  const maxFreedom = Math.min(MAX_PRIOR_FREEDOM, sum(freedoms) - largest(freedoms));
  const noises = machineNoisesFor(known);
  const machineVariance = likeliestMachineVariance(known, noises, minimumVariance);
  const logs = relativeLogs(known, machineVariance, minimumVariance);
  // The estimate of the machine's noise takes a degree of freedom.
  const between = (variance(logs) * (known.length - 1)) / (known.length - Math.min(noises.length, 2));
  const betweenCases = between - mean(freedoms.map((freedom) => trigamma(freedom / 2)));
  const freedom = betweenCases <= trigamma(maxFreedom / 2) ? maxFreedom : 2 * trigammaInverse(betweenCases);
  return { freedom, variance: Math.exp(mean(logs) + logBias(freedom)), machineVariance };
}

/** The noises of the machine that are tried: none but 0 where too few cases differ in their scatter. */
function machineNoisesFor(cases: readonly ScatteredCase[]): readonly number[] {
  const scatters = new Set(cases.map(({ scatter }) => scatter));
  return scatters.size < SCATTERS_FOR_MACHINE_NOISE ? [0] : MACHINE_NOISES;
}

/** The square of the noise with which the cases' variances are most alike; the smallest of equals. */
function likeliestMachineVariance(
  cases: readonly ScatteredCase[],
  noises: readonly number[],
  minimumVariance: number,
): number {
  let best = 0;
  let smallestSpread = Number.POSITIVE_INFINITY;
  for (const noise of noises) {
    const spread = variance(relativeLogs(cases, noise ** 2, minimumVariance));
    if (spread < smallestSpread) {
      best = noise ** 2;
      smallestSpread = spread;
    }
  }
  return best;
}

/** The logarithm of each case's variance, less what is usual in it, and without the bias of a logarithm. */
function relativeLogs(
  cases: readonly ScatteredCase[],
  machineVariance: number,
  minimumVariance: number,
): readonly number[] {
  return cases.map(({ fit, scatter }) => {
    const found = Math.max(fit.variance, minimumVariance);
    return Math.log(found / usualVariance(scatter, machineVariance)) - logBias(fit.freedom);
  });
}

/** Scales the prior of a run to one of its cases: its variance is then in squared log units. */
export function priorOf(
  { scatter }: Pick<ScatteredCase, "scatter">,
  { variance, freedom, machineVariance }: Prior,
): Spread {
  return { freedom, variance: variance * usualVariance(scatter, machineVariance) };
}

/** The variance that a case's instances usually have, in squared log units. */
function usualVariance(scatter = USUAL_SCATTER, machineVariance = 0): number {
  return scatter ** 2 + machineVariance;
}

/** How far an estimated variance's logarithm lies, in the mean, from the true one's (Smyth, 2004, section 6.2). */
function logBias(freedom: number): number {
  return digamma(freedom / 2) - Math.log(freedom / 2);
}

/** Solves trigamma(x) = value by bisection on a scale of logarithms: trigamma falls monotonically. */
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

/** The knowledge that an interval takes into account beside the fit. */
export interface IntervalOptions {
  /** Prior of the variance, from other cases, in the same unit. Default: none. */
  readonly prior?: Spread | undefined;
  /** Confidence level. Default: `CONFIDENCE_LEVEL`. */
  readonly level?: number | undefined;
  /** Variance that the difference has whatever its trials say. Default: 0. */
  readonly minimumVariance?: number;
  /** Variance of what its trials cannot show, known from elsewhere. Default: 0. */
  readonly addedVariance?: number;
}

/**
 * Computes the interval of a difference by Student's t, its variance drawn towards the prior's by their degrees of
 * freedom; null where nothing is known of it.
 */
export function intervalOf(
  { estimate, factor }: MeanDifference,
  fit: Spread,
  options: IntervalOptions = {},
): RatioInterval | null {
  const { prior = NO_PRIOR, level = CONFIDENCE_LEVEL, minimumVariance = 0, addedVariance = 0 } = options;
  const freedom = fit.freedom + prior.freedom;
  if (freedom <= 0) {
    return null;
  }
  const squares = fit.freedom === 0 ? 0 : fit.freedom * fit.variance;
  const pooledVariance = (prior.freedom * prior.variance + squares) / freedom;
  const halfWidth = (variance: number, degrees: number): number =>
    studentQuantile((1 + level) / 2, degrees) * Math.sqrt(variance);
  const half = Math.hypot(
    halfWidth(Math.max(pooledVariance * factor, minimumVariance), freedom),
    halfWidth(addedVariance, MAX_PRIOR_FREEDOM),
  );
  return { estimate, low: estimate - half, high: estimate + half };
}

/** Computes the mean of a few independent values with its interval, in their unit; null with fewer than two. */
export function meanInterval(
  values: readonly number[],
  options: Pick<IntervalOptions, "minimumVariance" | "level"> = {},
): RatioInterval | null {
  if (values.length < 2) {
    return null;
  }
  const fit = { variance: variance(values), freedom: values.length - 1 };
  return intervalOf({ estimate: mean(values), factor: 1 / values.length }, fit, options);
}

/**
 * Computes the geometric mean of some values with its interval.
 *
 * @param logs the values' logarithms.
 * @param level of the interval, from 0 to 1. Default: `CONFIDENCE_LEVEL`.
 * @returns null with fewer than two values, and where the interval says nothing.
 */
export function geometricInterval(
  logs: readonly number[],
  level: number = CONFIDENCE_LEVEL,
): RatioInterval | null {
  return exponentiate(meanInterval(logs, { level }));
}

/**
 * Divides one ratio by another that is independent of it: half-widths add in quadrature on the scale of logarithms.
 * Further fields of `ratio` stay.
 */
export function divided<Ratio extends RatioInterval>(ratio: Ratio, by: RatioInterval): Ratio {
  const estimate = ratio.estimate / by.estimate;
  const above = Math.hypot(Math.log(ratio.high / ratio.estimate), Math.log(by.estimate / by.low));
  const below = Math.hypot(Math.log(ratio.estimate / ratio.low), Math.log(by.high / by.estimate));
  return { ...ratio, estimate, low: estimate / Math.exp(below), high: estimate * Math.exp(above) };
}

/**
 * Subtracts a mean from another that is independent of it: half-widths add in quadrature (Zou and Donner, "Construction of
 * confidence limits about effect measures", Statistics in Medicine 27, 2008, 1693–1702).
 */
export function subtracted(interval: RatioInterval, by: RatioInterval): RatioInterval {
  const estimate = interval.estimate - by.estimate;
  const below = Math.hypot(interval.estimate - interval.low, by.high - by.estimate);
  const above = Math.hypot(interval.high - interval.estimate, by.estimate - by.low);
  return { estimate, low: estimate - below, high: estimate + above };
}

/**
 * Largest factor between the ends of an interval that says anything: two trials that differ much make ends
 * that no file can hold.
 */
const MAX_ENDS_FACTOR = 1e6;

/** Turns an interval of logarithms into one of their values; null where it says nothing, and of null. */
export function exponentiate(interval: RatioInterval | null): RatioInterval | null {
  if (interval === null || interval.high - interval.low > Math.log(MAX_ENDS_FACTOR)) {
    return null;
  }
  const { estimate, low, high } = interval;
  return { estimate: Math.exp(estimate), low: Math.exp(low), high: Math.exp(high) };
}
