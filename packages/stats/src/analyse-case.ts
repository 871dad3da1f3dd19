import type { Metric, Sample } from "@evenbench/results";
import {
  coldTargets,
  type InstanceCell,
  instanceCells,
  LEAST_ROUNDS,
  LEAST_TRIALS,
  type Series,
  seriesByTarget,
} from "./cells.ts";
import { asRatio, type Fit, fitTwoWay, geometricInterval, intervalOf, type Prior, priorOf } from "./model.ts";
import { mean, median, quantile, sorted, sum } from "./numbers.ts";
import { furthest, judge, type RatioInterval, type Verdict } from "./verdict.ts";
import type { WarmInstances } from "./warm-instances.ts";

/** Who is compared with whom. */
export interface Question {
  /** The target that the others are divided by. */
  readonly baseline: string;
  /** The baseline's A/A copy: the baseline is the mean of both; null where there is none. */
  readonly copy: string | null;
  /** All targets to speak of, baseline and A/A copy among them or not. */
  readonly targets: readonly string[];
  /** Which instances were warm; without it, all count as warm. */
  readonly warm?: WarmInstances | undefined;
  /** Targets that are one process for the whole run: their trials are no fresh instances. */
  readonly lasting?: ReadonlySet<string> | undefined;
}

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
  /** One sentence or two that say why the verdict is what it is. */
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

/** Instances of targets, fitted alone: what other cases say of their variance is not in it yet. */
export interface CellFit {
  readonly question: Question;
  readonly cells: readonly InstanceCell[];
  /** Targets without a verdict, each with why it was not warm. */
  readonly cold: ReadonlyMap<string, string>;
  /** Of warm instances, and of all. */
  readonly fit: Fit;
  readonly fitOfAll: Fit;
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
  return fitSeries(seriesByTarget(samples, question.caseId, question.metric), question);
}

