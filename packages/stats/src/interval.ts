import { blockBootstrap, resampledMedian } from "./block-bootstrap.ts";
import { type HierarchicalInterval, hierarchicalInterval, type Trial } from "./hierarchical.ts";
import { logMs } from "./logarithm.ts";
import { median } from "./quantile.ts";
import type { Random } from "./random.ts";
import { logRatios, type PairedTimes } from "./series.ts";

/**
 * Work for the lower level of one comparison, in resampled rounds: bounds the time for a million samples to
 * seconds.
 */
const ROUND_BUDGET = 3_000_000;
const MOST_REPLICATES = 200;
const LEAST_REPLICATES = 20;

/**
 * The trials of a ratio (target / baseline), as logarithms. Each round gives one ratio, of two exchanges that followed
 * one another closely: what slows the machine for longer than a round slows both, and falls out. See
 * docs/decisions/0048.
 */
export function ratioTrials(pairs: readonly PairedTimes[], random: Random): Trial[] {
  return medianTrials(pairs.map(logRatios), random);
}

/** The interval of log(median) of one target's times. */
export function logMedianInterval(byTrial: readonly Float64Array[], random: Random): HierarchicalInterval {
  const logarithms = byTrial.map((times) => times.map(logMs));
  return hierarchicalInterval(medianTrials(logarithms, random), random);
}

/** The median of each trial's rounds, and what it is when these are resampled. */
function medianTrials(byTrial: readonly Float64Array[], random: Random): Trial[] {
  const replicates = replicatesFor(byTrial.reduce((sum, { length }) => sum + length, 0));
  return byTrial.map((values) => ({
    estimate: median(values),
    resamples: blockBootstrap(values.length, resampledMedian(values), replicates, random),
  }));
}

function replicatesFor(rounds: number): number {
  return Math.min(
    MOST_REPLICATES,
    Math.max(LEAST_REPLICATES, Math.floor(ROUND_BUDGET / Math.max(rounds, 1))),
  );
}
