import type { Sample } from "@evenbench/results";
import type { CaseAnalysis, Comparison, Metric, RatioInterval, TargetSummary } from "./analysis.ts";
import type { HierarchicalInterval } from "./hierarchical.ts";
import { logMedianInterval, logRatioInterval } from "./interval.ts";
import { mean, median, quantile } from "./quantile.ts";
import { seededRandom } from "./random.ts";
import {
  logRatios,
  type PairedRounds,
  pairRounds,
  type Series,
  seriesByTarget,
  sortedTimes,
} from "./series.ts";
import { furthest, judge } from "./verdict.ts";
import type { WarmInstances } from "./warm-instances.ts";
import type { Warmth } from "./warm-up.ts";

/** Below these there is no interval, only "cannot tell". */
const LEAST_TRIALS = 2;
const LEAST_ROUNDS = 3;

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
 * Analyses one case in one metric: every target against the baseline, and the A/A copy against it as the control. The order of
 * the samples does not matter; warm-up and exchanges with errors are left out; a round counts for a comparison when both
 * sides have it, and a trial when those of both were warm. Where fewer than half of the trials count, the ratio is that of all
 * trials, and there is no verdict but "not warm".
 */
export function analyseCase(samples: Iterable<Sample>, question: CaseQuestion): CaseAnalysis {
  const { caseId, metric, baseline, copy, seed } = question;
  const series = seriesByTarget(samples, caseId, metric);
  const control = copy === null ? null : compare(question, series, copy, null);
  const others = question.targets.filter((target) => target !== baseline && target !== copy);
  return {
    caseId,
    metric,
    baseline,
    summaries: question.targets.map((target) =>
      summarise({ caseId, metric, target }, warmPart(series.get(target), question.warm?.get(target)), seed),
    ),
    comparisons: others.map((target) => compare(question, series, target, control?.ratio ?? null)),
    control,
    noiseFloor: control?.ratio ? furthest(control.ratio) : null,
  };
}

/** The ratio of two targets of which neither is the baseline. */
export interface PairRatio {
  readonly target: string;
  /** What it is divided by. */
  readonly by: string;
  /** 95 % interval; null with fewer than two trials that have both. */
  readonly ratio: RatioInterval | null;
}

/**
 * The ratios among the targets that are compared with the baseline, each pair once. There is no A/A control of any of them, so there is no
 * verdict either.
 */
export function pairRatios(samples: Iterable<Sample>, question: CaseQuestion): readonly PairRatio[] {
  const { caseId, metric, baseline, copy, seed } = question;
  const series = seriesByTarget(samples, caseId, metric);
  const others = question.targets.filter((target) => target !== baseline && target !== copy);
  return others.flatMap((by, index) =>
    others.slice(index + 1).map((target) => {
      const { pairs } = countingPairs(question, series, target, by);
      const ratio =
        pairs.length < LEAST_TRIALS ? null : ratioInterval(logRatioInterval(pairs, seededRandom(seed)));
      return { target, by, ratio };
    }),
  );
}

function compare(
  question: CaseQuestion,
  series: ReadonlyMap<string, Series>,
  target: string,
  control: RatioInterval | null,
): Comparison {
  const { caseId, metric, baseline, copy, precision, seed } = question;
  const shell = { caseId, metric, target, baseline };
  const { pairs, cold } = countingPairs(question, series, target, baseline);
  const counts = {
    trials: pairs.length,
    rounds: pairs.reduce((sum, pair) => sum + pair.target.length, 0),
    byTrial: pairs.map((pair) => Math.exp(median(logRatios(pair)))),
  };
  if (pairs.length < LEAST_TRIALS) {
    const found = pairs.length === 0 ? "No trial" : "Only one trial";
    const rounds = `${LEAST_ROUNDS} rounds in which both ${target} and ${baseline} answered without error`;
    return {
      ...shell,
      ...counts,
      ratio: null,
      ratioToCopy: null,
      verdict: "cannot tell",
      reason: `${found} has ${rounds}; an interval needs ${LEAST_TRIALS} such trials. More time (--time) gives more.`,
      betweenInstances: null,
      withinInstances: null,
    };
  }
  const interval = logRatioInterval(pairs, seededRandom(seed));
  const ratio = ratioInterval(interval);
  const toCopy = control === null || copy === null ? null : countingPairs(question, series, target, copy);
  const copyPairs = toCopy?.pairs ?? [];
  const ratioToCopy =
    copyPairs.length < LEAST_TRIALS ? null : ratioInterval(logRatioInterval(copyPairs, seededRandom(seed)));
  return {
    ...shell,
    ...counts,
    ...(notWarm(cold ?? toCopy?.cold ?? null) ?? judge({ ratio, ratioToCopy, control }, precision)),
    ratio,
    ratioToCopy,
    betweenInstances: interval.between,
    withinInstances: interval.within,
  };
}

/** The trials that count for a comparison; and why they are all those that were measured, warm or not, where fewer than half were warm. */
interface CountingPairs {
  readonly pairs: readonly PairedRounds[];
  readonly cold: string | null;
}

function countingPairs(
  { warm }: CaseQuestion,
  series: ReadonlyMap<string, Series>,
  target: string,
  baseline: string,
): CountingPairs {
  const [own, other] = [series.get(target), series.get(baseline)];
  if (own === undefined || other === undefined) return { pairs: [], cold: null };
  const all = pairRounds(own, other).filter((pair) => pair.target.length >= LEAST_ROUNDS);
  const coldest = (trial: number) =>
    [target, baseline].flatMap((name) => {
      const seen = warm?.get(name)?.get(trial);
      return seen === undefined || seen.warm ? [] : [`${name} ${seen.reason}`];
    })[0];
  const pairs = all.filter(({ trial }) => coldest(trial) === undefined);
  if (pairs.length >= Math.max(LEAST_TRIALS, all.length / 2)) return { pairs, cold: null };
  const why = all.map(({ trial }) => coldest(trial)).find((reason) => reason !== undefined);
  const count = all.length - pairs.length;
  return {
    pairs: all,
    cold: why === undefined ? null : `${count} of ${all.length} trials: ${why}`,
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

/** The trials in which the target was warm, where these are at least half of them; else all. */
function warmPart(
  series: Series | undefined,
  warm: ReadonlyMap<number, Warmth> | undefined,
): Series | undefined {
  if (series === undefined || warm === undefined) return series;
  const trials = new Map([...series.trials].filter(([trial]) => warm.get(trial)?.warm ?? true));
  if (trials.size < Math.max(1, series.trials.size / 2)) return series;
  const exchanges = [...trials.values()].reduce((sum, { ms }) => sum + ms.length, 0);
  return { ...series, trials, exchanges };
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
  const byTrial = [...series.trials.values()].map(({ ms }) => ms);
  const interval = byTrial.length < LEAST_TRIALS ? null : logMedianInterval(byTrial, seededRandom(seed));
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
