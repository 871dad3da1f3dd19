import type { Metric, Sample } from "@evenbench/results";
import {
  type ColdTarget,
  type InstanceTimes,
  instanceCells,
  instancesOf,
  ROUNDS_FOR_TRIAL,
  timesOf,
} from "./cells.ts";
import {
  baselinesOf,
  type CellFit,
  type ComparedCells,
  cellsOf,
  compareCells,
  fitCells,
  nonBaselinesOf,
  type Question,
  ratiosByTrial,
  shownMs,
  type WhyUndecided,
  withoutResult,
} from "./compare.ts";
import { CONFIDENCE_LEVEL, geometricInterval, type Prior } from "./model.ts";
import { largest, mean, median, quantile, sorted, sum } from "./numbers.ts";
import { EQUIVALENCE_LEVEL, type IntervalEnds, isJudged, SAME_WITHIN, verdictOf } from "./verdict.ts";

/** A question about one metric of one case. */
export interface CaseQuestion extends Question {
  readonly caseId: string;
  /** Which time of a sample is compared. */
  readonly metric: Metric;
}

/**
 * The results of one target in one case, over all measured exchanges without error that count. Times are in
 * milliseconds.
 */
export interface TargetSummary {
  readonly caseId: string;
  readonly metric: Metric;
  readonly target: string;
  /** Number of exchanges that count: of trials in which it was warm, or of all where it has no verdict. */
  readonly exchanges: number;
  /** Number of measured exchanges that failed, in all trials. */
  readonly errors: number;
  /** Number of trials that count, as for `exchanges`. */
  readonly trials: number;
  /** Why it has no verdict; null where it was warm. */
  readonly notWarm: ColdTarget | null;
  /**
   * The target's level: the geometric mean of its trials' medians (of CPU time their means), moved so that levels and
   * ratios of a case agree. With too few rounds in each trial, the median of all; null without an exchange.
   */
  readonly medianMs: number | null;
  /** Lower end of the level's interval; null with fewer than two trials. */
  readonly medianLowMs: number | null;
  /** Upper end of the level's interval; null with fewer than two trials. */
  readonly medianHighMs: number | null;
  /**
   * The medians of its trials, of CPU time their means, moved together so that their geometric mean is `medianMs`;
   * empty where no trial has enough rounds.
   */
  readonly trialMs: readonly number[];
  /** 95th percentile of all exchanges; null with fewer than `EXCHANGES_FOR_P95` of them. */
  readonly p95Ms: number | null;
  /** 99th percentile of all exchanges; null with fewer than `EXCHANGES_FOR_P99` of them. */
  readonly p99Ms: number | null;
}

/**
 * The model that was fitted to a case's samples: the first of two steps, since the cases of a run say how certain each
 * other's variance is. It holds no samples, so that all cases of a run can be held at once.
 */
export interface CaseFit extends CellFit {
  readonly question: CaseQuestion;
  /** Summaries of the targets of the question, in its order. */
  readonly summaries: readonly TargetSummary[];
  /** Targets that answered without error, and whose time nobody knows. */
  readonly unknown: ReadonlySet<string>;
}

/** A target against its baseline in one case, for one metric. */
export interface Comparison extends Omit<ComparedCells, "pairs"> {
  readonly caseId: string;
  readonly metric: Metric;
  readonly target: string;
  /** Name of the target that it is divided by; where that has a copy, the mean of both is used. */
  readonly baseline: string;
  /** Number of trials in which both sides were measured. */
  readonly trials: number;
  /** Number of the target's measured rounds in these trials. */
  readonly rounds: number;
  /** The ratio of each of these trials alone, in their order. */
  readonly byTrial: readonly number[];
}

/** The analysis of one metric of one case. */
export interface CaseAnalysis {
  readonly caseId: string;
  readonly metric: Metric;
  /** Name of the target that the others are compared with. */
  readonly baseline: string;
  /** Summaries of the targets of the question, in its order. */
  readonly summaries: readonly TargetSummary[];
  /** Comparisons of the targets but the baseline and its copy; empty where nothing is compared. */
  readonly comparisons: readonly Comparison[];
  /** The copy against the baseline; null without one, where nothing is compared, or with another baseline. */
  readonly control: Comparison | null;
  /** True where the control differs by more than what is called the same: see `controlLevel`. */
  readonly isControlBroken: boolean;
}

