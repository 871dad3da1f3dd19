/** A ratio (target / baseline) with its interval. A ratio above 1 is a target that takes longer. */
export interface RatioInterval {
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
}

/** "no result": one of the two sides has no measured answer, or was dropped, so that there is nothing to compare. */
export const VERDICTS = ["faster", "slower", "same", "inconclusive", "not warm", "no result"] as const;
export type Verdict = (typeof VERDICTS)[number];

/** Whether a verdict goes with a ratio: neither what was not warm nor what was not measured has one. */
export function isJudged(verdict: string | null): verdict is Exclude<Verdict, "not warm" | "no result"> {
  return verdict !== null && verdict !== "not warm" && verdict !== "no result";
}

export function isDifference(verdict: string | null): verdict is "faster" | "slower" {
  return verdict === "faster" || verdict === "slower";
}

export const SAME_WITHIN = 0.05;

/** What is shown decides: there is no other threshold. */
export function verdictOf(ratio: Pick<RatioInterval, "low" | "high">): {
  readonly verdict: Verdict;
  readonly reason: string;
} {
  if (furthest(ratio) <= SAME_WITHIN) {
    return { verdict: "same", reason: `The whole interval lies within ${percent(SAME_WITHIN)} of 1.` };
  }
  if (ratio.low > 1) {
    return { verdict: "slower", reason: "The whole interval lies above 1." };
  }
  if (ratio.high < 1) {
    return { verdict: "faster", reason: "The whole interval lies below 1." };
  }
  const found = `A slowdown of ${percent(detectable(ratio))} would have been found.`;
  return {
    verdict: "inconclusive",
    reason: `Inconclusive: ${boundOf(ratio)}. ${found} More trials narrow it.`,
  };
}

/** "between 13 % less and 2 % more" */
export function boundOf({ low, high }: Pick<RatioInterval, "low" | "high">): string {
  const side = (ratio: number) => (ratio < 1 ? `${percent(1 - ratio)} less` : `${percent(ratio - 1)} more`);
  return `between ${side(low)} and ${side(high)}`;
}

/** "12 %" */
export function percent(fraction: number): string {
  const value = 100 * fraction;
  return `${value < 1 ? value.toPrecision(1) : value.toFixed(0)} %`;
}

/** How far from 1 an interval reaches, as a fraction, the same for r and 1/r. */
export function furthest({ low, high }: Pick<RatioInterval, "low" | "high">): number {
  return Math.max(...[low, high].map((ratio) => Math.max(ratio, 1 / ratio) - 1));
}

/** 1.5 would make it 9 in 10; the rest allows for a half-width that is an estimate, too. */
const BEYOND_HALF_WIDTH = 1.75;

/** The least slowdown, as a fraction, that such an interval finds in 9 of 10 measurements. */
export function detectable({ low, high }: Pick<RatioInterval, "low" | "high">): number {
  return Math.expm1((BEYOND_HALF_WIDTH * Math.log(high / low)) / 2);
}
