import type { Metric, Sample } from "@evenbench/results";
import { instanceCells, LEAST_ROUNDS, LEAST_TRIALS, type Series, seriesByTarget } from "./cells.ts";
import {
  basesOf,
  type CellFit,
  cellsOf,
  compare,
  fitCells,
  othersOf,
  priorOfCases,
  type Question,
  shownMs,
} from "./compare.ts";
import { geometricInterval, type Prior } from "./model.ts";
import { mean, median, quantile, sorted, sum } from "./numbers.ts";
import { furthest, type RatioInterval, type Verdict } from "./verdict.ts";

export interface CaseQuestion extends Question {
  readonly caseId: string;
  readonly metric: Metric;
}

/** One target against the baseline, in one case and one metric. */
export interface Comparison {
  readonly caseId: string;
  readonly metric: Metric;
  readonly target: string;
  readonly baseline: string;
  /** Against the mean of the baseline and its A/A copy; null with too few trials or rounds. */
  readonly ratio: RatioInterval | null;
  readonly verdict: Verdict;
  /** Why, in one sentence or two. */
  readonly reason: string;
  /** The ratio in each trial, in order of trial. */
  readonly byTrial: readonly number[];
  readonly trials: number;
  readonly rounds: number;
}

/** What one target did in one case, over all measured exchanges without error that count. Milliseconds. */
export interface TargetSummary {
  readonly caseId: string;
  readonly metric: Metric;
  readonly target: string;
  readonly exchanges: number;
  readonly errors: number;
  /** Those that these exchanges are of: fewer than the comparison's own where the target was not warm in one. */
  readonly trials: number;
  /** Why it has no verdict; null where it was warm in enough of them. */
  readonly notWarm: string | null;
  /**
   * The baseline's is the geometric mean of its and its copy's trial medians; any other's is that times its ratio, so
   * that times and ratios agree. `medianLow` to `medianHigh` is its interval, null with too few trials.
   */
  readonly median: number | null;
  readonly medianLow: number | null;
  readonly medianHigh: number | null;
  /** Its trials' medians, moved together so that their geometric mean is `median`. */
  readonly byTrial: readonly number[];
  readonly mean: number | null;
  readonly p95: number | null;
  readonly minimum: number | null;
  readonly maximum: number | null;
}

/** Everything that is said of one case in one metric. */
export interface CaseAnalysis {
  readonly caseId: string;
  readonly metric: Metric;
  readonly baseline: string;
  readonly summaries: readonly TargetSummary[];
  readonly comparisons: readonly Comparison[];
  /** The baseline's A/A copy against the baseline: an audit. */
  readonly control: Comparison | null;
  /** The largest deviation from 1 that the control's interval allows, as a fraction. It decides nothing. */
  readonly noiseFloor: number | null;
}

