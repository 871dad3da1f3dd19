import type { Sample } from "@evenbench/core";
import type { CaseAnalysis, Comparison, Metric, RatioInterval, TargetSummary } from "./analysis.ts";
import type { HierarchicalInterval } from "./hierarchical.ts";
import { logMedianInterval, logRatioInterval } from "./interval.ts";
import { mean, median, quantile } from "./quantile.ts";
import { seededRandom } from "./random.ts";
import { type PairedTimes, pairRounds, type Series, seriesByTarget, sortedTimes } from "./series.ts";
import { furthest, judge } from "./verdict.ts";

/** Below these there is no interval, only "cannot tell". */
const LEAST_GENERATIONS = 2;
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

/**
 * Analyses one case in one metric: every target against the baseline, and the twin against it as the control. The order of
 * the samples does not matter; warm-up and exchanges with errors are left out; a round counts for a comparison when both
 * sides have it.
 */
export function analyseCase(samples: Iterable<Sample>, question: CaseQuestion): CaseAnalysis {
  const { caseId, metric, baseline, twin, seed } = question;
  const series = seriesByTarget(samples, caseId, metric);
  const control = twin === null ? null : compare(question, series, twin, null);
  const others = question.targets.filter((target) => target !== baseline && target !== twin);
  return {
    caseId,
    metric,
    baseline,
    summaries: question.targets.map((target) =>
      summarise({ caseId, metric, target }, series.get(target), seed),
    ),
    comparisons: others.map((target) => compare(question, series, target, control?.ratio ?? null)),
    control,
    noiseFloor: control?.ratio ? furthest(control.ratio) : null,
  };
}

function compare(
  { caseId, metric, baseline, twin, precision, seed }: CaseQuestion,
  series: ReadonlyMap<string, Series>,
  target: string,
  control: RatioInterval | null,
): Comparison {
  const shell = { caseId, metric, target, baseline };
  const pairs = countingPairs(series.get(target), series.get(baseline));
  const counts = {
    generations: pairs.length,
    rounds: pairs.reduce((sum, pair) => sum + pair.target.length, 0),
    byGeneration: pairs.map((pair) => median(pair.target) / median(pair.baseline)),
  };
  if (pairs.length < LEAST_GENERATIONS) {
    const found = pairs.length === 0 ? "No set" : "Only one set";
    const rounds = `${LEAST_ROUNDS} rounds in which both ${target} and ${baseline} answered without error`;
    return {
      ...shell,
      ...counts,
      ratio: null,
      ratioToTwin: null,
      verdict: "cannot tell",
      reason: `${found} of instances has ${rounds}; an interval needs ${LEAST_GENERATIONS} such sets. More time (--time) gives more.`,
      betweenInstances: null,
      withinInstances: null,
    };
  }
  const interval = logRatioInterval(pairs, seededRandom(seed));
  const ratio = ratioInterval(interval);
  const twinPairs =
    control === null || twin === null ? [] : countingPairs(series.get(target), series.get(twin));
  const ratioToTwin =
    twinPairs.length < LEAST_GENERATIONS
      ? null
      : ratioInterval(logRatioInterval(twinPairs, seededRandom(seed)));
  return {
    ...shell,
    ...counts,
    ...judge({ ratio, ratioToTwin, control }, precision),
    ratio,
    ratioToTwin,
    betweenInstances: interval.between,
    withinInstances: interval.within,
  };
}

/** The generations in which two series share enough rounds. */
function countingPairs(target: Series | undefined, baseline: Series | undefined): PairedTimes[] {
  if (target === undefined || baseline === undefined) return [];
  return pairRounds(target, baseline).filter((pair) => pair.target.length >= LEAST_ROUNDS);
}

/** From logarithms. */
function ratioInterval({ estimate, low, high }: HierarchicalInterval): RatioInterval {
  return { estimate: Math.exp(estimate), low: Math.exp(low), high: Math.exp(high), level: 0.95 };
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
  const times = sortedTimes(series);
  const byGeneration = [...series.generations.values()].map(({ ms }) => ms);
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