export function fitSeries(series: ReadonlyMap<string, Series>, question: CaseQuestion): CaseFit {
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

export function fitCells(cells: readonly InstanceCell[], question: Question): CellFit {
  const cold = coldTargets(cells);
  const fit = fitTwoWay(cells.filter((cell) => cell.cold === null && !cold.has(cell.target)));
  return { question, cells, cold, fit, fitOfAll: fitTwoWay(cells) };
}

/** What the cases of a run say together about the scatter of instances (docs/method.md). */
export function priorOfCases(cases: readonly Pick<CellFit, "fit">[]): Prior {
  return priorOf(cases.map(({ fit }) => fit));
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

export function basesOf({ baseline, copy }: Question): readonly string[] {
  return copy === null ? [baseline] : [baseline, copy];
}

export function othersOf(question: Question): readonly string[] {
  return question.targets.filter((target) => !basesOf(question).includes(target));
}

/** What may be said of one target against others, by which all comparisons of the project are made. */
export interface Compared {
  readonly ratio: RatioInterval | null;
  readonly verdict: Verdict;
  /** null where too little was measured. */
  readonly reason: string | null;
  /** Its cells that count, each with those of its block that it is divided by. */
  readonly pairs: readonly { readonly cell: InstanceCell; readonly others: readonly InstanceCell[] }[];
}

export function compare(
  own: CellFit,
  target: string,
  by: readonly string[] = basesOf(own.question),
  prior?: Prior,
  level?: number,
): Compared {
  const { fit, cells, bases, cold } = sidesOf(own, target, by);
  const pairs = [...Map.groupBy(cells, ({ block }) => block).values()].flatMap((block) => {
    const cell = block.find((one) => one.target === target);
    const others = block.filter((one) => bases.includes(one.target));
    return cell === undefined || others.length === 0 ? [] : [{ cell, others }];
  });
  pairs.sort((a, b) => a.cell.block - b.cell.block);
  const count = (name: string) => cells.filter((cell) => cell.target === name).length;
  const isEnough = bases.length > 0 && [target, ...bases].every((name) => count(name) >= LEAST_TRIALS);
  const difference = isEnough ? fit.difference([target], bases) : null;
  const least = varianceOfLasting(own, target, bases);
  const ratio =
    difference &&
    asRatio(intervalOf(difference, fit, { ...(prior && { prior }), ...(level && { level }), least }));
  if (cold !== null) return { ratio, verdict: "not warm", reason: `Not warm in ${cold}.`, pairs };
  if (ratio === null) return { ratio, verdict: "inconclusive", reason: null, pairs };
  const { verdict, reason } = judge(ratio);
  const lasting = [target, ...bases].filter((name) => own.question.lasting?.has(name));
  const falls = pairs.filter(({ cell, others }) => cell.falls && others.some((other) => other.falls));
  const notes = [
    ...(2 * falls.length > pairs.length ? ["Both still became faster, by the same amount."] : []),
    ...(lasting.length === 0 ? [] : [LASTING]),
  ];
  return { ratio, verdict, reason: [reason, ...notes].join(" "), pairs };
}

const LASTING =
  "Each server was one process for the whole run. Fresh ones would differ, and the interval allows for that. Start servers with cmd: to measure fresh ones.";

/** What of a fit is compared: warm instances; all of them where the target, or all that it is divided by, was not warm. */
function sidesOf(own: CellFit, target: string, by: readonly string[]) {
  const measured = by.filter((name) => own.cells.some((cell) => cell.target === name));
  const warm = measured.filter((name) => !own.cold.has(name));
  const cold = own.cold.get(target) ?? (warm.length === 0 ? own.cold.get(by[0] ?? "") : undefined) ?? null;
  return cold === null
    ? { fit: own.fit, cells: own.cells.filter((cell) => cell.cold === null), bases: warm, cold }
    : { fit: own.fitOfAll, cells: own.cells, bases: measured, cold };
}

/** Targets that are one process for the whole run: servers that run already. A deployment may answer from many instances. */
export function oneProcessTargets(
  targets: readonly { readonly name: string; readonly place: string }[],
  samples: readonly Sample[],
): ReadonlySet<string> {
  const isOneProcess = (name: string) => {
    const answered = samples.filter(({ target, error }) => target === name && error === null);
    return new Set(answered.map(({ instanceId }) => instanceId)).size <= 1;
  };
  const running = targets.filter(({ place }) => place === "url").map(({ name }) => name);
  return new Set(running.filter(isOneProcess));
}

/** Standard deviation of instances of small servers, as a fraction, where no fresh ones tell. */
const INSTANCES_DIFFER = 0.03;

/**
 * Of two processes of one build each is faster or slower for its whole life, and a second trial of the same one does not
 * show it: what fresh ones of this case scatter by, or what is usual, is in the difference, however many trials there are.
 */
function varianceOfLasting({ question, cells }: CellFit, target: string, bases: readonly string[]): number {
  const { lasting = new Set() } = question;
  // A copy of a lasting target is the same process.
  const sides = [lasting.has(target), bases.some((name) => lasting.has(name))].filter(Boolean).length;
  if (sides === 0) return 0;
  const fresh = fitTwoWay(cells.filter((cell) => !lasting.has(cell.target)));
  return sides * (fresh.freedom > 0 ? fresh.variance : INSTANCES_DIFFER ** 2);
}

/** The baseline's level times the target's ratio to it, in milliseconds; null without any instance. */
export function shownMs(own: CellFit, target: string): number | null {
  const { cells: measured, bases } = sidesOf(own, own.question.baseline, basesOf(own.question));
  const ofBases = bases.map((name) => measured.filter((cell) => cell.target === name));
  const level = mean(ofBases.map((cells) => mean(cells.map(({ logMs }) => logMs))));
  if (target === own.question.baseline && ofBases.length > 0) return Math.exp(level);
  const side = sidesOf(own, target, basesOf(own.question));
  const difference = side.bases.length === 0 ? null : side.fit.difference([target], side.bases);
  if (difference !== null) return Math.exp(level + difference.estimate);
  const alone = side.cells.filter((cell) => cell.target === target);
  return alone.length === 0 ? null : Math.exp(mean(alone.map(({ logMs }) => logMs)));
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
  const cells = own.cells.filter(
    (cell) => cell.target === target && (cell.cold === null || own.cold.has(target)),
  );
  const all = [...(series?.trials ?? [])];
  const counting = all.filter(([trial]) => cells.some(({ block }) => block === trial));
  const kept = counting.length === 0 ? all : counting;
  const times = sorted(kept.flatMap(([, { ms }]) => [...ms]));
  const exchanges = times.length;
  const notWarm = own.cold.get(target) ?? null;
  const shell = {
    caseId,
    metric,
    target,
    exchanges,
    errors: series?.errors ?? 0,
    trials: kept.length,
    notWarm,
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
