import type { Sample } from "@evenbench/results";
import {
  byInstance,
  type ColdTarget,
  coldTargets,
  type InstanceCell,
  instanceCells,
  type RoundValue,
  TRIALS_FOR_INTERVAL,
} from "./cells.ts";
import {
  CONFIDENCE_LEVEL,
  exponentiate,
  fitTwoWay,
  type IntervalOptions,
  intervalOf,
  type Prior,
  priorOf,
  type ScatteredCase,
  type Spread,
  type TwoWayFit,
} from "./model.ts";
import { mean } from "./numbers.ts";
import {
  EQUIVALENCE_LEVEL,
  endsOf,
  type IntervalEnds,
  type RatioInterval,
  type Verdict,
  verdictOf,
} from "./verdict.ts";
import type { WarmInstances } from "./warmth.ts";

/** The targets that are compared, and what is known of them beside their times. */
export interface Question {
  /** Name of the target that the others are divided by. */
  readonly baseline: string;
  /** Name of the baseline's A/A copy, with which it is divided by the mean of both; null without one. */
  readonly copy: string | null;
  /** Names of all targets, the baseline and its copy among them. */
  readonly targets: readonly string[];
  /** Which instances were warm. Without it, all count as warm. */
  readonly warm?: WarmInstances | undefined;
  /** Standard deviation between the case's instances that was known before, as a fraction. */
  readonly scatter?: number | undefined;
  /** Targets that are one process for the whole run: their trials are no fresh instances. */
  readonly lasting?: ReadonlySet<string> | undefined;
  /** Targets that were dropped while they were measured: they have no verdict, and nothing is divided by them. */
  readonly dropped?: ReadonlySet<string> | undefined;
  /** false in a smoke test, where times are shown and nothing is compared. Default: true. */
  readonly compares?: boolean | undefined;
}

/** The names of the baseline and, where there is one, its copy. */
export function baselinesOf({ baseline, copy }: Question): readonly string[] {
  return copy === null ? [baseline] : [baseline, copy];
}

/** The names of the targets that are neither the baseline nor its copy. */
export function nonBaselinesOf(question: Question): readonly string[] {
  const baselines = baselinesOf(question);
  return question.targets.filter((target) => !baselines.includes(target));
}

/** A case's instances with the model that was fitted to them. What other cases say of the variance is not in it yet. */
export interface CellFit extends ScatteredCase {
  readonly question: Question;
  /** All instances with enough rounds, warm or not. */
  readonly cells: readonly InstanceCell[];
  /** The targets that were not warm, and why. */
  readonly cold: ReadonlyMap<string, ColdTarget>;
  /** The fit of the warm instances of warm targets. */
  readonly fit: TwoWayFit;
  /** The fit of all instances, for comparisons of targets that were not warm. */
  readonly fitOfAll: TwoWayFit;
  /** Variance of warm, fresh instances in squared log units; null where they cannot tell. */
  readonly freshVariance: number | null;
}

/** Fits the model to a case's instances. */
export function fitCells(cells: readonly InstanceCell[], question: Question): CellFit {
  const cold = coldTargets(cells);
  const warmCells = cells.filter((cell) => cell.cold === null && !cold.has(cell.target));
  const freshCells = warmCells.filter(({ target }) => !question.lasting?.has(target));
  return {
    question,
    scatter: question.scatter,
    cells,
    cold,
    fit: fitTwoWay(warmCells),
    fitOfAll: fitTwoWay(cells),
    freshVariance: knownVariance(fitTwoWay(freshCells)),
  };
}

function knownVariance({ freedom, variance }: Spread): number | null {
  return freedom > 0 ? variance : null;
}

/** Fits the model to values that are not samples, one round an instance or more, without those that are not above 0. */
export function fitValues(values: readonly RoundValue[], question: Question): CellFit {
  const instances = byInstance(values.filter(({ ms }) => ms > 0));
  const targets = new Set(instances.map(({ target }) => target));
  return fitCells(
    instanceCells(instances, [...targets], { warm: question.warm, minimumRounds: 1 }),
    question,
  );
}

/** Gives the cells that stand for a target: its warm ones, or all where it has no verdict. */
export function cellsOf({ cells, cold }: CellFit, target: string): readonly InstanceCell[] {
  return cells.filter((cell) => cell.target === target && (cell.cold === null || cold.has(target)));
}

/** A trial's cell of the target, with the cells of the same trial that it is divided by. */
export interface CellPair {
  readonly cell: InstanceCell;
  /** The baseline's cell, its copy's, or both. */
  readonly others: readonly InstanceCell[];
}

/** The degrees of freedom of an interval. */
export interface IntervalFreedom {
  /** Degrees of freedom of the case's own variance. */
  readonly own: number;
  /** Degrees of freedom of what all cases of the run say of that variance; 0 where they say nothing. */
  readonly prior: number;
}