/** How a fit is analysed, where it is not analysed as usual. */
export interface AnalysisOptions {
  /**
   * Another target that the others are compared with, in the place of the usual baseline. Then there is no control, and
   * the usual baseline, as the mean of both copies, is one of those that are compared.
   */
  readonly baseline?: string | undefined;
  /** Number of the run's controls: see `countControls`. Default: this one alone. */
  readonly controls?: number | undefined;
}

/** Counts the A/A controls by which verdicts of a run may fall: by time to the last byte, and by CPU time. */
export function countControls(fits: readonly Pick<CaseFit, "question">[]): number {
  return fits.filter(({ question }) => question.copy !== null && question.metric !== "firstByteMs").length;
}

/** Gives the level of a control's interval at which all of a run's controls are wrong in 1 of 100 runs (Bonferroni). */
export function controlLevel(controls: number): number {
  return 1 - (1 - CONFIDENCE_LEVEL) / Math.max(1, controls);
}

/** Fits the model to one metric of one case. @param samples of the run; those of other cases are left out. */
export function fitCase(samples: readonly Sample[], question: CaseQuestion): CaseFit {
  const { caseId, metric } = question;
  const measured = instancesOf(samples, caseId, metric);
  const names = [...new Set([...baselinesOf(question), ...question.targets])];
  const unaccounted = new Set(measured.filter(isUnaccounted).map(({ target }) => target));
  const instances = measured.filter(({ target }) => !unaccounted.has(target));
  // What is paid of CPU time is the sum of all requests.
  const level = metric === "cpuMs" ? "mean" : "middle";
  const fitted = fitCells(instanceCells(instances, names, { warm: question.warm, level }), question);
  const counts = countMeasured(samples, question);
  const unknown = names.filter(
    (name) => unaccounted.has(name) || isTimeUnknown(counts.get(name) ?? NOTHING_MEASURED),
  );
  const summaries = question.targets.map((target) => {
    const ofTarget = instances.filter((instance) => instance.target === target);
    const { errors } = counts.get(target) ?? NOTHING_MEASURED;
    return summariseTarget(fitted, question, target, ofTarget, errors);
  });
  return { ...fitted, question, summaries, unknown: new Set(unknown) };
}

/** Tells whether an account stayed at 0 over a whole trial: its clock is too coarse, or it is another process's. */
function isUnaccounted({ rounds }: InstanceTimes): boolean {
  return rounds.size >= ROUNDS_FOR_TRIAL && largest(rounds.values()) === 0;
}

interface MeasuredCounts {
  /** Number of those that failed. */
  errors: number;
  /** Number of those that did not fail. */
  answers: number;
  /** Number of the answers whose time is known. */
  timed: number;
}

const NOTHING_MEASURED: Readonly<MeasuredCounts> = { errors: 0, answers: 0, timed: 0 };

function countMeasured(
  samples: readonly Sample[],
  { caseId, metric }: CaseQuestion,
): ReadonlyMap<string, Readonly<MeasuredCounts>> {
  const counts = new Map<string, MeasuredCounts>();
  for (const sample of samples) {
    const { target } = sample;
    if (sample.caseId !== caseId || sample.phase !== "measure") {
      continue;
    }
    let ofTarget = counts.get(target);
    if (ofTarget === undefined) {
      ofTarget = { ...NOTHING_MEASURED };
      counts.set(target, ofTarget);
    }
    if (sample.error !== null) {
      ofTarget.errors += 1;
    } else {
      ofTarget.answers += 1;
      ofTarget.timed += sample[metric] === null ? 0 : 1;
    }
  }
  return counts;
}

/** Tells whether a target answered, always without error, and no answer has a time. */
function isTimeUnknown({ errors, answers, timed }: Readonly<MeasuredCounts>): boolean {
  return answers > 0 && errors === 0 && timed === 0;
}

