import { mean, quantile, variance } from "./quantile.ts";
import { drawBelow, type Random } from "./random.ts";
import { studentQuantile975 } from "./student.ts";
import { trialWeights, weightedMean } from "./trial-weights.ts";

/** One trial: its estimate, and what the estimate is when its rounds are resampled. */
export interface Trial {
  readonly estimate: number;
  readonly resamples: Float64Array;
}

/** The mean of the trials' estimates, each by what it says, with a 95 % interval; and where the scatter comes from. */
export interface HierarchicalInterval {
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
  /** Standard deviation between trials, beyond what their rounds explain. */
  readonly between: number;
  /** Standard error of a trial's estimate that its rounds explain (root of the mean variance). */
  readonly within: number;
  /** Variance between trials that the width comes from, that of other comparisons in it. */
  readonly scatter: number;
}

const REPLICATES = 2000;
/** What the scatter of the other comparisons counts, all together, in trials of one's own. */
const BORROWED = 1;

/**
 * 95 % interval of a mean over trials by hierarchical bootstrap: trials are resampled first, then rounds within
 * each (Saravanan, Berman & Sober, 2020). Each trial counts by what it says (`trialWeights`).
 *
 * Two corrections keep its coverage with few trials; both are checked by simulation (docs/coverage.md).
 * - Resampling both levels counts the rounds' noise twice, since the trials' estimates contain it already
 *   (Davison & Hinkley, 1997, section 3.8). So the upper level is shrunk until a draw's variance is the
 *   variance that was
 *   observed between trials, neither more nor less.
 * - Quantiles of a bootstrap of G trials are too narrow (Hesterberg, 2015), the more so when few trials hold
 *   most of the noise. So the bootstrap gives the interval's shape, how much of it lies on either side of the
 *   estimate, and
 *   Student's t its width: 2 · t(0.975; G - 1) · s / √G, with s the weighted standard deviation between trials
 *   (Hartung & Knapp, 2001).
 *
 * Three trials hardly know their own scatter. So that of other comparisons of the same case counts too
 * (Smyth, 2004), together as much as one more trial: s² is the mean of both by degrees of freedom, and t has
 * the sum of these. See docs/decisions/0053.
 *
 * @param trials at least two, each with the same number of resamples; estimates on a scale on which
 *   differences add up (logarithms of times or ratios).
 * @param others scatter of other comparisons of the same case (`scatterOf`).
 */
export function hierarchicalInterval(
  trials: readonly Trial[],
  random: Random,
  others: readonly number[] = [],
): HierarchicalInterval {
  const count = trials.length;
  const centred = weighed(trials);
  const draws = bootstrap(trials, centred, random);
  const below = quantile(draws, 0.025);
  const above = quantile(draws, 0.975);
  const { scatter, freedom } = sharedScatter(centred, count, others);
  const width = 2 * studentQuantile975(freedom) * Math.sqrt(scatter / count);
  const scale = above > below ? width / (above - below) : 0;
  const { estimate } = centred;
  const estimates = trials.map((trial) => trial.estimate);
  const withinVariance = mean(trials.map(({ resamples }) => variance(resamples)));
  return {
    estimate,
    low: estimate + below * scale,
    high: estimate + above * scale,
    between: Math.sqrt(Math.max(0, variance(estimates) - withinVariance)),
    within: Math.sqrt(withinVariance),
    scatter,
  };
}

/**
 * Variance between the trials' estimates, each by what it says.
 *
 * @param trials at least two.
 */
export function scatterOf(trials: readonly Trial[]): number {
  return observedIn(weighed(trials));
}

/** Own and others' scatter, by degrees of freedom. */
function sharedScatter(centred: Centred, count: number, others: readonly number[]) {
  const own = count - 1;
  const borrowed = others.length === 0 ? 0 : BORROWED;
  const ofOthers = borrowed === 0 ? 0 : mean(others);
  const scatter = (own * observedIn(centred) + borrowed * ofOthers) / (own + borrowed);
  return { scatter, freedom: own + borrowed };
}

/** Trials that agree to the last digit (a coarse clock): then what their rounds say is all there is to go by. */
function observedIn({ observed, ofRounds }: Centred): number {
  return observed === 0 ? ofRounds : observed;
}

interface Centred {
  readonly estimate: number;
  /** Variance between trials' estimates, and that which their rounds alone explain; both by the trials' weights. */
  readonly observed: number;
  readonly ofRounds: number;
  readonly weights: readonly number[];
}

function weighed(trials: readonly Trial[]): Centred {
  const count = trials.length;
  if (count < 2) throw new RangeError("An interval over trials needs at least two.");
  const estimates = trials.map((trial) => trial.estimate);
  const variances = trials.map((trial) => variance(trial.resamples));
  const weights = trialWeights(estimates, variances);
  const estimate = weightedMean(estimates, weights);
  const squares = estimates.map((own) => (own - estimate) ** 2);
  return {
    estimate,
    observed: (weightedMean(squares, weights) * count) / (count - 1),
    ofRounds: weightedMean(variances, weights),
    weights,
  };
}

/** Means of as many drawn trials as there are, less the estimate, in ascending order. */
function bootstrap(
  trials: readonly Trial[],
  { estimate, observed, ofRounds, weights }: Centred,
  random: Random,
): Float64Array {
  const count = trials.length;
  // What part of the observed variance the rounds explain; resampled estimates carry the bootstrap's own G - 1 over G.
  const explained = observed === 0 ? 1 : Math.min(1, ofRounds / observed);
  const upperScale = Math.sqrt(((1 - explained) * count) / (count - 1));
  const lowerScale = observed === 0 ? 1 : ofRounds === 0 ? 0 : Math.sqrt((explained * observed) / ofRounds);
  const deviations = trials.map(({ estimate: own, resamples }) => {
    const centre = mean(resamples);
    return resamples.map((one) => upperScale * (own - estimate) + lowerScale * (one - centre));
  });
  const draw = drawByWeight(weights, random);
  return Float64Array.from({ length: REPLICATES }, () => {
    let sum = 0;
    for (let drawn = 0; drawn < count; drawn++) {
      const own = deviations[draw()] as Float64Array;
      sum += own[drawBelow(random, own.length)] as number;
    }
    return sum / count;
  }).sort();
}

/** Draws indexes by weights that add up to 1. */
function drawByWeight(weights: readonly number[], random: Random): () => number {
  return () => {
    let left = random();
    const found = weights.findIndex((weight) => {
      left -= weight;
      return left < 0;
    });
    return found === -1 ? weights.length - 1 : found;
  };
}
