import { blockBootstrap, resampledMedian } from "./block-bootstrap.ts";
import { type HierarchicalInterval, hierarchicalInterval, type Trial } from "./hierarchical.ts";
import { median } from "./quantile.ts";
import type { Random } from "./random.ts";
import type { PairedTimes } from "./series.ts";

/** Work for the lower level of one comparison, in resampled rounds: bounds the time for a million samples to seconds. */
const ROUND_BUDGET = 3_000_000;
const MOST_REPLICATES = 200;
const LEAST_REPLICATES = 20;

/** The interval of log(median of the target / median of the baseline), trial by trial. */
export function logRatioInterval(pairs: readonly PairedTimes[], random: Random): HierarchicalInterval {
  const replicates = replicatesFor(pairs.reduce((sum, pair) => sum + pair.target.length, 0));
  const trials = pairs.map(({ target, baseline }): Trial => {
    const targetMedian = resampledMedian(target);
    const baselineMedian = resampledMedian(baseline);
    const logRatio = (timesDrawn: Uint32Array) =>
      Math.log(targetMedian(timesDrawn) / baselineMedian(timesDrawn));
    return {
      estimate: Math.log(median(target) / median(baseline)),
      resamples: blockBootstrap(target.length, logRatio, replicates, random),
    };
  });
  return hierarchicalInterval(trials, random);
}

/** The interval of log(median) of one target's times. */
export function logMedianInterval(byTrial: readonly Float64Array[], random: Random): HierarchicalInterval {
  const replicates = replicatesFor(byTrial.reduce((sum, times) => sum + times.length, 0));
  const trials = byTrial.map((times): Trial => {
    const resampled = resampledMedian(times);
    return {
      estimate: Math.log(median(times)),
      resamples: blockBootstrap(
        times.length,
        (timesDrawn) => Math.log(resampled(timesDrawn)),
        replicates,
        random,
      ),
    };
  });
  return hierarchicalInterval(trials, random);
}

function replicatesFor(rounds: number): number {
  return Math.min(
    MOST_REPLICATES,
    Math.max(LEAST_REPLICATES, Math.floor(ROUND_BUDGET / Math.max(rounds, 1))),
  );
}
