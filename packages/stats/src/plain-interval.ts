import { blockBootstrap, resampledMedian } from "./block-bootstrap.ts";
import { median, quantile } from "./quantile.ts";
import type { Random } from "./random.ts";
import { logRatios, type PairedTimes } from "./series.ts";
import { NORMAL_975, studentQuantile975 } from "./student.ts";

const REPLICATES = 1000;

/**
 * 95 % interval of the median log ratio (target / baseline) for one pair of instances, by block bootstrap of its
 * rounds alone. It says how those two processes compare, not how two builds do: another pair would lean elsewhere.
 *
 * The percentiles are expanded as for a mean of as many values as there are blocks: by √(k / (k - 1)) · t(k - 1) / z
 * (after Hesterberg, "What Teachers Should Know About the Bootstrap", 2015).
 *
 * @param pair at least four rounds.
 */
export function plainLogRatioInterval(pair: PairedTimes, random: Random) {
  const values = logRatios(pair);
  const resamples = blockBootstrap(values.length, resampledMedian(values), REPLICATES, random).sort();
  const estimate = median(values);
  const blocks = Math.round(values.length / Math.ceil(Math.cbrt(values.length)));
  const expansion = (Math.sqrt(blocks / (blocks - 1)) * studentQuantile975(blocks - 1)) / NORMAL_975;
  return {
    estimate,
    low: estimate + (quantile(resamples, 0.025) - estimate) * expansion,
    high: estimate + (quantile(resamples, 0.975) - estimate) * expansion,
  };
}
