import type { Sample } from "@evenbench/core";
import type { CaseAnalysis, Comparison, Metric, RatioInterval, TargetSummary } from "./analysis.ts";
import { logMedianInterval, logRatioInterval } from "./interval.ts";
import { mean, median, quantile, sorted } from "./quantile.ts";
import { seededRandom } from "./random.ts";
import { allTimes, pairRounds, type Series, seriesByTarget } from "./series.ts";
import { deviation, judge } from "./verdict.ts";

/** Below these there is no interval, only "cannot tell". */
const LEAST_GENERATIONS = 3;
const LEAST_ROUNDS = 3;

export interface CaseQuestion {
  readonly caseId: string;
  readonly metric: Metric;
  /** The target that the others are divided by. */
  readonly baseline: string;
  /** The baseline's twin, for the control; null where there is none. */
  readonly twin: string | null;
  /** All targets to speak of, baseline and twin among them or not. */
  readonly targets: readonly string[];
  /** The precision asked for, as a fraction. */
  readonly precision: number;
  /** Of the bootstrap: the same seed and samples give the same analysis. */
  readonly seed: number;
}

/** Analyses one case in one metric; the order of the samples does not matter. */
export function analyseCase(samples: Iterable<Sample>, question: CaseQuestion): CaseAnalysis {
  const { caseId, metric, baseline, twin, precision, seed } = question;
  const series = seriesByTarget(samples, caseId, metric);
  const base = series.get(baseline);
  const compare = (target: string, noiseFloor: number | null): Comparison => {
    const shell = { caseId, metric, target, baseline };
    const other = series.get(target);
    if (other === undefined || base === undefined)
      return unknown(shell, "There is no measured exchange of both sides.");
    return compareSeries(shell, other, base, { noiseFloor, precision, seed });
  };
  const control = twin === null ? null : compare(twin, null);
  const noiseFloor = control?.ratio
    ? Math.max(deviation(control.ratio.low), deviation(control.ratio.high))
    : null;
  const others = question.targets.filter((target) => target !== baseline && target !== twin);
  return {
    caseId,
    metric,
    baseline,
    summaries: question.targets.map((target) =>
      summarise({ caseId, metric, target }, series.get(target), seed),
    ),
    comparisons: others.map((target) => compare(target, noiseFloor)),
    control,
    noiseFloor,
  };
}

type Shell = Pick<Comparison, "caseId" | "metric" | "target" | "baseline">;
type Terms = { readonly noiseFloor: number | null; readonly precision: number; readonly seed: number };

function compareSeries(shell: Shell, target: Series, baseline: Series, terms: Terms): Comparison {
  const pairs = pairRounds(target, baseline).filter((pair) => pair.target.length >= LEAST_ROUNDS);
  const counts = {
    generations: pairs.length,
    rounds: pairs.reduce((sum, pair) => sum + pair.target.length, 0),
  };
  const byGeneration = pairs.map((pair) => median(pair.target) / median(pair.baseline));
  if (pairs.length < LEAST_GENERATIONS) {
    const reason = `Only ${pairs.length} sets of instances with at least ${LEAST_ROUNDS} rounds each; an interval needs ${LEAST_GENERATIONS}. More time (--time) gives more.`;
    return { ...unknown(shell, reason), ...counts, byGeneration };
  }
  const interval = logRatioInterval(pairs, seededRandom(terms.seed));
  const ratio: RatioInterval = {
    estimate: Math.exp(interval.estimate),
    low: Math.exp(interval.low),
    high: Math.exp(interval.high),
    level: 0.95,
  };
  return {
    ...shell,
    ...counts,
    ...judge(ratio, terms.noiseFloor, terms.precision),
    ratio,
    byGeneration,
    betweenInstances: interval.between,
    withinInstances: interval.within,
  };
}

function unknown(shell: Shell, reason: string): Comparison {
  return {
    ...shell,
    ratio: null,
    verdict: "cannot tell",
    reason,
    betweenInstances: null,
    withinInstances: null,
    byGeneration: [],
    generations: 0,
    rounds: 0,
  };
}

type SummaryShell = Pick<TargetSummary, "caseId" | "metric" | "target">;

function summarise(shell: SummaryShell, series: Series | undefined, seed: number): TargetSummary {
  const counts = { ...shell, exchanges: series?.exchanges ?? 0, errors: series?.errors ?? 0 };
  if (series === undefined || series.exchanges === 0) {
    const none = {
      median: null,
      medianLow: null,
      medianHigh: null,
      mean: null,
      p95: null,
      minimum: null,
      maximum: null,
    };
    return { ...counts, ...none };
  }
  const times = sorted(allTimes(series));
  const byGeneration = pairRounds(series, series).map((pair) => pair.target);
  const interval =
    byGeneration.length < LEAST_GENERATIONS ? null : logMedianInterval(byGeneration, seededRandom(seed));
  return {
    ...counts,
    median: interval === null ? quantile(times, 0.5) : Math.exp(interval.estimate),
    medianLow: interval === null ? null : Math.exp(interval.low),
    medianHigh: interval === null ? null : Math.exp(interval.high),
    mean: mean(times),
    p95: quantile(times, 0.95),
    minimum: times[0] as number,
    maximum: times.at(-1) as number,
  };
}
