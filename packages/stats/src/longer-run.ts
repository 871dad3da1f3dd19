// What more trials would make of an interval.
import studentQuantile from "@stdlib/stats-base-dists-t-quantile";
import type { Comparison } from "./analyse-case.ts";
import type { IntervalFreedom } from "./compare.ts";
import { CONFIDENCE_LEVEL } from "./model.ts";
import { EQUIVALENCE_LEVEL, type IntervalEnds, isDecided, verdictOf } from "./verdict.ts";

interface MoreTrials {
  /** The degrees of freedom that its present interval was made with. */
  readonly freedom: IntervalFreedom;
  /** The number of trials of its present interval, two at least. */
  readonly had: number;
  /** The number of trials that it would have, those among them. */
  readonly trials: number;
}

/**
 * Gives the factor by which an interval is narrower with another number of trials of the same variance: by the root of
 * their number, and by Student's t.
 *
 * @param level confidence level of the interval, from 0 to 1.
 * @returns the half-width on the scale of logarithms as a part of the present one: 0.5 for half of it.
 */
export function narrowingWith({ freedom, had, trials }: MoreTrials, level: number): number {
  // Each trial adds as many degrees of freedom as those so far did.
  const ownFreedom = (freedom.own * (trials - 1)) / (had - 1);
  const present = quantileOf(freedom.own + freedom.prior, level);
  const expected = quantileOf(ownFreedom + freedom.prior, level);
  return Math.sqrt(had / trials) * (expected / present);
}

/** Number of equally likely estimates that a chance is counted over. */
const FORESEEN_ESTIMATES = 199;

/**
 * Gives the chance that a new run with another number of trials decides a comparison, had these the variance of the
 * present ones: its estimate scatters by the errors of both runs.
 *
 * @param comparison with its present interval, the trials of that, and the degrees of freedom that it was made with.
 * @param trials of the new run.
 * @returns the part of the estimates which the new run may come to that `verdictOf` would call faster, slower or the
 * same, from 0 to 1; null where there is no interval.
 */
export function chanceOfVerdict(
  { ratio, freedom, trials: had }: Pick<Comparison, "ratio" | "freedom" | "trials">,
  trials: number,
): number | null {
  if (ratio === null || freedom === null || had < 2) {
    return null;
  }
  const allFreedom = freedom.own + freedom.prior;
  const error = Math.log(ratio.high / ratio.low) / 2 / quantileOf(allFreedom, CONFIDENCE_LEVEL);
  const halfWidthAt = (level: number): number =>
    error * quantileOf(allFreedom, level) * narrowingWith({ freedom, had, trials }, level);
  const halfWidth = halfWidthAt(CONFIDENCE_LEVEL);
  const equivalence = halfWidthAt(EQUIVALENCE_LEVEL);
  const errorOfBoth = error * Math.sqrt(1 + had / trials);
  let decided = 0;
  for (let step = 0; step < FORESEEN_ESTIMATES; step += 1) {
    const part = (step + 0.5) / FORESEEN_ESTIMATES;
    const centre = Math.log(ratio.estimate) + errorOfBoth * studentQuantile(part, allFreedom);
    const verdict = verdictOf(endsAround(centre, halfWidth), endsAround(centre, equivalence));
    decided += Number(isDecided(verdict));
  }
  return decided / FORESEEN_ESTIMATES;
}

/** Gives the ends of a ratio's interval. @param centre on the scale of logarithms, as its half-width. */
function endsAround(centre: number, halfWidth: number): IntervalEnds {
  return { low: Math.exp(centre - halfWidth), high: Math.exp(centre + halfWidth) };
}

function quantileOf(freedom: number, level: number): number {
  return studentQuantile((1 + level) / 2, freedom);
}
