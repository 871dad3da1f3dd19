import type { Sample } from "@evenbench/results";
import type { RatioInterval } from "./analysis.ts";
import { geometricInterval } from "./mean-interval.ts";
import { mean, median } from "./quantile.ts";

/** What a target's time is beyond sending the same bytes without any work. Milliseconds. */
export interface ComputeTime {
  readonly target: string;
  /** Mean over trials of the median time to the last byte of the payload of the same length and parts. */
  readonly transferMs: number;
  /**
   * Mean over trials of: median time to the case's last byte, less that trial's transfer time. Below 0 where
   * noise exceeds it.
   */
  readonly computeMs: number;
  /**
   * Geometric mean of work times' ratios to the baseline's, with Student's t; null for the baseline, with
   * fewer than two trials, and where a trial's compute time is not above 0.
   */
  readonly ratio: RatioInterval | null;
}

/** The first transfer rounds warm up what only the payload uses. */
const TRANSFER_WARMUP_ROUNDS = 3;

/**
 * Compute time = last byte - transfer time, in each trial. The transfer time is taken off before the ratio is
 * made, so what both sides spend on the way does not draw the ratio towards 1.
 *
 * @param samples of one case; those of phases "measure" and "transfer" count, without the failed ones.
 * @returns one entry for each of `targets` that has a transfer time.
 */
export function computeTimes(
  samples: readonly Sample[],
  targets: readonly string[],
  baseline: string,
): readonly ComputeTime[] {
  const measured = mediansByInstance(samples.filter(({ phase }) => phase === "measure"));
  const transfers = mediansByInstance(
    samples.filter(({ phase, roundIndex }) => phase === "transfer" && roundIndex >= TRANSFER_WARMUP_ROUNDS),
  );
  const computeOf = (target: string) =>
    new Map(
      [...(transfers.get(target) ?? [])].flatMap(([trial, transferMs]) => {
        const ms = measured.get(target)?.get(trial);
        return ms === undefined ? [] : [[trial, ms - transferMs] as const];
      }),
    );
  const ofBaseline = computeOf(baseline);
  return targets.flatMap((target) => {
    const own = computeOf(target);
    if (own.size === 0) return [];
    return [
      {
        target,
        transferMs: mean([...(transfers.get(target)?.values() ?? [])]),
        computeMs: mean([...own.values()]),
        ratio: target === baseline ? null : ratioOf(own, ofBaseline),
      },
    ];
  });
}

function ratioOf(own: ReadonlyMap<number, number>, other: ReadonlyMap<number, number>): RatioInterval | null {
  const pairs = [...own].flatMap(([trial, ms]) => {
    const base = other.get(trial);
    return base === undefined ? [] : [[ms, base] as const];
  });
  if (pairs.some(([ms, base]) => ms <= 0 || base <= 0)) return null;
  return geometricInterval(pairs.map(([ms, base]) => Math.log(ms / base)));
}

/** Median time to the last byte by target and trial. */
function mediansByInstance(samples: readonly Sample[]): ReadonlyMap<string, ReadonlyMap<number, number>> {
  const good = samples.filter(({ error, lastByteMs }) => error === null && lastByteMs !== null);
  const byTarget = Map.groupBy(good, ({ target }) => target);
  return new Map(
    [...byTarget].map(([target, own]) => {
      const byTrial = Map.groupBy(own, ({ trial }) => trial);
      const medians = [...byTrial].map(
        ([trial, rounds]) => [trial, median(rounds.map(({ lastByteMs }) => lastByteMs ?? 0))] as const,
      );
      return [target, new Map(medians)];
    }),
  );
}