/** The result of dividing a target's instances by others. */
export interface ComparedCells {
  /** target / others; null where there are too few trials, or one side has no result. */
  readonly ratio: RatioInterval | null;
  /** The ends of the ratio's narrower interval, by which sameness is judged; null where there is no ratio. */
  readonly equivalence: IntervalEnds | null;
  /** The degrees of freedom that the intervals were made with; null where there is no ratio. */
  readonly freedom: IntervalFreedom | null;
  /** The trials that both sides have, ascending. */
  readonly pairs: readonly CellPair[];
  readonly verdict: Verdict;
  /** Why there is no verdict, or no interval; null where both are there. */
  readonly why: WhyUndecided | null;
}

/** Why a comparison has no verdict, or no interval. */
export type WhyUndecided =
  | "few-trials" // fewer than `TRIALS_FOR_INTERVAL` count on both sides
  | "scattered" // trials differ too much for an interval
  | "not-warm"
  | "no-answer" // a side has no measured answer
  | "not-measured" // its time is not known
  | "dropped" // a side was dropped while it was measured
  | "copy-differs"; // CPU time alone: the baseline differs from its own copy

/** How a comparison is made, where it is not made as usual. */
export interface CellComparisonOptions {
  /** Names of the targets that it is divided by. Default: the baseline and its copy. */
  readonly by?: readonly string[] | undefined;
  /** Prior of the variance, from all cases of the run. Default: none. */
  readonly prior?: Prior | undefined;
  /** Confidence levels of the intervals. Default: `VERDICT_CONFIDENCE`. */
  readonly confidence?: Confidence | undefined;
}

/** The confidence levels that a comparison is judged at. */
export interface Confidence {
  /** Level of the interval that is shown, and that a difference is judged by. */
  readonly difference: number;
  /** Level of the interval that sameness is judged by. */
  readonly equivalence: number;
}

/** The levels of every verdict that is reported. */
export const VERDICT_CONFIDENCE: Confidence = {
  difference: CONFIDENCE_LEVEL,
  equivalence: EQUIVALENCE_LEVEL,
};

/**
 * Compares a target's instances with others'. All comparisons of instances are made here.
 *
 * @returns "no result" where the target, or all that it is divided by, was dropped.
 */
export function compareCells(
  fitted: CellFit,
  target: string,
  options: CellComparisonOptions = {},
): ComparedCells {
  const by = options.by ?? baselinesOf(fitted.question);
  const isDropped = (name: string): boolean => fitted.question.dropped?.has(name) === true;
  if (isDropped(target)) {
    return withoutResult("dropped");
  }
  const whole = by.filter((name) => !isDropped(name));
  if (whole.length === 0) {
    return withoutResult("dropped");
  }
  const sides = cellsForComparison(fitted, target, whole);
  const pairs = pairsOf(sides, target);
  const intervals = intervalsOf(fitted, sides, target, options);
  const { ratio, equivalence } = intervals;
  if (sides.isCold) {
    return { ...intervals, pairs, verdict: "not warm", why: "not-warm" };
  }
  if (ratio === null || equivalence === null) {
    const why = pairs.length < TRIALS_FOR_INTERVAL ? "few-trials" : "scattered";
    return { ...NO_INTERVALS, pairs, verdict: "unclear", why };
  }
  return { ...intervals, pairs, verdict: verdictOf(ratio, equivalence), why: null };
}

/** Makes the result of a comparison of which one side has nothing that could be compared. */
export function withoutResult(why: WhyUndecided): ComparedCells {
  return { ...NO_INTERVALS, pairs: [], verdict: "no result", why };
}

/** The intervals of a ratio, both there or both null. */
type RatioIntervals = Pick<ComparedCells, "ratio" | "equivalence" | "freedom">;

const NO_INTERVALS: RatioIntervals = { ratio: null, equivalence: null, freedom: null };

interface ComparedSides {
  readonly fit: TwoWayFit;
  /** Instances of all targets. */
  readonly cells: readonly InstanceCell[];
  /** Names of the targets that it is divided by. */
  readonly bases: readonly string[];
  /** True where a side was not warm. */
  readonly isCold: boolean;
}

/** Chooses the instances to compare: all, where the target, or all that it is divided by, was not warm; else warm ones. */
function cellsForComparison(fitted: CellFit, target: string, by: readonly string[]): ComparedSides {
  const { cells, cold } = fitted;
  const enough = by.filter((name) => countCells(cells, name) >= TRIALS_FOR_INTERVAL);
  // A copy that failed early takes no verdict away.
  const measured = enough.length > 0 ? enough : by.filter((name) => countCells(cells, name) > 0);
  const warm = measured.filter((name) => !cold.has(name));
  const hasColdBases = warm.length === 0 && cold.has(by[0] ?? "");
  if (cold.has(target) || hasColdBases) {
    return { fit: fitted.fitOfAll, cells, bases: measured, isCold: true };
  }
  return { fit: fitted.fit, cells: cells.filter((cell) => cell.cold === null), bases: warm, isCold: false };
}

