import { mean, variance } from "./quantile.ts";

/**
 * How much the logarithms of variances that are estimated from some rounds each scatter, where the true ones
 * are equal.
 */
const SCATTER_OF_EQUALS = 1;
/** A variance that came out smaller than this part of the mean one is taken for as large. */
const LEAST_PART = 0.05;
const BISECTIONS = 60;

/**
 * What each trial counts in the mean over all, adding up to 1. A machine that is unsteady for a while makes
 * some trials say less than others: each counts by the inverse of its variance, that between instances and
 * that of its own rounds (Hartung & Knapp, 2001; the former by Paule & Mandel, 1982).
 *
 * A variance from a few rounds is itself uncertain, and what is too small by chance must not rule. So their
 * logarithms are drawn together: wholly where they differ by no more than equal ones would, hardly where they
 * differ by much (as Smyth, 2004, does with those of genes). Trials that are alike then count alike.
 *
 * @param estimates of at least two trials.
 * @param variances of these estimates by their rounds alone.
 */
export function trialWeights(estimates: readonly number[], variances: readonly number[]): readonly number[] {
  const own = drawnTogether(variances);
  const between = betweenVariance(estimates, own);
  return normalised(own.map((variance) => 1 / (between + variance)));
}

function drawnTogether(variances: readonly number[]): readonly number[] {
  const average = mean(variances);
  if (average === 0) return variances.map(() => 1);
  const logs = variances.map((one) => Math.log(Math.max(one, LEAST_PART * average)));
  const centre = mean(logs);
  const scatter = variance(logs);
  const kept = scatter <= SCATTER_OF_EQUALS ? 0 : 1 - SCATTER_OF_EQUALS / scatter;
  return logs.map((log) => Math.exp(centre + kept * (log - centre)));
}

/**
 * The variance between trials with which their weighted squares around the mean are as large as they should
 * be; 0 where they are smaller anyway.
 */
function betweenVariance(estimates: readonly number[], own: readonly number[]): number {
  const excess = (between: number) => {
    const weights = own.map((variance) => 1 / (between + variance));
    const centre = weightedMean(estimates, normalised(weights));
    const squares = estimates.reduce(
      (sum, one, index) => sum + (weights[index] as number) * (one - centre) ** 2,
      0,
    );
    return squares - (estimates.length - 1);
  };
  let [low, high] = [0, variance(estimates)];
  if (excess(low) <= 0) return 0;
  // With as much between them as was observed in all, there is never too little.
  for (let step = 0; step < BISECTIONS; step++) {
    const middle = (low + high) / 2;
    if (excess(middle) > 0) low = middle;
    else high = middle;
  }
  return high;
}

function normalised(weights: readonly number[]): readonly number[] {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

/** @param weights that add up to 1. */
export function weightedMean(values: readonly number[], weights: readonly number[]): number {
  return values.reduce((sum, value, index) => sum + (weights[index] as number) * value, 0);
}
