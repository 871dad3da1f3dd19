import type { Sample } from "@evenbench/results";
import type { CaseAnalysis, Comparison, Metric, RatioInterval } from "./analysis.ts";
import {
  type CountingTrials,
  countingTrials,
  LEAST_ROUNDS,
  LEAST_TRIALS,
  type Measured,
  scatterOfOthers,
} from "./counting-trials.ts";
import { type HierarchicalInterval, hierarchicalInterval } from "./hierarchical.ts";
import { trialsFor } from "./precision.ts";
import { median } from "./quantile.ts";
import { logRatios, seriesByTarget } from "./series.ts";
import { summariseTarget } from "./summarise-target.ts";
import { furthest, type Judgement, judge } from "./verdict.ts";
import type { WarmInstances } from "./warm-instances.ts";

/** More than a run of some hours has of a case. */
const MOST_TRIALS_NAMED = 500;

export interface CaseQuestion {
  readonly caseId: string;
  readonly metric: Metric;
  /** The target that the others are divided by. */
  readonly baseline: string;
  /** The baseline's A/A copy, for the control; null where there is none. */
  readonly copy: string | null;
  /** All targets to speak of, baseline and A/A copy among them or not. */
  readonly targets: readonly string[];
  /** The precision asked for, as a fraction. */
  readonly precision: number;
  /** Which instances were warm; without it, all count as warm. */
  readonly warm?: WarmInstances | undefined;
  /** Of the bootstrap: the same seed and samples give the same analysis. */
  readonly seed: number;
}

/**
 * Analyses one case in one metric: every target against the baseline, and the A/A copy against it as the
 * control. The order of the samples does not matter; warm-up and exchanges with errors are left out; a round
 * counts for a comparison when both sides have it, and a trial when those of both were warm. Where fewer than
 * half of the trials count, the ratio is that of all trials, and there is no verdict but "not warm".
 */
export function analyseCase(samples: Iterable<Sample>, question: CaseQuestion): CaseAnalysis {
  const measured = measure(samples, question);
  return analyse(question, measured, againstBaseline(measured, question));
}

function analyse(question: CaseQuestion, measured: Measured, counting: Counting): CaseAnalysis {
  const { caseId, metric, baseline, copy } = question;
  const others = othersOf(question);
  const compareWith = (target: string, control: RatioInterval | null) =>
    compare(question, measured, counting, target, control);
  const control = copy === null ? null : compareWith(copy, null);
  return {
    caseId,
    metric,
    baseline,
    summaries: question.targets.map((target) => summariseTarget({ caseId, metric, target }, measured)),
    comparisons: others.map((target) => compareWith(target, control?.ratio ?? null)),
    control,
    noiseFloor: control?.ratio ? furthest(control.ratio) : null,
  };
}

function measure(samples: Iterable<Sample>, { caseId, metric, warm, seed }: CaseQuestion): Measured {
  return { series: seriesByTarget(samples, caseId, metric), warm, seed };
}

/** The targets that are compared with the baseline. */
function othersOf({ targets, baseline, copy }: CaseQuestion): readonly string[] {
  return targets.filter((target) => target !== baseline && target !== copy);
}

/** The trials of every ratio to the baseline, the A/A copy's among them, by target. */
type Counting = ReadonlyMap<string, CountingTrials>;

function againstBaseline(measured: Measured, question: CaseQuestion): Counting {
  const { baseline, copy } = question;
  const compared = copy === null ? othersOf(question) : [copy, ...othersOf(question)];
  return new Map(compared.map((target) => [target, countingTrials(measured, target, baseline)]));
}

/** The ratio of two targets of which neither is the baseline. */
export interface PairRatio {
  readonly target: string;
  /** What it is divided by. */
  readonly by: string;
  /** 95 % interval; null with fewer than two trials that have both. */
  readonly ratio: RatioInterval | null;
}

/** A case in one metric, with the ratios among the targets that are compared with the baseline. */
export interface CaseWithPairs {
  readonly analysis: CaseAnalysis;
  /** Each pair once. There is no A/A control of any of them, so there is no verdict either. */
  readonly pairs: readonly PairRatio[];
}

/** As `analyseCase`, with these ratios. */
export function analyseWithPairs(samples: Iterable<Sample>, question: CaseQuestion): CaseWithPairs {
  const measured = measure(samples, question);
  const counting = againstBaseline(measured, question);
  return {
    analysis: analyse(question, measured, counting),
    pairs: pairRatios(question, measured, counting),
  };
}

