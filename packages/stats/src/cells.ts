import type { Metric, Sample } from "@evenbench/results";
import type { Cell } from "./model.ts";
import { logMs, median } from "./numbers.ts";
import type { WarmInstances } from "./warm-instances.ts";

/** Rounds of one trial, ascending, each with its time in milliseconds. */
interface Rounds {
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

/**
 * Sorts a case's measured samples by target. Failed ones are counted, but their times are not used; those whose metric
 * is not known (CPU time that nobody accounts for) are left out.
 */
export function seriesByTarget(
  samples: Iterable<Sample>,
  caseId: string,
  metric: Metric,
): Map<string, Series> {
  const found = new Map<string, { trials: Map<number, [number, number][]>; errors: number }>();
  for (const sample of samples) {
    if (sample.caseId !== caseId || sample.phase !== "measure") continue;
    const own = found.get(sample.target) ?? { trials: new Map(), errors: 0 };
    found.set(sample.target, own);
    const ms = sample[metric];
    if (sample.error !== null) own.errors += 1;
    if (sample.error !== null || ms === null) continue;
    const rounds = own.trials.get(sample.trial) ?? [];
    own.trials.set(sample.trial, rounds);
    rounds.push([sample.roundIndex, ms]);
  }
  return new Map(
    [...found].map(([target, { trials, errors }]) => [target, seriesOf(trials, errors)] as const),
  );
}

/** @param trials pairs of a round and its time in milliseconds. */
export function seriesOf(
  trials: ReadonlyMap<number, readonly (readonly [number, number])[]>,
  errors = 0,
): Series {
  const ascending = [...trials]
    .sort(([a], [b]) => a - b)
    .map(([trial, rounds]) => {
      const ordered = rounds.toSorted(([a], [b]) => a - b);
      const index = Float64Array.from(ordered, ([round]) => round);
      return [trial, { index, ms: Float64Array.from(ordered, ([, ms]) => ms) }] as const;
    });
  const exchanges = ascending.reduce((count, [, { ms }]) => count + ms.length, 0);
  return { trials: new Map(ascending), exchanges, errors };
}

/** Below these there is no interval. */
export const LEAST_TRIALS = 2;
export const LEAST_ROUNDS = 3;

/** What one instance showed: a block is its trial, or its repetition. */
export interface InstanceCell extends Cell {
  readonly block: number;
  readonly rounds: number;
  /** Logarithm of what it took, in milliseconds. */
  readonly logMs: number;
  /** Why it was not warm; null where it was. */
  readonly cold: string | null;
  /** Whether it still became faster, as all of its trial did. */
  readonly falls: boolean;
}

/** One value of one instance. Milliseconds. */
export interface InstanceValue {
  readonly target: string;
  readonly trial: number;
  readonly ms: number;
}

/** Of what has one value for each instance. Those that are not above 0 have no ratio, and are left out. */
export function valueCells(values: readonly InstanceValue[], warm?: WarmInstances): readonly InstanceCell[] {
  return values
    .filter(({ ms }) => ms > 0)
    .map(({ target, trial, ms }) => ({
      ...{ target, block: trial, rounds: 1, logMs: Math.log(ms), value: Math.log(ms) },
      ...warmthOf(target, trial, warm),
    }));
}

/**
 * Of what has a value for each round. Where the warm targets of a trial share rounds, all are measured from their middle
 * in the same round, so that a trial whose speed changes on the way moves none of them.
 */
export function instanceCells(
  series: ReadonlyMap<string, Series>,
  targets: readonly string[],
  warm?: WarmInstances,
  leastRounds = LEAST_ROUNDS,
): readonly InstanceCell[] {
  const trials = new Set(targets.flatMap((target) => [...(series.get(target)?.trials.keys() ?? [])]));
  return [...trials].flatMap((trial) => {
    const seen = targets.flatMap((target) => {
      const rounds = series.get(target)?.trials.get(trial);
      return rounds === undefined || rounds.ms.length < leastRounds
        ? []
        : [{ target, rounds, ...warmthOf(target, trial, warm) }];
    });
    const middles = middleOfRounds(seen.flatMap(({ rounds, cold }) => (cold === null ? [rounds] : [])));
    const beside = seen.map(({ rounds: { index, ms } }) =>
      [...index].flatMap((round, place) => {
        const middle = middles.get(round);
        return middle === undefined ? [] : [logMs(ms[place] as number) - middle];
      }),
    );
    const areShared = beside.every(({ length }) => length >= leastRounds);
    return seen.map(({ target, rounds, cold, falls }, index): InstanceCell => {
      const own = logMs(median(rounds.ms));
      const value = areShared ? median(beside[index] as number[]) : own;
      return { target, block: trial, rounds: rounds.ms.length, logMs: own, value, cold, falls };
    });
  });
}

function warmthOf(target: string, trial: number, warm?: WarmInstances): Pick<InstanceCell, "cold" | "falls"> {
  const seen = warm?.get(target)?.get(trial);
  const isCold = seen !== undefined && !seen.warm;
  return { cold: isCold ? (seen.reason ?? "was not warm") : null, falls: seen?.falls ?? false };
}

/** Of the rounds that all of them have, the mean of their logarithms. */
function middleOfRounds(all: readonly Rounds[]): ReadonlyMap<number, number> {
  const sums = new Map<number, { sum: number; count: number }>();
  for (const { index, ms } of all)
    index.forEach((round, place) => {
      const { sum = 0, count = 0 } = sums.get(round) ?? {};
      sums.set(round, { sum: sum + logMs(ms[place] as number), count: count + 1 });
    });
  return new Map(
    [...sums].flatMap(([round, { sum, count }]) =>
      count === all.length ? [[round, sum / count] as const] : [],
    ),
  );
}

/** The one rule for warm: a target with fewer than two warm trials, or fewer than half, has no verdict. */
export function coldTargets(
  cells: readonly Pick<InstanceCell, "target" | "cold">[],
): ReadonlyMap<string, string> {
  return new Map(
    [...Map.groupBy(cells, ({ target }) => target)].flatMap(([target, own]) => {
      const cold = own.filter((cell) => cell.cold !== null);
      const isEnough = own.length - cold.length >= Math.max(LEAST_TRIALS, own.length / 2);
      return cold.length === 0 || isEnough
        ? []
        : [[target, `${cold.length} of ${own.length} trials: ${target} ${cold[0]?.cold}`] as const];
    }),
  );
}
