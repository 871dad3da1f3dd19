import type { Metric, Sample } from "@evenbench/results";
import {
  type InstanceTimes,
  instanceCells,
  instancesOf,
  ROUNDS_FOR_TRIAL,
  TRIALS_FOR_INTERVAL,
} from "./cells.ts";
import {
  baselinesOf,
  type CellFit,
  cellsOf,
  compare,
  fitCells,
  nonBaselinesOf,
  type Question,
  shownMs,
  withoutResult,
} from "./compare.ts";
import { geometricInterval, type Prior, priorOfCases } from "./model.ts";
import { mean, median, quantile, sorted, sum } from "./numbers.ts";
import { furthest, isJudged, type RatioInterval, SAME_WITHIN, verdictOf } from "./verdict.ts";

export interface CaseQuestion extends Question {
  readonly caseId: string;
  readonly metric: Metric;
}

export type CaseAnalysis = ReturnType<typeof analyseFit>;
export type Comparison = CaseAnalysis["comparisons"][number];
/** Small, so that all cases of a run can be held at once. */
export type CaseFit = ReturnType<typeof fitCase>;

export function fitCase(samples: readonly Sample[], question: CaseQuestion) {
  const { caseId, metric } = question;
  const instances = instancesOf(samples, caseId, metric);
  const names = [...new Set([...baselinesOf(question), ...question.targets])];
  const fitted = fitCells(instanceCells(instances, names, question.warm), question);
  const measured = samples.filter((sample) => sample.caseId === caseId && sample.phase === "measure");
  const seenOf = (name: string) => {
    const all = measured.filter(({ target }) => target === name);
    return {
      instances: instances.filter(({ target }) => target === name),
      errors: all.filter(({ error }) => error !== null).length,
      isUnknown: all.length > 0 && all.every((sample) => sample.error === null && sample[metric] === null),
    };
  };
  return {
    ...fitted,
    question,
    summaries: question.targets.map((target) => summarise(fitted, question, target, seenOf(target))),
    /** Answered without error, and nobody knows the time. */
    unknown: new Set(names.filter((name) => seenOf(name).isUnknown)),
  };
}

/**
 * Every target against the mean of the baseline and its copy, and the copy against the baseline as the control. Of the same
 * instances, with another target in the baseline's place, there is no control.
 */
export function analyseFit(fitted: CaseFit, prior?: Prior, baseline = fitted.question.baseline) {
  const { caseId, metric, copy } = fitted.question;
  const told = (target: string, by: readonly string[]) => {
    const missing = whatIsMissing(fitted, target, by);
    const { ratio, verdict, reason, pairs } =
      missing === null ? compare(fitted, target, by, prior) : withoutResult(missing);
    return {
      caseId,
      metric,
      target,
      baseline,
      ratio,
      verdict,
      trials: pairs.length,
      reason: reason ?? tooLittle(fitted, target, pairs.length),
      rounds: sum(pairs.map(({ cell }) => cell.rounds)),
      byTrial: pairs.map(({ cell, others }) => Math.exp(cell.value - mean(others.map(({ value }) => value)))),
    };
  };
  if (fitted.question.compares === false) {
    const nothing = { comparisons: [], control: null, noiseFloor: null };
    return { caseId, metric, baseline, summaries: fitted.summaries, ...nothing };
  }
  const bases = baselinesOf(fitted.question);
  const others = nonBaselinesOf(fitted.question);
  const isUsual = bases.includes(baseline);
  const control = copy === null || !isUsual ? null : told(copy, [baseline]);
  const among = others.filter((target) => target !== baseline).map((target) => told(target, [baseline]));
  return {
    caseId,
    metric,
    baseline,
    control,
    summaries: fitted.summaries,
    comparisons: isUsual
      ? others.map((target) => told(target, bases))
      : [inverse(told(baseline, bases), fitted.question.baseline), ...among],
    /** The largest deviation from 1 that the control's interval allows, as a fraction. It decides nothing. */
    noiseFloor: control?.ratio ? furthest(control.ratio) : null,
  };
}

/** The baseline with its copy against one of the others. */
function inverse<
  Compared extends ReturnType<typeof verdictOf> & {
    readonly ratio: RatioInterval | null;
    readonly byTrial: readonly number[];
  },
>(comparison: Compared, target: string): Compared {
  const byTrial = comparison.byTrial.map((ratio) => 1 / ratio);
  if (comparison.ratio === null) {
    return { ...comparison, target, byTrial };
  }
  const { estimate, low, high } = comparison.ratio;
  const ratio = { estimate: 1 / estimate, low: 1 / high, high: 1 / low };
  if (!isJudged(comparison.verdict)) {
    return { ...comparison, target, ratio, byTrial };
  }
  const judged = verdictOf(ratio);
  // What else is said of the instances stays.
  const reason = comparison.reason.replace(verdictOf(comparison.ratio).reason, judged.reason);
  return { ...comparison, target, ratio, byTrial, ...judged, reason };
}

/** Looks by which a case may end early are many: each asks for more than a verdict does (docs/coverage.md). */
export const STOP_CONFIDENCE_LEVEL = 0.999;

