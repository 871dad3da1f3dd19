import { logMs } from "./logarithm.ts";
import type { Cell } from "./model.ts";
import { mean, median } from "./quantile.ts";
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
 * One value for each instance. Where all targets of a trial share rounds, each is measured from their middle in the
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
      return rounds === undefined || rounds.ms.length < leastRounds ? [] : [{ target, rounds }];
    });
    const places = besideOthers(
      seen.map(({ rounds }) => rounds),
      leastRounds,
    );
    return seen.map(({ target, rounds }, index): InstanceCell => {
      const own = Math.log(median(rounds.ms));
      const warmth = warm.get(target)?.get(trial);
      return {
        ...{ target, block: trial, rounds: rounds.ms.length, logMs: own },
        value: places?.[index] ?? own,
        cold: warmth === undefined || warmth.warm ? null : warmth.reason,
      };
    });
  });
}

/** Medians over shared rounds of what each is above the mean of all; null where they share too few. */
function besideOthers(all: readonly Rounds[], leastRounds: number): readonly number[] | null {
  const [first, ...others] = all;
  if (first === undefined) return null;
  const places = others.map(({ index }) => new Map([...index].map((round, place) => [round, place])));
  const shared = [...first.index].flatMap((round, place) => {
    const found = places.map((own) => own.get(round));
    return found.includes(undefined) ? [] : [[place, ...(found as number[])]];
  });
  if (shared.length < leastRounds) return null;
  const logs = shared.map((round) =>
    round.map((place, target) => logMs((all[target] as Rounds).ms[place] as number)),
  );
  const centres = logs.map(mean);
  return all.map((_, target) =>
    median(logs.map((round, index) => (round[target] as number) - (centres[index] as number))),
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
