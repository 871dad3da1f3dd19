import type { Sample } from "@evenbench/results";
import type { CaseAnalysis, Comparison, Metric, RatioInterval, TargetSummary } from "./analysis.ts";
import { coldTargets, type InstanceCell, instanceCells, LEAST_ROUNDS, LEAST_TRIALS } from "./cells.ts";
import { asRatio, geometricInterval } from "./mean-interval.ts";
import { type Fit, fitTwoWay, intervalOf, NO_PRIOR, type Prior, priorOf } from "./model.ts";
import { mean, quantile } from "./quantile.ts";
import { type Series, seriesByTarget, sortedTimes } from "./series.ts";
import { furthest, judge } from "./verdict.ts";
import type { WarmInstances } from "./warm-instances.ts";

export interface CaseQuestion {
  readonly caseId: string;
  readonly metric: Metric;
  /** The target that the others are divided by. */
  readonly baseline: string;
  /** The baseline's A/A copy: the baseline is the mean of both; null where there is none. */
  readonly copy: string | null;
  /** All targets to speak of, baseline and A/A copy among them or not. */
  readonly targets: readonly string[];
  /** Which instances were warm; without it, all count as warm. */
  readonly warm?: WarmInstances | undefined;
}

/** A case in one metric, fitted alone: what other cases say of its variance is not in it yet. */
export interface CaseFit {
  readonly question: CaseQuestion;
  readonly summaries: readonly TargetSummary[];
  readonly cells: readonly InstanceCell[];
  /** Of targets with a verdict; why the others were not warm. */
  readonly cold: ReadonlyMap<string, string>;
  readonly fit: Fit;
  /** Of all instances, warm or not. */
  readonly fitOfAll: Fit;
  /** Targets without any time, errors or not. */
  readonly unknown: ReadonlySet<string>;
}

/** The ratio of two targets of which neither is the baseline. */
export interface PairRatio {
  readonly target: string;
  /** What it is divided by. */
  readonly by: string;
  /** null where too little is known, and where one of them was not warm. */
  readonly ratio: RatioInterval | null;
}

/**
 * One case in one metric by itself: as `analyseFit`, without what other cases know. Warm-up and exchanges with errors
 * are left out; the order of the samples does not matter.
 */
export function analyseCase(samples: Iterable<Sample>, question: CaseQuestion): CaseAnalysis {
  return analyseFit(fitCase(samples, question));
}

/** The first step: small, so that all cases of a run can be held at once. */
export function fitCase(samples: Iterable<Sample>, question: CaseQuestion): CaseFit {
  return fitSeries(seriesByTarget(samples, question.caseId, question.metric), question);
}

export function fitSeries(series: ReadonlyMap<string, Series>, question: CaseQuestion): CaseFit {
  const { caseId, metric, baseline, copy, warm } = question;
  const targets = [...new Set([baseline, ...(copy === null ? [] : [copy]), ...question.targets])];
  const cells = instanceCells(series, targets, warm);
  const cold = coldTargets(cells);
  const counting = cells.filter((cell) => cell.cold === null && !cold.has(cell.target));
  return {
    ...{ question, cells, cold },
    fit: fitTwoWay(counting),
    fitOfAll: fitTwoWay(cells),
    summaries: question.targets.map((target) =>
      summarise({ caseId, metric, target }, series.get(target), cold.has(target) ? cells : counting),
    ),
    unknown: new Set(
      targets.filter((name) => series.get(name)?.exchanges === 0 && series.get(name)?.errors === 0),
    ),
  };
}

/** What the cases of a run say together about the scatter of instances (docs/method.md). */
export function priorOfCases(cases: readonly Pick<CaseFit, "fit">[]): Prior {
  return priorOf(cases.map(({ fit }) => fit));
}

/** Every target against the baseline, and the copy against it as the control. */
export function analyseFit(own: CaseFit, prior: Prior = NO_PRIOR): CaseAnalysis {
  const { caseId, metric, baseline, copy } = own.question;
  const control = copy === null ? null : compare(own, prior, copy, [baseline]);
  const bases = copy === null ? [baseline] : [baseline, copy];
  return {
    ...{ caseId, metric, baseline, control, summaries: own.summaries },
    comparisons: othersOf(own).map((target) => compare(own, prior, target, bases)),
    noiseFloor: control?.ratio ? furthest(control.ratio) : null,
  };
}

/**
 * Level of the looks by which a case may end early. They are many, so that each asks for more than a verdict does:
 * docs/coverage.md has what is left of the verdicts of runs that end like this.
 */
export const STOP_LEVEL = 0.999;

/** For each case of a run, whether all that is asked of it is decided, with certainty enough to stop there. */
export function areDecided(cases: readonly CaseFit[]): readonly boolean[] {
  const prior = priorOfCases(cases);
  return cases.map((own) => {
    const { baseline, copy } = own.question;
    const bases = (copy === null ? [baseline] : [baseline, copy]).filter((name) => !own.cold.has(name));
    return othersOf(own).every((target) => {
      if (own.cold.has(target)) return false;
      const counting = own.cells.filter((cell) => cell.cold === null);
      const ratio = ratioOf(own.fit, prior, counting, [target], bases, STOP_LEVEL);
      return ratio !== null && judge(ratio).verdict !== "inconclusive";
    });
  });
}