/**
 * The targets of each case that need more trials: what is not decided at `STOP_LEVEL`; or what has no interval as narrow as
 * the precision (a fraction) that was asked for. That looks at widths alone, so that ending there favours no verdict.
 */
export function openTargets(
  cases: readonly CaseFit[],
  precision: number | null = null,
): readonly (readonly string[])[] {
  const prior = priorOfCases(cases);
  const isOpen = ({ ratio, verdict }: ReturnType<typeof compare>) => {
    if (ratio === null || !isJudged(verdict)) {
      return true;
    }
    const { estimate, low, high } = ratio;
    if (precision === null) {
      return verdict === "inconclusive";
    }
    return Math.max(high / estimate - 1, 1 - low / estimate) > precision;
  };
  return cases.map((fitted) => {
    const { baseline, copy } = fitted.question;
    const control = precision === null || copy === null ? [] : [copy];
    const level = precision === null ? STOP_CONFIDENCE_LEVEL : undefined;
    return [
      ...nonBaselinesOf(fitted.question).filter((target) =>
        isOpen(compare(fitted, target, undefined, prior, level)),
      ),
      ...control.filter((target) => isOpen(compare(fitted, target, [baseline], prior))),
    ];
  });
}

/**
 * About how many more trials decide the next comparison of each case that is open: an interval narrows with the root of
 * their number. Infinity where all are decided. One that is not warm is worth another trial.
 */
export function trialsToNext(cases: readonly CaseFit[]): readonly number[] {
  const prior = priorOfCases(cases);
  return cases.map((fitted) =>
    Math.min(
      ...nonBaselinesOf(fitted.question).map((target) => {
        const { ratio, verdict, pairs } = compare(fitted, target, undefined, prior);
        if (ratio === null || !isJudged(verdict)) {
          return 1;
        }
        if (verdict !== "inconclusive") {
          return Number.POSITIVE_INFINITY;
        }
        const distance = Math.abs(Math.log(ratio.estimate));
        const enough = Math.max(distance, Math.log1p(SAME_WITHIN) - distance);
        return pairs.length * ((Math.log(ratio.high / ratio.low) / 2 / enough) ** 2 - 1);
      }),
    ),
  );
}

/** Why there is nothing to compare: a side without one measured answer; null where both sides have some. */
function whatIsMissing(
  { question: { metric }, summaries, unknown }: CaseFit,
  target: string,
  by: readonly string[],
): string | null {
  const hasNone = (name: string) =>
    (summaries.find((summary) => summary.target === name)?.exchanges ?? 0) === 0;
  const missing = hasNone(target) ? target : by.every(hasNone) ? by[0] : undefined;
  if (missing === undefined) {
    return null;
  }
  if (metric === "cpuMs" && unknown.has(missing)) {
    return `No CPU time is known of ${missing}.`;
  }
  return `${missing} gave no measured answer.`;
}

function tooLittle({ question }: CaseFit, target: string, trials: number): string {
  const { baseline } = question;
  if (trials >= TRIALS_FOR_INTERVAL) {
    return `Its ${trials} trials differ too much for an interval. More trials (--trials) narrow it.`;
  }
  const found = trials === 0 ? "No trial has" : "Only one trial has";
  return `${found} ${ROUNDS_FOR_TRIAL} rounds in which both ${target} and ${baseline} answered without error; an interval needs ${TRIALS_FOR_INTERVAL} such trials. More time (--time) gives more.`;
}

/** What one target did, over all measured exchanges without error that count. Milliseconds. */
function summarise(
  fitted: CellFit,
  { caseId, metric }: CaseQuestion,
  target: string,
  { instances, errors }: { readonly instances: readonly InstanceTimes[]; readonly errors: number },
) {
  const cells = cellsOf(fitted, target);
  const counting = instances.filter(({ trial }) => cells.some(({ block }) => block === trial));
  const kept = counting.length === 0 ? instances : counting;
  const times = sorted(kept.flatMap(({ rounds }) => [...rounds.values()]));
  const isKnown = times.length > 0;
  // The baseline's level is that of both copies, and any other's that times its ratio: times and ratios agree.
  const level = isKnown ? (shownMs(fitted, target) ?? median(times)) : null;
  const shift = Math.log(level ?? 1) - mean(cells.map(({ logMs }) => logMs));
  const logs = cells.map(({ logMs }) => logMs + shift);
  const interval = geometricInterval(logs);
  return {
    caseId,
    metric,
    target,
    exchanges: times.length,
    errors,
    /** Those in which it was warm. */
    trials: kept.length,
    /** Why it has no verdict. */
    notWarm: fitted.cold.get(target) ?? null,
    medianMs: level,
    medianLowMs: interval?.low ?? null,
    medianHighMs: interval?.high ?? null,
    /** Its trials' medians, moved together so that their geometric mean is `medianMs`. */
    trialMs: logs.map(Math.exp),
    meanMs: isKnown ? mean(times) : null,
    p95Ms: isKnown ? quantile(times, 0.95) : null,
    p99Ms: isKnown ? quantile(times, 0.99) : null,
    minimumMs: times[0] ?? null,
    maximumMs: times.at(-1) ?? null,
  };
}
