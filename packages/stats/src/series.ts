import type { Sample } from "@evenbench/core";
import type { Metric } from "./analysis.ts";

/** The measured times of one target in one case, by generation and round; milliseconds. */
export interface Series {
  /** generation -> roundIndex -> time. */
  readonly times: ReadonlyMap<number, ReadonlyMap<number, number>>;
  readonly exchanges: number;
  readonly errors: number;
}

/** Sorts a case's samples by target. Warm-up is left out; an exchange with an error is counted, but its time is not used. */
export function seriesByTarget(
  samples: Iterable<Sample>,
  caseId: string,
  metric: Metric,
): Map<string, Series> {
  const found = new Map<
    string,
    { times: Map<number, Map<number, number>>; exchanges: number; errors: number }
  >();
  for (const sample of samples) {
    if (sample.caseId !== caseId || sample.phase !== "measure") continue;
    const series = found.get(sample.target) ?? { times: new Map(), exchanges: 0, errors: 0 };
    found.set(sample.target, series);
    const time = sample[metric];
    if (sample.error !== null || time === null) {
      series.errors += 1;
      continue;
    }
    series.exchanges += 1;
    const rounds = series.times.get(sample.generation) ?? new Map<number, number>();
    series.times.set(sample.generation, rounds);
    rounds.set(sample.roundIndex, time);
  }
  return found;
}

/** All times of a series. */
export function allTimes(series: Series): Float64Array {
  return Float64Array.from([...series.times.values()].flatMap((rounds) => [...rounds.values()]));
}

/** Times of the rounds that two series share, in order of round. */
export interface PairedTimes {
  readonly target: Float64Array;
  readonly baseline: Float64Array;
}

/** Pairs two series round by round; a generation without a shared round is left out. */
export function pairRounds(target: Series, baseline: Series): PairedTimes[] {
  const generations = [...target.times.keys()].sort((a, b) => a - b);
  return generations.flatMap((generation) => {
    const targetRounds = target.times.get(generation) ?? new Map<number, number>();
    const baselineRounds = baseline.times.get(generation) ?? new Map<number, number>();
    const shared = [...targetRounds.keys()]
      .filter((round) => baselineRounds.has(round))
      .sort((a, b) => a - b);
    if (shared.length === 0) return [];
    const times = (rounds: ReadonlyMap<number, number>) =>
      Float64Array.from(shared, (round) => rounds.get(round) as number);
    return [{ target: times(targetRounds), baseline: times(baselineRounds) }];
  });
}