/** A case in one metric: small, so that all cases of a run can be held at once. */
export interface CaseFit extends CellFit {
  readonly question: CaseQuestion;
  readonly summaries: readonly TargetSummary[];
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

/** One case in one metric by itself, without what other cases know. The order of the samples does not matter. */
export function analyseCase(samples: Iterable<Sample>, question: CaseQuestion): CaseAnalysis {
  return analyseFit(fitCase(samples, question));
}

export function fitCase(samples: Iterable<Sample>, question: CaseQuestion): CaseFit {
  const series = seriesByTarget(samples, question.caseId, question.metric);
  const names = [...new Set([...basesOf(question), ...question.targets])];
  const own = fitCells(instanceCells(series, names, question.warm), question);
  return {
    ...{ ...own, question },
    summaries: question.targets.map((target) => summarise(own, question, target, series.get(target))),
    unknown: new Set(
      names.filter((name) => series.get(name)?.exchanges === 0 && series.get(name)?.errors === 0),
    ),
  };
}

/** Every target against the baseline, and the copy against it as the control. */
export function analyseFit(own: CaseFit, prior?: Prior): CaseAnalysis {
  const { caseId, metric, baseline, copy } = own.question;
  const told = (target: string, by: readonly string[]): Comparison => {
    const { ratio, verdict, reason, pairs } = compare(own, target, by, prior);
    return {
      ...{ caseId, metric, target, baseline, ratio, verdict, trials: pairs.length },
      reason: reason ?? tooLittle(own, target, pairs.length),
      rounds: sum(pairs.map(({ cell }) => cell.rounds)),
      byTrial: pairs.map(({ cell, others }) => Math.exp(cell.value - mean(others.map(({ value }) => value)))),
    };
  };
  const control = copy === null ? null : told(copy, [baseline]);
  return {
    ...{ caseId, metric, baseline, control, summaries: own.summaries },
    comparisons: othersOf(own.question).map((target) => told(target, basesOf(own.question))),
    noiseFloor: control?.ratio ? furthest(control.ratio) : null,
  };
}

/** Each pair once of the targets that are compared with the baseline. */
export function pairRatios(own: CaseFit, prior?: Prior): readonly PairRatio[] {
  const others = othersOf(own.question);
  return others.flatMap((by, index) =>
    others.slice(index + 1).map((target) => {
      const { ratio, verdict } = compare(own, target, [by], prior);
      return { target, by, ratio: verdict === "not warm" ? null : ratio };
    }),
  );
}

/**
 * Level of the looks by which a case may end early. They are many, so that each asks for more than a verdict does:
 * docs/coverage.md has what is left of the verdicts of runs that end like this.
 */
export const STOP_LEVEL = 0.999;

/**
 * For each case of a run, whether it needs no more trials: all that is asked of it is decided at `STOP_LEVEL`; or, where
 * a precision (a fraction) was asked for, no interval reaches farther from its estimate, the control's among them. That
 * looks at widths alone, never at where an interval lies, so that ending there favours no verdict.
 */
export function areDecided(cases: readonly CaseFit[], precision: number | null = null): readonly boolean[] {
  const prior = priorOfCases(cases);
  return cases.map((own) => {
    const { baseline, copy } = own.question;
    const asked = othersOf(own.question).map((target) => [target, basesOf(own.question)] as const);
    const control = precision === null || copy === null ? [] : [[copy, [baseline]] as const];
    return [...asked, ...control].every(([target, by]) => {
      const { ratio, verdict } = compare(own, target, by, prior, precision === null ? STOP_LEVEL : undefined);
      if (ratio === null || verdict === "not warm") return false;
      const { estimate, low, high } = ratio;
      return precision === null
        ? verdict !== "inconclusive"
        : Math.max(high / estimate - 1, 1 - low / estimate) <= precision;
    });
  });
}

function tooLittle({ question, unknown }: CaseFit, target: string, trials: number): string {
  const { metric, baseline } = question;
  const missing = [target, baseline].find((name) => unknown.has(name));
  if (metric === "cpuMs" && missing !== undefined) return `No CPU time is known of ${missing}.`;
  const found = trials === 0 ? "No trial has" : trials === 1 ? "Only one trial has" : `${trials} trials have`;
  return `${found} ${LEAST_ROUNDS} rounds in which both ${target} and ${baseline} answered without error; an interval needs ${LEAST_TRIALS} such trials. More time (--time) gives more.`;
}

function summarise(
  own: CellFit,
  { caseId, metric }: CaseQuestion,
  target: string,
  series?: Series,
): TargetSummary {
  const cells = cellsOf(own, target);
  const all = [...(series?.trials ?? [])];
  const counting = all.filter(([trial]) => cells.some(({ block }) => block === trial));
  const kept = counting.length === 0 ? all : counting;
  const times = sorted(kept.flatMap(([, { ms }]) => [...ms]));
  const exchanges = times.length;
  const shell = {
    ...{ caseId, metric, target, exchanges, errors: series?.errors ?? 0, trials: kept.length },
    notWarm: own.cold.get(target) ?? null,
  };
  if (exchanges === 0) return { ...shell, ...NO_TIMES };
  const middle = shownMs(own, target) ?? median(times);
  const shift = Math.log(middle) - mean(cells.map(({ logMs }) => logMs));
  const logs = cells.map(({ logMs }) => logMs + shift);
  const interval = geometricInterval(logs);
  return {
    ...shell,
    median: middle,
    medianLow: interval?.low ?? null,
    medianHigh: interval?.high ?? null,
    byTrial: logs.map(Math.exp),
    mean: mean(times),
    p95: quantile(times, 0.95),
    minimum: times[0] as number,
    maximum: times.at(-1) as number,
  };
}

const NO_TIMES = {
  ...{ median: null, medianLow: null, medianHigh: null, byTrial: [], mean: null },
  ...{ p95: null, minimum: null, maximum: null },
};
