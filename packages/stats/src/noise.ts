import type { Sample } from "@evenbench/results";
import { analyseCase } from "./analyse-case.ts";
import type { Metric, RatioInterval } from "./analysis.ts";
import { chiSquareQuantiles } from "./chi-square.ts";
import { geometricInterval } from "./mean-interval.ts";
import { mean, median, variance } from "./quantile.ts";
import { logRatios, pairRounds, seriesByTarget } from "./series.ts";

const BATCHES = 8;

/** How two targets that are the same thing differ, by instances and by requests. */
export interface CorrelatedNoise {
  /** Trials. */
  readonly trials: number;
  readonly rounds: number;
  /**
   * Median of the ratios within rounds, with the interval of the project: instances are resampled, then their
   * rounds.
   */
  readonly byInstances: RatioInterval;
  /** The same ratio with the interval that comes of resampling requests alone, as if all came from one instance. */
  readonly byRequests: RatioInterval;
  /** Standard deviations of the log ratio: between trials as observed, and as their rounds alone explain. */
  readonly observed: number;
  readonly explained: number;
  /**
   * `observed` / `explained`, with the 95 % interval that the chi-square distribution of a variance gives
   * `observed`.
   */
  readonly excess: RatioInterval;
}

/**
 * Takes apart what scatters between instances and what scatters within them. Null with fewer than five trials.
 *
 * @param samples measured exchanges of both targets.
 */
export function correlatedNoise(
  samples: readonly Sample[],
  question: {
    readonly caseId: string;
    readonly metric: Metric;
    readonly target: string;
    readonly baseline: string;
  },
): CorrelatedNoise | null {
  const { caseId, metric, target, baseline } = question;
  const { comparisons } = analyseCase(samples, { ...question, copy: null, targets: [target] });
  const comparison = comparisons[0];
  if (comparison?.ratio == null || comparison.trials < 5) return null;
  const series = seriesByTarget(samples, caseId, metric);
  const [own, other] = [series.get(target), series.get(baseline)];
  if (own === undefined || other === undefined) return null;
  const pairs = pairRounds(own, other);
  const explained = Math.sqrt(mean(pairs.map((pair) => errorOfMedian(logRatios(pair)))));
  const observed = Math.sqrt(variance(comparison.byTrial.map(Math.log)));
  const degrees = comparison.trials - 1;
  const { low, high } = chiSquareQuantiles(degrees);
  const excess = explained > 0 ? observed / explained : Number.POSITIVE_INFINITY;
  return {
    trials: comparison.trials,
    rounds: comparison.rounds,
    byInstances: comparison.ratio,
    byRequests: geometricInterval(pairs.flatMap((pair) => [...logRatios(pair)])) as RatioInterval,
    observed,
    explained,
    excess: {
      estimate: excess,
      low: excess * Math.sqrt(degrees / high),
      high: excess * Math.sqrt(degrees / low),
      level: 0.95,
    },
  };
}

/** Variance of a trial's median by batch means: neighbouring rounds are alike (Conway, 1963). */
function errorOfMedian(logs: Float64Array): number {
  const batches = Math.min(BATCHES, logs.length);
  const size = logs.length / batches;
  const medians = Array.from({ length: batches }, (_, at) =>
    median(logs.subarray(Math.floor(at * size), Math.floor((at + 1) * size))),
  );
  return variance(medians) / batches;
}
