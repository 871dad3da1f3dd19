import { mean, quantile, variance } from "./quantile.ts";
import { drawBelow, type Random } from "./random.ts";
import { studentQuantile975 } from "./student.ts";

/** One trial (a trial): its estimate, and what the estimate is when its rounds are resampled. */
export interface Trial {
  readonly estimate: number;
  readonly resamples: Float64Array;
}

/** The mean of the trials' estimates with a 95 % interval, and where the scatter comes from. */
export interface HierarchicalInterval {
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
  /** Standard deviation between trials, beyond what their rounds explain. */
  readonly between: number;
  /** Standard error of a trial's estimate that its rounds explain (root of the mean variance). */
  readonly within: number;
}

const REPLICATES = 2000;

/**
 * 95 % interval of a mean over trials by hierarchical bootstrap: trials are resampled first, then rounds within
 * each (Saravanan, Berman & Sober, 2020).
 *
 * Two corrections keep its coverage with few trials; both are checked by simulation (docs/coverage.md).
 * - Resampling both levels counts the rounds' noise twice, since the trials' estimates contain it already
 *   (Davison & Hinkley, 1997, section 3.8). So the upper level is shrunk until a draw's variance is the variance that was
 *   observed between trials, neither more nor less.
 * - Quantiles of a bootstrap of G trials are too narrow (Hesterberg, 2015), the more so when few trials hold
 *   most of the noise. So the bootstrap gives the interval's shape, how much of it lies on either side of the estimate, and
 *   Student's t its width: 2 · t(0.975; G - 1) · s / √G, with s the standard deviation between trials.
 *
 * @param trials at least two, each with the same number of resamples; estimates on a scale on which differences add up (logarithms of times or ratios).
 */
export function hierarchicalInterval(trials: readonly Trial[], random: Random): HierarchicalInterval {
  const count = trials.length;
  if (count < 2) throw new RangeError("An interval over trials needs at least two.");
  const estimates = trials.map((trial) => trial.estimate);
  const estimate = mean(estimates);
  const observed = variance(estimates);
  const withinVariance = mean(trials.map((trial) => variance(trial.resamples)));
  // What part of the observed variance the rounds explain; resampled estimates carry the bootstrap's own G - 1 over G.
  const explained = observed === 0 ? 1 : Math.min(1, withinVariance / observed);
  const upperScale = Math.sqrt(((1 - explained) * count) / (count - 1));
  const lowerScale =
    observed === 0 ? 1 : withinVariance === 0 ? 0 : Math.sqrt((explained * observed) / withinVariance);

  // Drawing a trial and then one of its resamples is drawing one of all, as long as each has equally many.
  const deviations = Float64Array.from(
    trials.flatMap(({ estimate: own, resamples }) => {
      const centre = mean(resamples);
      return Array.from(
        resamples,
        (resample) => upperScale * (own - estimate) + lowerScale * (resample - centre),
      );
    }),
  );
  const draws = Float64Array.from({ length: REPLICATES }, () => {
    let sum = 0;
    for (let drawn = 0; drawn < count; drawn++) {
      sum += deviations[drawBelow(random, deviations.length)] as number;
    }
    return sum / count;
  }).sort();
  const below = quantile(draws, 0.025);
  const above = quantile(draws, 0.975);
  // Trials that agree to the last digit (a coarse clock): then what their rounds say is all there is to go by.
  const total = observed === 0 ? withinVariance : observed;
  const width = 2 * studentQuantile975(count - 1) * Math.sqrt(total / count);
  const scale = above > below ? width / (above - below) : 0;
  return {
    estimate,
    low: estimate + below * scale,
    high: estimate + above * scale,
    between: Math.sqrt(Math.max(0, observed - withinVariance)),
    within: Math.sqrt(withinVariance),
  };
}
