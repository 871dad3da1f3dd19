import type { Sample } from "@evenbench/results";
import { analyseCase } from "./analyse-case.ts";
import type { Metric, RatioInterval } from "./analysis.ts";
import { chiSquareQuantiles } from "./chi-square.ts";
import { plainLogRatioInterval } from "./plain-interval.ts";
import { variance } from "./quantile.ts";
import { seededRandom } from "./random.ts";
import { pairRounds, seriesByTarget } from "./series.ts";

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
    readonly seed: number;
  },
): CorrelatedNoise | null {
  const { caseId, metric, target, baseline, seed } = question;
  const { comparisons } = analyseCase(samples, { ...question, copy: null, targets: [target], precision: 0 });
  const comparison = comparisons[0];
  if (comparison?.ratio == null || comparison.withinInstances === null || comparison.trials < 5) return null;
  const series = seriesByTarget(samples, caseId, metric);
  const [own, other] = [series.get(target), series.get(baseline)];
  if (own === undefined || other === undefined) return null;
  const observed = Math.sqrt(variance(comparison.byTrial.map(Math.log)));
  const explained = comparison.withinInstances;
  const degrees = comparison.trials - 1;
  const { low, high } = chiSquareQuantiles(degrees);
  const excess = explained > 0 ? observed / explained : Number.POSITIVE_INFINITY;
  const pairs = pairRounds(own, other);
  return {
    trials: comparison.trials,
    rounds: comparison.rounds,
    byInstances: comparison.ratio,
    byRequests: requestInterval(
      Float64Array.from(pairs.flatMap((pair) => [...pair.target])),
      Float64Array.from(pairs.flatMap((pair) => [...pair.baseline])),
      seed,
    ),
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

/** All rounds as if one pair of instances had played them. */
function requestInterval(target: Float64Array, baseline: Float64Array, seed: number): RatioInterval {
  const { estimate, low, high } = plainLogRatioInterval({ target, baseline }, seededRandom(seed));
  return { estimate: Math.exp(estimate), low: Math.exp(low), high: Math.exp(high), level: 0.95 };
}
