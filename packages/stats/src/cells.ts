import { logMs } from "./logarithm.ts";
import type { Cell } from "./model.ts";
import { median } from "./quantile.ts";
import type { Rounds, Series } from "./series.ts";
import type { WarmInstances } from "./warm-instances.ts";

/** Below these there is no interval. */
export const LEAST_TRIALS = 2;
export const LEAST_ROUNDS = 3;

/** What one instance showed in one trial. */
export interface InstanceCell extends Cell {
  readonly block: number;
  readonly rounds: number;
  /** Logarithm of its median in milliseconds. */
  readonly logMs: number;
  /** Why it was not warm; null where it was. */
  readonly cold: string | null;
}

/**
 * One value for each instance. Where the warm targets of a trial share rounds, all are measured from their middle in the
 * same round, so that a trial whose speed changes on the way moves none of them.
 */
export function instanceCells(
  series: ReadonlyMap<string, Series>,
  targets: readonly string[],
  warm: WarmInstances = new Map(),
  leastRounds = LEAST_ROUNDS,
): readonly InstanceCell[] {
  const trials = new Set(targets.flatMap((target) => [...(series.get(target)?.trials.keys() ?? [])]));
  return [...trials].flatMap((trial) => {
    const seen = targets.flatMap((target) => {
      const rounds = series.get(target)?.trials.get(trial);
      const warmth = warm.get(target)?.get(trial);
      const cold = warmth === undefined || warmth.warm ? null : warmth.reason;
      return rounds === undefined || rounds.ms.length < leastRounds ? [] : [{ target, rounds, cold }];
    });
    const middles = middleOfRounds(seen.flatMap(({ rounds, cold }) => (cold === null ? [rounds] : [])));
    const beside = seen.map(({ rounds: { index, ms } }) =>
      [...index].flatMap((round, place) => {
        const middle = middles.get(round);
        return middle === undefined ? [] : [logMs(ms[place] as number) - middle];
      }),
    );
    const areShared = beside.every(({ length }) => length >= leastRounds);
    return seen.map(({ target, rounds, cold }, index): InstanceCell => {
      const own = logMs(median(rounds.ms));
      const value = areShared ? median(beside[index] as number[]) : own;
      return { target, block: trial, rounds: rounds.ms.length, logMs: own, value, cold };
    });
  });
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
