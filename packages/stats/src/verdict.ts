import type { RatioInterval, Verdict } from "./analysis.ts";

/** Differences up to this are called "same". */
const SAME_WITHIN = 0.05;

export interface Judgement {
  readonly verdict: Verdict;
  /** One sentence that says why. */
  readonly reason: string;
}

/**
 * What an interval allows to be said: "same" where it lies within 5 % of 1, "faster" or "slower" where it excludes 1,
 * else "inconclusive", with the bound. What is shown decides: there is no other threshold.
 */
export function judge(ratio: RatioInterval): Judgement {
  const { low, high } = ratio;
  if (furthest(ratio) <= SAME_WITHIN)
    return { verdict: "same", reason: `The whole interval lies within ${percent(SAME_WITHIN)} % of 1.` };
  if (low > 1) return { verdict: "slower", reason: "The whole interval lies above 1." };
  if (high < 1) return { verdict: "faster", reason: "The whole interval lies below 1." };
  return { verdict: "inconclusive", reason: `Inconclusive: ${boundOf(ratio)}. More trials narrow it.` };
}

/** "between 13 % less and 2 % more" */
export function boundOf({ low, high }: RatioInterval): string {
  const side = (ratio: number) =>
    ratio < 1 ? `${percent(1 - ratio)} % less` : `${percent(ratio - 1)} % more`;
  return `between ${side(low)} and ${side(high)}`;
}

function percent(fraction: number): string {
  const value = 100 * fraction;
  return value < 1 ? value.toPrecision(1) : value.toFixed(0);
}

/** How far a ratio is from 1, the same for r and 1/r. */
function deviation(ratio: number): number {
  return Math.max(ratio, 1 / ratio) - 1;
}

/** How far from 1 an interval reaches, as a fraction. */
export function furthest({ low, high }: Pick<RatioInterval, "low" | "high">): number {
  return Math.max(deviation(low), deviation(high));
}