/** Number of exchanges from which on there is a 95th percentile: five of them are longer. */
export const EXCHANGES_FOR_P95 = 100;
/** Number of exchanges from which on there is a 99th percentile: five of them are longer, too. */
export const EXCHANGES_FOR_P99 = 500;

function summariseTarget(
  fitted: CellFit,
  { caseId, metric }: CaseQuestion,
  target: string,
  instances: readonly InstanceTimes[],
  errors: number,
): TargetSummary {
  const cells = cellsOf(fitted, target);
  const counting = instances.filter(({ trial }) => cells.some(({ block }) => block === trial));
  const kept = counting.length === 0 ? instances : counting;
  const times = sorted(timesOf(kept));
  const isKnown = times.length > 0;
  // The baseline's level is that of both copies, and any other's that times its ratio: times and ratios agree.
  const ofAll = metric === "cpuMs" ? mean : median;
  const level = isKnown ? (shownMs(fitted, target) ?? ofAll(times)) : null;
  const shift = Math.log(level ?? 1) - mean(cells.map(({ logMs }) => logMs));
  const logs = cells.map(({ logMs }) => logMs + shift);
  const interval = geometricInterval(logs);
  return {
    caseId,
    metric,
    target,
    exchanges: times.length,
    errors,
    trials: kept.length,
    notWarm: fitted.cold.get(target) ?? null,
    medianMs: level,
    medianLowMs: interval?.low ?? null,
    medianHighMs: interval?.high ?? null,
    trialMs: logs.map(Math.exp),
    p95Ms: times.length >= EXCHANGES_FOR_P95 ? quantile(times, 0.95) : null,
    p99Ms: times.length >= EXCHANGES_FOR_P99 ? quantile(times, 0.99) : null,
  };
}

/**
 * Compares every target with the mean of the baseline and its copy, and these with each other as the control. By CPU
 * time nothing is decided where that shows a difference.
 *
 * @param prior what all cases of the run say of the variance. Default: nothing.
 */
export function analyseFit(
  fitted: CaseFit,
  prior?: Prior,
  { baseline = fitted.question.baseline, controls = 1 }: AnalysisOptions = {},
): CaseAnalysis {
  const { question, summaries } = fitted;
  const head = { caseId: question.caseId, metric: question.metric, baseline, summaries };
  const withoutControl = { control: null, isControlBroken: false };
  if (question.compares === false) {
    return { ...head, comparisons: [], ...withoutControl };
  }
  if (!baselinesOf(question).includes(baseline)) {
    return { ...head, comparisons: compareWithOther(fitted, prior, baseline), ...withoutControl };
  }
  const control = controlOf(fitted, prior, baseline);
  const isBroken = isControlBroken(fitted, prior, controls);
  const isTrusted = question.metric !== "cpuMs" || !isBroken;
  const comparisons = nonBaselinesOf(question).map((target) => {
    const compared = comparedOrMissing(fitted, target, baselinesOf(question), prior);
    const comparison = comparisonOf(fitted, target, baseline, compared);
    return isTrusted ? comparison : withheld(comparison);
  });
  return { ...head, comparisons, control, isControlBroken: isBroken };
}

/**
 * Tells whether the baseline differs from its own copy by more than what is called the same: the whole interval at
 * `controlLevel` lies further than `SAME_WITHIN` from 1. A smaller difference could withhold no verdict that is larger.
 * false without a copy, or without an interval.
 */
export function isControlBroken(fitted: CaseFit, prior: Prior | undefined, controls: number): boolean {
  const { baseline, copy } = fitted.question;
  if (copy === null) {
    return false;
  }
  const confidence = { difference: controlLevel(controls), equivalence: EQUIVALENCE_LEVEL };
  const { ratio, verdict } = compareCells(fitted, copy, { by: [baseline], prior, confidence });
  if (ratio === null || !isJudged(verdict)) {
    return false;
  }
  return ratio.low > 1 + SAME_WITHIN || ratio.high < 1 / (1 + SAME_WITHIN);
}

