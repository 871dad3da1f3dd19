import type { TargetSummary } from "./analysis.ts";
import { LEAST_TRIALS, type Measured } from "./counting-trials.ts";
import { logMedianInterval } from "./interval.ts";
import { mean, quantile } from "./quantile.ts";
import { seededRandom } from "./random.ts";
import { type Series, sortedTimes } from "./series.ts";
import type { Warmth } from "./warm-up.ts";

type SummaryShell = Pick<TargetSummary, "caseId" | "metric" | "target">;

/** One target's times in the trials in which it was warm. */
export function summariseTarget(shell: SummaryShell, measured: Measured): TargetSummary {
  const series = warmPart(measured.series.get(shell.target), measured.warm?.get(shell.target));
  const counts = {
    ...shell,
    exchanges: series?.exchanges ?? 0,
    errors: series?.errors ?? 0,
    trials: series?.trials.size ?? 0,
  };
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
  const interval =
    byTrial.length < LEAST_TRIALS ? null : logMedianInterval(byTrial, seededRandom(measured.seed));
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
