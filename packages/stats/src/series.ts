import type { Sample } from "@evenbench/results";
import type { Metric } from "./analysis.ts";
import { logMs } from "./logarithm.ts";

/** Rounds of one trial, ascending, each with its time in milliseconds. */
export interface Rounds {
  readonly index: Float64Array;
  readonly ms: Float64Array;
}

/** The measured times of one target in one case. */
export interface Series {
  /** By trial, ascending. */
  readonly trials: ReadonlyMap<number, Rounds>;
  readonly exchanges: number;
  readonly errors: number;
}

interface Collected {
  readonly trials: Map<number, { index: number[]; ms: number[] }>;
  exchanges: number;
  errors: number;
}

/**
 * Sorts a case's samples by target. Warm-up is left out; an exchange with an error is counted, but its time
 * is not used. One without an error of which the metric is not known (CPU time that nobody accounts for) is
 * left out.
 */
export function seriesByTarget(
  samples: Iterable<Sample>,
  caseId: string,
  metric: Metric,
): Map<string, Series> {
  const found = new Map<string, Collected>();
  for (const sample of samples) {
    if (sample.caseId !== caseId || sample.phase !== "measure") continue;
    const series = found.get(sample.target) ?? { trials: new Map(), exchanges: 0, errors: 0 };
    found.set(sample.target, series);
    const time = sample[metric];
    if (sample.error !== null) series.errors += 1;
    if (sample.error !== null || time === null) continue;
    series.exchanges += 1;
    const rounds = series.trials.get(sample.trial) ?? { index: [], ms: [] };
    series.trials.set(sample.trial, rounds);
    rounds.index.push(sample.roundIndex);
    rounds.ms.push(time);
  }
  return new Map([...found].map(([target, series]) => [target, inOrder(series)]));
}

function inOrder({ trials, exchanges, errors }: Collected): Series {
  const ascending = [...trials].sort(([a], [b]) => a - b);
  return {
    trials: new Map(ascending.map(([trial, rounds]) => [trial, sortRounds(rounds)])),
    exchanges,
    errors,
  };
}

function sortRounds({ index, ms }: { index: readonly number[]; ms: readonly number[] }): Rounds {
  const order = index.every((round, place) => place === 0 || round > (index[place - 1] as number))
    ? null
    : Uint32Array.from(index.keys()).sort((a, b) => (index[a] as number) - (index[b] as number));
  const ordered = (values: readonly number[]) =>
    order === null ? Float64Array.from(values) : Float64Array.from(order, (place) => values[place] as number);
  return { index: ordered(index), ms: ordered(ms) };
}

/** All times of a series, in ascending order. */
export function sortedTimes({ trials, exchanges }: Series): Float64Array {
  const times = new Float64Array(exchanges);
  let filled = 0;
  for (const { ms } of trials.values()) {
    times.set(ms, filled);
    filled += ms.length;
  }
  return times.sort();
}

/** Times of the rounds that two series share, in order of round. */
export interface PairedTimes {
  readonly target: Float64Array;
  readonly baseline: Float64Array;
}

/** The logarithm of target / baseline in each round. */
export function logRatios({ target, baseline }: PairedTimes): Float64Array {
  return target.map((ms, round) => logMs(ms) - logMs(baseline[round] as number));
}

/** The same of one trial. */
export interface PairedRounds extends PairedTimes {
  readonly trial: number;
}

/** Pairs two series round by round; a trial without a shared round is left out. */
export function pairRounds(target: Series, baseline: Series): PairedRounds[] {
  return [...target.trials].flatMap(([trial, rounds]) => {
    const others = baseline.trials.get(trial);
    if (others === undefined) return [];
    const pair = { trial, ...sharedRounds(rounds, others) };
    return pair.target.length === 0 ? [] : [pair];
  });
}

function sharedRounds(target: Rounds, baseline: Rounds): PairedTimes {
  const most = Math.min(target.index.length, baseline.index.length);
  const times = { target: new Float64Array(most), baseline: new Float64Array(most) };
  let [shared, a, b] = [0, 0, 0];
  while (a < target.index.length && b < baseline.index.length) {
    const ahead = (target.index[a] as number) - (baseline.index[b] as number);
    if (ahead === 0) {
      times.target[shared] = target.ms[a] as number;
      times.baseline[shared] = baseline.ms[b] as number;
      shared += 1;
    }
    if (ahead <= 0) a += 1;
    if (ahead >= 0) b += 1;
  }
  return { target: times.target.subarray(0, shared), baseline: times.baseline.subarray(0, shared) };
}
