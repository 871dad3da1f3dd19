import type { Metric, Sample } from "@evenbench/results";
import {
  analyseCase,
  geometricInterval,
  mean,
  median,
  type RatioInterval,
  seriesByTarget,
  variance,
} from "@evenbench/stats";
import chiSquareQuantile from "@stdlib/stats-base-dists-chisquare-quantile";

export const LEAST_TRIALS = 5;
const BATCHES = 8;

/** How two targets that are the same thing differ, by instances and by requests. */
export interface CorrelatedNoise {
  readonly trials: number;
  readonly rounds: number;
  /** The ratio with the interval of the project, whose unit is the instance. */
  readonly byInstances: RatioInterval;
  /** The same with the interval of requests alone, as if all came from one instance. */
  readonly byRequests: RatioInterval;
  /** Standard deviations of the log ratio: between trials as observed, and as their rounds alone explain. */
  readonly observed: number;
  readonly explained: number;
  /** `observed` / `explained`, with the 95 % interval that the chi-square distribution of a variance gives `observed`. */
  readonly excess: RatioInterval;
}

/** Takes apart what scatters between instances and what scatters within them. Null with too few trials. */
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
  if (comparison?.ratio == null || comparison.trials < LEAST_TRIALS) return null;
  const series = seriesByTarget(samples, caseId, metric);
  const times = (name: string, trial: number) => {
    const { index = [], ms = [] } = series.get(name)?.trials.get(trial) ?? {};
    return new Map([...index].map((round, place) => [round, ms[place] ?? Number.NaN]));
  };
  const trials = [...(series.get(target)?.trials.keys() ?? [])].map((trial) => {
    const base = times(baseline, trial);
    return [...times(target, trial)].flatMap(([round, ms]) => {
      const other = base.get(round);
      return other === undefined ? [] : [Math.log(ms / other)];
    });
  });
  const byRequests = geometricInterval(trials.flat());
  if (byRequests === null) return null;
  const explained = Math.sqrt(mean(trials.filter(({ length }) => length > 0).map(errorOfMedian)));
  const observed = Math.sqrt(variance(comparison.byTrial.map(Math.log)));
  const degrees = comparison.trials - 1;
  const excess = explained > 0 ? observed / explained : Number.POSITIVE_INFINITY;
  const at = (share: number) => excess * Math.sqrt(degrees / chiSquareQuantile(share, degrees));
  return {
    ...{ trials: comparison.trials, rounds: comparison.rounds, observed, explained },
    ...{ byInstances: comparison.ratio, byRequests },
    excess: { estimate: excess, low: at(0.975), high: at(0.025), level: 0.95 },
  };
}

/** Variance of a trial's median by batch means: neighbouring rounds are alike (Conway, 1963). */
function errorOfMedian(logs: readonly number[]): number {
  const batches = Math.min(BATCHES, logs.length);
  const size = logs.length / batches;
  const medians = Array.from({ length: batches }, (_, at) =>
    median(logs.slice(Math.floor(at * size), Math.floor((at + 1) * size))),
  );
  return variance(medians) / batches;
}
