import type { Sample } from "@evenbench/results";
import type { Metric, RatioInterval, Verdict } from "./analysis.ts";
import { isMostlyCold } from "./keep-warm.ts";
import { mean, median, variance } from "./quantile.ts";
import { seriesByTarget } from "./series.ts";
import { LEVEL, studentQuantileOf } from "./student.ts";
import { judge } from "./verdict.ts";
import type { WarmInstances } from "./warm-instances.ts";

/** Fewer rounds than this make no median of a trial. */
const LEAST_ROUNDS = 3;

/**
 * Median time of each trial, in milliseconds, by target; trials with fewer than three rounds are left out,
 * and those that were not warm, where at least half were.
 */
export function trialMedians(
  samples: Iterable<Sample>,
  caseId: string,
  metric: Metric,
  warm: WarmInstances = new Map(),
): Map<string, readonly number[]> {
  const series = seriesByTarget(samples, caseId, metric);
  return new Map(
    [...series].map(([target, { trials }]) => {
      const all = isMostlyCold(warm, target);
      const counts = (trial: number) => all || (warm.get(target)?.get(trial)?.warm ?? true);
      const medians = [...trials].flatMap(([trial, { ms }]) =>
        counts(trial) && ms.length >= LEAST_ROUNDS ? [median(ms)] : [],
      );
      return [target, medians];
    }),
  );
}

/** An estimate with its 99 % interval; null bounds where one trial allows none. */
export interface MedianInterval {
  readonly estimate: number;
  readonly low: number | null;
  readonly high: number | null;
}

/** Geometric mean of trials' medians, with Student's t interval on their logarithms; null without any. */
export function medianInterval(medians: readonly number[]): MedianInterval | null {
  if (medians.length === 0) return null;
  const logs = medians.map(Math.log);
  const estimate = Math.exp(mean(logs));
  if (logs.length < 2) return { estimate, low: null, high: null };
  const half = studentQuantileOf(logs.length - 1) * Math.sqrt(variance(logs) / logs.length);
  return { estimate, low: estimate * Math.exp(-half), high: estimate * Math.exp(half) };
}

/**
 * The ratio after / before of two runs' medians, with Welch's interval (unequal variances; Welch, 1947) on
 * the logarithms of the trials' medians; null where a run has fewer than two trials. The runs were not
 * interleaved: what changed on the machine between them is in the ratio, and no interval knows of it.
 */
export function compareMedians(before: readonly number[], after: readonly number[]): RatioInterval | null {
  if (before.length < 2 || after.length < 2) return null;
  const [a, b] = [before.map(Math.log), after.map(Math.log)];
  const [errorA, errorB] = [variance(a) / a.length, variance(b) / b.length];
  const error = errorA + errorB;
  const centre = mean(b) - mean(a);
  // Satterthwaite's degrees of freedom, rounded down: a little too wide rather than too narrow.
  const degrees = error ** 2 / (errorA ** 2 / (a.length - 1) + errorB ** 2 / (b.length - 1));
  const half = studentQuantileOf(Math.max(1, Math.floor(degrees || 1))) * Math.sqrt(error);
  return {
    estimate: Math.exp(centre),
    low: Math.exp(centre - half),
    high: Math.exp(centre + half),
    level: LEVEL,
  };
}

/** What may be said of the same target in two runs. */
export function judgeAcross(ratio: RatioInterval | null): Verdict {
  return ratio === null ? "inconclusive" : judge(ratio).verdict;
}
