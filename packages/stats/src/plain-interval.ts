import { blockBootstrap, resampledMedian } from "./block-bootstrap.ts";
import { median, quantile } from "./quantile.ts";
import type { Random } from "./random.ts";
import type { PairedTimes } from "./series.ts";
import { NORMAL_975, studentQuantile975 } from "./student.ts";

const REPLICATES = 1000;

/**
 * 95 % interval of log(median of the target / median of the baseline) for one pair of instances, by block bootstrap of its
 * rounds alone. It says how those two processes compare, not how two builds do: another pair would lean elsewhere.
 *
 * The percentiles are expanded as for a mean of as many values as there are blocks: by √(k / (k - 1)) · t(k - 1) / z
 * (after Hesterberg, "What Teachers Should Know About the Bootstrap", 2015).
 *
 * @param pair at least four rounds.
 */
export function plainLogRatioInterval({ target, baseline }: PairedTimes, random: Random) {
  const rounds = target.length;
  const targetMedian = resampledMedian(target);
  const baselineMedian = resampledMedian(baseline);
  const resamples = blockBootstrap(
    rounds,
    (timesDrawn) => Math.log(targetMedian(timesDrawn) / baselineMedian(timesDrawn)),
    REPLICATES,
    random,
  ).sort();
  const estimate = Math.log(median(target) / median(baseline));
  const blocks = Math.round(rounds / Math.ceil(Math.cbrt(rounds)));
  const expansion = (Math.sqrt(blocks / (blocks - 1)) * studentQuantile975(blocks - 1)) / NORMAL_975;
  return {
    estimate,
    low: estimate + (quantile(resamples, 0.025) - estimate) * expansion,
    high: estimate + (quantile(resamples, 0.975) - estimate) * expansion,
  };
}