function pairRatios(question: CaseQuestion, measured: Measured, counting: Counting): readonly PairRatio[] {
  const others = othersOf(question);
  const scatter = scatterOfOthers(counting, null);
  return others.flatMap((by, index) =>
    others.slice(index + 1).map((target) => {
      const ratio = intervalOf(countingTrials(measured, target, by), scatter);
      return { target, by, ratio: ratio === null ? null : ratioInterval(ratio) };
    }),
  );
}

function compare(
  question: CaseQuestion,
  measured: Measured,
  counting: Counting,
  target: string,
  control: RatioInterval | null,
): Comparison {
  const { caseId, metric, baseline, copy, precision } = question;
  const own = counting.get(target) as CountingTrials;
  const shell = {
    ...{ caseId, metric, target, baseline, trials: own.pairs.length },
    rounds: own.pairs.reduce((sum, pair) => sum + pair.target.length, 0),
    byTrial: own.pairs.map((pair) => Math.exp(median(logRatios(pair)))),
  };
  const scatter = scatterOfOthers(counting, target);
  const interval = intervalOf(own, scatter);
  if (interval === null) {
    return { ...shell, ...NO_RATIO, reason: notKnown(measured, shell) ?? tooFew(own, target, baseline) };
  }
  const toCopy = control === null || copy === null ? null : countingTrials(measured, target, copy);
  const ofCopy = toCopy === null ? null : intervalOf(toCopy, scatter);
  const ratio = ratioInterval(interval);
  const ratioToCopy = ofCopy === null ? null : ratioInterval(ofCopy);
  const isWithoutControl = copy !== null && target !== copy && control === null;
  const judged = isWithoutControl ? CONTROL_LOST : judge({ ratio, ratioToCopy, control }, precision);
  return {
    ...shell,
    ...(notWarm(own.cold ?? toCopy?.cold ?? null) ??
      withTrialsItTakes(judged, interval.scatter, question, shell.trials)),
    ratio,
    ratioToCopy,
    betweenInstances: interval.between,
    withinInstances: interval.within,
  };
}

/** null with too few trials. */
function intervalOf(
  { trials, random }: CountingTrials,
  others: readonly number[],
): HierarchicalInterval | null {
  return trials.length === 0 ? null : hierarchicalInterval(trials, random, others);
}

const NO_RATIO = {
  ratio: null,
  ratioToCopy: null,
  verdict: "cannot tell",
  betweenInstances: null,
  withinInstances: null,
} as const;

/** A copy was planned, and there is nothing of it: what noise alone can do is not known. */
const CONTROL_LOST: Judgement = {
  verdict: "cannot tell",
  reason: "The baseline's A/A copy was not measured often enough, so nothing says how large noise is here.",
};

/** Whose CPU time nobody accounts for, in a sentence; null where both are measured. */
function notKnown(
  { series }: Measured,
  { metric, target, baseline }: Pick<Comparison, "metric" | "target" | "baseline">,
): string | null {
  if (metric !== "cpuMs") return null;
  const isUnknown = (name: string) => series.get(name)?.trials.size === 0 && series.get(name)?.errors === 0;
  const unknown = [target, baseline].find(isUnknown);
  return unknown === undefined ? null : `Nobody accounts for the CPU time of ${unknown}.`;
}

function tooFew({ pairs }: CountingTrials, target: string, baseline: string): string {
  const found = pairs.length === 0 ? "No trial" : "Only one trial";
  const rounds = `${LEAST_ROUNDS} rounds in which both ${target} and ${baseline} answered without error`;
  return `${found} has ${rounds}; an interval needs ${LEAST_TRIALS} such trials. More time (--time) gives more.`;
}

/**
 * "More time" helps where some tens of trials would do; a reader is to know. Where there are enough already,
 * it is the control that is noisy.
 */
function withTrialsItTakes(
  { verdict, reason }: Judgement,
  scatter: number,
  { precision }: CaseQuestion,
  had: number,
): Judgement {
  if (verdict !== "cannot tell") return { verdict, reason };
  const trials = trialsFor(scatter, Math.log1p(precision), MOST_TRIALS_NAMED);
  if (trials !== null && trials <= had) return { verdict, reason };
  const number = trials === null ? `more than ${MOST_TRIALS_NAMED}` : `about ${trials}`;
  return {
    verdict,
    reason: `${reason} Its trials scatter so much that ±${Number((precision * 100).toFixed(2))} % takes ${number} of them.`,
  };
}

function notWarm(cold: string | null): Pick<Comparison, "verdict" | "reason"> | null {
  if (cold === null) return null;
  return {
    verdict: "not warm",
    reason: `Not warm in ${cold}.`,
  };
}

/** From logarithms. */
function ratioInterval({ estimate, low, high }: HierarchicalInterval): RatioInterval {
  return { estimate: Math.exp(estimate), low: Math.exp(low), high: Math.exp(high), level: 0.95 };
}