/**
 * Withholds the verdict by CPU time whose A/A control is broken: CPU time is asked where time has no answer, so nothing
 * else would say it. A verdict on time stays: its interval contains what instances differ by.
 */
function withheld(comparison: Comparison): Comparison {
  const { ratio, verdict } = comparison;
  return ratio === null || !isJudged(verdict)
    ? comparison
    : { ...comparison, verdict: "withheld", why: "copy-differs" };
}

/** Compares the copy with the baseline; null without a copy. */
function controlOf(fitted: CaseFit, prior: Prior | undefined, baseline: string): Comparison | null {
  const { copy } = fitted.question;
  if (copy === null) {
    return null;
  }
  return comparisonOf(fitted, copy, baseline, comparedOrMissing(fitted, copy, [baseline], prior));
}

/** Compares with a target that is neither the usual baseline nor its copy: first the usual baseline, then the others. */
function compareWithOther(
  fitted: CaseFit,
  prior: Prior | undefined,
  baseline: string,
): readonly Comparison[] {
  const { question } = fitted;
  // The usual baseline is the mean of two targets: it can only be divided by, and the ratio is turned round.
  const usual = comparedOrMissing(fitted, baseline, baselinesOf(question), prior);
  const ofUsual = comparisonOf(fitted, baseline, baseline, inverse(usual));
  const byTrial = ofUsual.byTrial.map((ratio) => 1 / ratio);
  const others = nonBaselinesOf(question).filter((target) => target !== baseline);
  return [
    { ...ofUsual, target: question.baseline, byTrial },
    ...others.map((target) =>
      comparisonOf(fitted, target, baseline, comparedOrMissing(fitted, target, [baseline], prior)),
    ),
  ];
}

/** Turns a ratio round, and judges it anew. What is said of the instances holds for both directions. */
function inverse(compared: ComparedCells): ComparedCells {
  if (compared.ratio === null || compared.equivalence === null) {
    return compared;
  }
  const ratio = { estimate: 1 / compared.ratio.estimate, ...inverseEnds(compared.ratio) };
  const equivalence = inverseEnds(compared.equivalence);
  if (!isJudged(compared.verdict)) {
    return { ...compared, ratio, equivalence };
  }
  return { ...compared, ratio, equivalence, verdict: verdictOf(ratio, equivalence) };
}

function inverseEnds({ low, high }: IntervalEnds): IntervalEnds {
  return { low: 1 / high, high: 1 / low };
}

/** @returns "no result" where a side has no measured answer. */
function comparedOrMissing(
  fitted: CaseFit,
  target: string,
  by: readonly string[],
  prior: Prior | undefined,
): ComparedCells {
  const missing = whyNotComparable(fitted, target, by);
  return missing === null ? compareCells(fitted, target, { by, prior }) : withoutResult(missing);
}

function comparisonOf(
  fitted: CaseFit,
  target: string,
  baseline: string,
  { pairs, ...judged }: ComparedCells,
): Comparison {
  return {
    caseId: fitted.question.caseId,
    metric: fitted.question.metric,
    target,
    baseline,
    ...judged,
    trials: pairs.length,
    rounds: sum(pairs.map(({ cell }) => cell.rounds)),
    byTrial: ratiosByTrial(pairs),
  };
}

/** Why there is nothing to compare: a side without one measured answer; null where both sides have some. */
function whyNotComparable(fitted: CaseFit, target: string, by: readonly string[]): WhyUndecided | null {
  const missing = sideWithoutAnswer(fitted, target, by);
  if (missing === null) {
    return null;
  }
  const isUnknown = fitted.question.metric === "cpuMs" && fitted.unknown.has(missing);
  return isUnknown ? "not-measured" : "no-answer";
}

/** Finds the side without an answer: the target, or the first that it is divided by where none has one; null else. */
function sideWithoutAnswer({ summaries }: CaseFit, target: string, by: readonly string[]): string | null {
  const hasAnswer = (name: string): boolean =>
    summaries.some((summary) => summary.target === name && summary.exchanges > 0);
  if (!hasAnswer(target)) {
    return target;
  }
  if (by.some(hasAnswer)) {
    return null;
  }
  return by[0] ?? null;
}
