import { scatterOf, type Trial } from "./hierarchical.ts";
import { ratioTrials } from "./interval.ts";
import { type Random, seededRandom } from "./random.ts";
import { type PairedRounds, pairRounds, type Series } from "./series.ts";
import type { WarmInstances } from "./warm-instances.ts";

/** Below these there is no interval, only "cannot tell". */
export const LEAST_TRIALS = 2;
export const LEAST_ROUNDS = 3;

/** One case's times in one metric, and what is asked of them all alike. */
export interface Measured {
  readonly series: ReadonlyMap<string, Series>;
  /** Which instances were warm; without it, all count as warm. */
  readonly warm: WarmInstances | undefined;
  readonly seed: number;
}

/** The trials that count for a ratio of two targets. */
export interface CountingTrials {
  readonly pairs: readonly PairedRounds[];
  /** Their estimates; none where they are too few for an interval. */
  readonly trials: readonly Trial[];
  /** Where the resamples' random numbers go on. */
  readonly random: Random;
  /** Why the trials are all those that were measured, warm or not; null where at least half of them were warm. */
  readonly cold: string | null;
}

/**
 * The trials in which both targets were warm, where these are at least half of them and enough for an
 * interval; else all.
 */
export function countingTrials(measured: Measured, target: string, by: string): CountingTrials {
  const { pairs, cold } = countingPairs(measured, target, by);
  const random = seededRandom(measured.seed);
  return { pairs, cold, random, trials: pairs.length < LEAST_TRIALS ? [] : ratioTrials(pairs, random) };
}

/**
 * By how much each target's ratio scatters between trials; nothing of those with too few trials, or that were
 * not warm.
 */
export function scatterOfOthers(
  counting: ReadonlyMap<string, CountingTrials>,
  target: string | null,
): readonly number[] {
  return [...counting].flatMap(([name, { trials, cold }]) =>
    name === target || trials.length === 0 || cold !== null ? [] : [scatterOf(trials)],
  );
}

function countingPairs(
  { series, warm }: Measured,
  target: string,
  baseline: string,
): Pick<CountingTrials, "pairs" | "cold"> {
  const [own, other] = [series.get(target), series.get(baseline)];
  if (own === undefined || other === undefined) return { pairs: [], cold: null };
  const all = pairRounds(own, other).filter((pair) => pair.target.length >= LEAST_ROUNDS);
  const coldest = (trial: number) =>
    [target, baseline].flatMap((name) => {
      const seen = warm?.get(name)?.get(trial);
      return seen === undefined || seen.warm ? [] : [`${name} ${seen.reason}`];
    })[0];
  const pairs = all.filter(({ trial }) => coldest(trial) === undefined);
  if (pairs.length >= Math.max(LEAST_TRIALS, all.length / 2)) return { pairs, cold: null };
  const why = all.map(({ trial }) => coldest(trial)).find((reason) => reason !== undefined);
  const count = all.length - pairs.length;
  return {
    pairs: all,
    cold: why === undefined ? null : `${count} of ${all.length} trials: ${why}`,
  };
}
