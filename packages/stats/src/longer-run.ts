// What more trials would make of an interval.
import studentQuantile from "@stdlib/stats-base-dists-t-quantile";
import type { Comparison } from "./analyse-case.ts";
import { CONFIDENCE_LEVEL } from "./model.ts";

/**
 * Gives how narrow a comparison's interval would be with another number of trials, had their variance stayed as it
 * was: it
 * narrows with the root of their number, and by Student's t, since more trials also know their variance better.
 *
 * @param comparison with its present interval, the trials of that, and the degrees of freedom that it was made with.
 * @param trials more than it has.
 * @returns the relative half-width, as a fraction: 0.04 for 4 % to either side; null where there is no interval.
 */
export function halfWidthWith(
  { ratio, freedom, trials: had }: Pick<Comparison, "ratio" | "freedom" | "trials">,
  trials: number,
): number | null {
  if (ratio === null || freedom === null || had < 2) {
    return null;
  }
  // Each trial adds as many degrees of freedom as those so far did.
  const ownFreedom = (freedom.own * (trials - 1)) / (had - 1);
  const present = quantileOf(freedom.own + freedom.prior);
  const expected = quantileOf(ownFreedom + freedom.prior);
  const halfWidth = Math.log(ratio.high / ratio.low) / 2;
  return Math.expm1(halfWidth * Math.sqrt(had / trials) * (expected / present));
}

function quantileOf(freedom: number): number {
  return studentQuantile((1 + CONFIDENCE_LEVEL) / 2, freedom);
}
