import type { Sample } from "@evenbench/core";
import type { RatioInterval } from "./analysis.ts";
import { geometricInterval } from "./geometric.ts";
import { mean, median } from "./quantile.ts";

/** What a target's time is beyond sending the same bytes without any work. Milliseconds. */
export interface WorkTime {
  readonly target: string;
  /** Mean over sets of instances of the median time to the last byte of the payload of the same length and parts. */
  readonly floorMs: number;
  /** Mean over sets of instances of: median time to the case's last byte, less that set's floor. Below 0 where noise exceeds work. */
  readonly workMs: number;
  /** Geometric mean of work times' ratios to the baseline's, with Student's t; null for the baseline, with fewer than two sets, and where a set's work time is not above 0. */
  readonly ratio: RatioInterval | null;
}

/** The first floor rounds warm up what only the payload uses. */
const FLOOR_WARMUP_ROUNDS = 3;

/**
 * Work time = last byte - floor, in each set of instances. The floor is taken off before the ratio is made, so what both sides
 * spend on the way does not draw the ratio towards 1.
 *
 * @param samples of one case; those of phases "measure" and "floor" count, without the failed ones.
 * @returns one entry for each of `targets` that has a floor.
 */
export function workTimes(
  samples: readonly Sample[],
  targets: readonly string[],
  baseline: string,
): readonly WorkTime[] {
  const measured = mediansByInstance(samples.filter(({ phase }) => phase === "measure"));
  const floors = mediansByInstance(
    samples.filter(({ phase, roundIndex }) => phase === "floor" && roundIndex >= FLOOR_WARMUP_ROUNDS),
  );
  const workOf = (target: string) =>
    new Map(
      [...(floors.get(target) ?? [])].flatMap(([generation, floorMs]) => {
        const ms = measured.get(target)?.get(generation);
        return ms === undefined ? [] : [[generation, ms - floorMs] as const];
      }),
    );
  const ofBaseline = workOf(baseline);
  return targets.flatMap((target) => {
    const own = workOf(target);
    if (own.size === 0) return [];
    return [
      {
        target,
        floorMs: mean([...(floors.get(target)?.values() ?? [])]),
        workMs: mean([...own.values()]),
        ratio: target === baseline ? null : ratioOf(own, ofBaseline),
      },
    ];
  });
}

function ratioOf(own: ReadonlyMap<number, number>, other: ReadonlyMap<number, number>): RatioInterval | null {
  const pairs = [...own].flatMap(([generation, ms]) => {
    const base = other.get(generation);
    return base === undefined ? [] : [[ms, base] as const];
  });
  if (pairs.some(([ms, base]) => ms <= 0 || base <= 0)) return null;
  return geometricInterval(pairs.map(([ms, base]) => Math.log(ms / base)));
}

/** Median time to the last byte by target and set of instances. */
function mediansByInstance(samples: readonly Sample[]): ReadonlyMap<string, ReadonlyMap<number, number>> {
  const good = samples.filter(({ error, lastByteMs }) => error === null && lastByteMs !== null);
  const byTarget = Map.groupBy(good, ({ target }) => target);
  return new Map(
    [...byTarget].map(([target, own]) => {
      const byGeneration = Map.groupBy(own, ({ generation }) => generation);
      const medians = [...byGeneration].map(
        ([generation, rounds]) =>
          [generation, median(rounds.map(({ lastByteMs }) => lastByteMs ?? 0))] as const,
      );
      return [target, new Map(medians)];
    }),
  );
}