/** Each pair once of the targets that are compared with the baseline. */
export function pairRatios(own: CaseFit, prior: Prior = NO_PRIOR): readonly PairRatio[] {
  const others = othersOf(own);
  return others.flatMap((by, index) =>
    others
      .slice(index + 1)
      .map((target) => ({ target, by, ratio: ratioOf(own.fit, prior, own.cells, [target], [by]) })),
  );
}

function othersOf({ question: { targets, baseline, copy } }: CaseFit): readonly string[] {
  return targets.filter((target) => target !== baseline && target !== copy);
}

function compare(own: CaseFit, prior: Prior, target: string, by: readonly string[]): Comparison {
  const { question, cells, cold, fit, fitOfAll } = own;
  const { caseId, metric, baseline } = question;
  const measured = by.filter((name) => cells.some((cell) => cell.target === name));
  const warmBases = measured.filter((name) => !cold.has(name));
  const why = cold.get(target) ?? (warmBases.length === 0 ? cold.get(baseline) : undefined) ?? null;
  const bases = why === null ? warmBases : measured;
  const counting = cells.filter((cell) => why !== null || cell.cold === null);
  const ratio = ratioOf(why === null ? fit : fitOfAll, prior, counting, [target], bases);
  const byTrial = [...Map.groupBy(counting, ({ block }) => block)].toSorted(([a], [b]) => a - b);
  const pairs = byTrial.flatMap(([, trial]) => {
    const side = trial.find((cell) => cell.target === target);
    const others = trial.filter((cell) => bases.includes(cell.target));
    return side === undefined || others.length === 0 ? [] : [{ side, others }];
  });
  const shell = {
    ...{ caseId, metric, target, baseline, ratio, trials: pairs.length },
    rounds: pairs.reduce((sum, { side }) => sum + side.rounds, 0),
    byTrial: pairs.map(({ side, others }) => Math.exp(side.value - mean(others.map(({ value }) => value)))),
  };
  if (why !== null) return { ...shell, verdict: "not warm", reason: `Not warm in ${why}.` };
  if (ratio === null)
    return { ...shell, verdict: "inconclusive", reason: tooLittle(own, target, pairs.length) };
  return { ...shell, ...judge(ratio) };
}

/** null where one side has too few trials. */
export function ratioOf(
  fit: Fit,
  prior: Prior,
  cells: readonly Pick<InstanceCell, "target">[],
  targets: readonly string[],
  by: readonly string[],
  level?: number,
): RatioInterval | null {
  const trials = (name: string) => cells.filter((cell) => cell.target === name).length;
  if (by.length === 0 || [...targets, ...by].some((name) => trials(name) < LEAST_TRIALS)) return null;
  const difference = fit.difference(targets, by);
  return difference === null ? null : asRatio(intervalOf(difference, fit, prior, level));
}

function tooLittle({ question, unknown }: CaseFit, target: string, trials: number): string {
  const { metric, baseline } = question;
  const missing = [target, baseline].find((name) => unknown.has(name));
  if (metric === "cpuMs" && missing !== undefined) return `Nobody accounts for the CPU time of ${missing}.`;
  const found = trials === 0 ? "No trial has" : trials === 1 ? "Only one trial has" : `${trials} trials have`;
  return `${found} ${LEAST_ROUNDS} rounds in which both ${target} and ${baseline} answered without error; an interval needs ${LEAST_TRIALS} such trials. More time (--time) gives more.`;
}

function summarise(
  shell: Pick<TargetSummary, "caseId" | "metric" | "target">,
  series: Series | undefined,
  counting: readonly InstanceCell[],
): TargetSummary {
  const cells = counting.filter(({ target }) => target === shell.target);
  const trials = new Map(
    [...(series?.trials ?? [])].filter(([trial]) => cells.some(({ block }) => block === trial)),
  );
  const kept = trials.size === 0 ? (series?.trials ?? new Map()) : trials;
  const exchanges = [...kept.values()].reduce((sum, { ms }) => sum + ms.length, 0);
  const counts = { ...shell, exchanges, errors: series?.errors ?? 0, trials: kept.size };
  if (exchanges === 0) return { ...counts, ...NO_TIMES };
  const times = sortedTimes({ trials: kept, exchanges, errors: 0 });
  const interval = geometricInterval(cells.map(({ logMs }) => logMs));
  return {
    ...counts,
    median: interval?.estimate ?? quantile(times, 0.5),
    medianLow: interval?.low ?? null,
    medianHigh: interval?.high ?? null,
    mean: mean(times),
    p95: quantile(times, 0.95),
    minimum: times[0] as number,
    maximum: times.at(-1) as number,
  };
}

const NO_TIMES = {
  ...{ median: null, medianLow: null, medianHigh: null, mean: null },
  ...{ p95: null, minimum: null, maximum: null },
};
