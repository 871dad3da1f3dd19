import { blocksOf, levelSegments } from "./change-points.ts";
import { driftOf, isSameLevel } from "./drift.ts";
import { logMs, mean, quantile, sorted } from "./numbers.ts";
import { WARM_UP } from "./warm-up-policy.ts";

const { blockLength, minLevelLength, fastShare, latestShare, seriesDriftShare } = WARM_UP.level;

/** The result of a search for the warm-up that an instance needs. */
export interface WarmUpNeed {
  /** Number of exchanges before the instance came to its lasting level; 0 without a slower one. */
  readonly exchanges: number;
  /** True if enough exchanges came after it to call the level the last one. */
  readonly reached: boolean;
}

/**
 * Finds after how many exchanges a fresh instance came to its lasting level: the beginning of the first level
 * that is not 10 % slower than the fastest quarter of what is to come. It is looked for in single exchanges
 * and in means of six, and the later one counts: a program that collects garbage in every second or third
 * exchange has two medians, and a slow fall hides in its scatter.
 *
 * What a just-in-time compiler does after the end of the series nobody can know (Barrett et al., "Virtual
 * machine warmup blows hot and cold", OOPSLA 2017).
 *
 * @param costs of an instance's exchanges from the first one on, in milliseconds: CPU time, or time to the
 *   last byte where there is no account of it.
 */
export function warmUpNeed(costs: readonly number[]): WarmUpNeed {
  const bySingle = lastLevelStart(costs.map(logMs), minLevelLength);
  const skipped = costs.length % blockLength;
  const blocks = blocksOf(costs.slice(skipped), blockLength, (block) => logMs(mean(block)));
  const byBlock = blocks.length < 2 * blockLength ? 0 : skipped + blockLength * lastLevelStart(blocks, 2);
  const exchanges = Math.max(bySingle, byBlock);
  return { exchanges, reached: exchanges <= latestShare * costs.length };
}

/** The index at which a series of logarithms comes to its lasting level. */
function lastLevelStart(values: readonly number[], minLength: number): number {
  const segments = levelSegments(values, Math.min(minLength, Math.max(1, Math.floor(values.length / 4))));
  const levels = segments.flatMap(({ start, end, level }) => new Array<number>(end - start).fill(level));
  const lasting = segments.find(({ start, level }) => {
    const fast = quantile(sorted(levels.slice(start)), fastShare);
    return level <= fast || isSameLevel(level - fast);
  });
  let from = lasting?.start ?? 0;
  // A fall too slow to be a step: its first third is no part of the lasting level.
  while (driftOf(values.slice(from), seriesDriftShare) < 0) {
    from += Math.floor((values.length - from) / 3);
  }
  return from;
}