function countCells(cells: readonly InstanceCell[], target: string): number {
  return cells.filter((cell) => cell.target === target).length;
}

/** Pairs each of the target's cells with those of the same trial that it is divided by. */
function pairsOf({ cells, bases }: ComparedSides, target: string): readonly CellPair[] {
  const pairs: CellPair[] = [];
  for (const trial of Map.groupBy(cells, ({ block }) => block).values()) {
    const cell = trial.find((candidate) => candidate.target === target);
    const others = trial.filter((candidate) => bases.includes(candidate.target));
    if (cell !== undefined && others.length > 0) {
      pairs.push({ cell, others });
    }
  }
  return pairs.sort((a, b) => a.cell.block - b.cell.block);
}

/** Gives the ratio of each trial alone: the target's cell by the mean of those that it is divided by. */
export function ratiosByTrial(pairs: readonly CellPair[]): readonly number[] {
  return pairs.map(({ cell, others }) => Math.exp(cell.value - mean(others.map(({ value }) => value))));
}

/** @returns none where a side has too few trials, or no chain of trials joins both. */
function intervalsOf(
  fitted: CellFit,
  { fit, cells, bases }: ComparedSides,
  target: string,
  { prior, confidence = VERDICT_CONFIDENCE }: CellComparisonOptions,
): RatioIntervals {
  const isEnough = [target, ...bases].every((name) => countCells(cells, name) >= TRIALS_FOR_INTERVAL);
  if (bases.length === 0 || !isEnough) {
    return NO_INTERVALS;
  }
  const difference = fit.difference([target], bases);
  if (difference === null) {
    return NO_INTERVALS;
  }
  const options: IntervalOptions = {
    prior: prior && priorOf(fitted, prior),
    addedVariance: varianceOfLasting(fitted, target, bases),
  };
  const at = (level: number): RatioInterval | null =>
    exponentiate(intervalOf(difference, fit, { ...options, level }));
  const ratio = at(confidence.difference);
  if (ratio === null) {
    return NO_INTERVALS;
  }
  return {
    ratio,
    equivalence: endsOf(at(confidence.equivalence)),
    freedom: { own: fit.freedom, prior: options.prior?.freedom ?? 0 },
  };
}

/**
 * The time that is shown for a target, in milliseconds: the baseline's level, which is that of both copies, times the
 * target's ratio to it, so that shown times and ratios agree.
 *
 * @returns null where nothing was measured.
 */
export function shownMs(fitted: CellFit, target: string): number | null {
  const by = baselinesOf(fitted.question);
  const base = cellsForComparison(fitted, fitted.question.baseline, by);
  const level = mean(base.bases.map((name) => levelIn(base.cells, name)));
  if (target === fitted.question.baseline && base.bases.length > 0) {
    return Math.exp(level);
  }
  const { cells, bases, fit } = cellsForComparison(fitted, target, by);
  const difference = bases.length === 0 ? null : fit.difference([target], bases);
  const shown = difference === null ? levelIn(cells, target) : level + difference.estimate;
  return Number.isNaN(shown) ? null : Math.exp(shown);
}

/** The mean of a target's logarithms, in log milliseconds; NaN where it has no cell. */
function levelIn(cells: readonly InstanceCell[], name: string): number {
  return mean(cells.filter(({ target }) => target === name).map((cell) => cell.logMs));
}

/** Finds servers that ran already ("url") and answered as one process in all trials: `Question.lasting`. */
export function oneProcessTargets(
  targets: readonly { readonly name: string; readonly place: string }[],
  samples: readonly Sample[],
): ReadonlySet<string> {
  const isOneProcess = (name: string): boolean => {
    const answered = samples.filter(({ target, error }) => target === name && error === null);
    return new Set(answered.map(({ instanceId }) => instanceId)).size <= 1;
  };
  const running = targets.filter(({ place }) => place === "url").map(({ name }) => name);
  return new Set(running.filter(isOneProcess));
}

/**
 * Standard deviation between fresh processes of one server, as a fraction, where no fresh targets of the run
 * tell: four times that of nine pairs of plain servers. Heavy pages differ more.
 */
const DEFAULT_INSTANCE_SD = 0.01;

/**
 * Variance that the trials of a lasting target cannot show, in squared log units: they are one process, faster or
 * slower for its whole life, so that what fresh ones differ by is added.
 */
function varianceOfLasting(
  { question, freshVariance }: CellFit,
  target: string,
  bases: readonly string[],
): number {
  const isLasting = (name: string): boolean => question.lasting?.has(name) === true;
  // A copy of a lasting target is the same process.
  const sides = Number(isLasting(target)) + Number(bases.some(isLasting));
  return sides === 0 ? 0 : sides * (freshVariance ?? DEFAULT_INSTANCE_SD ** 2);
}
