/** A number with an interval around it: most often a ratio (target / baseline), above 1 where the target takes longer. */
export interface RatioInterval {
  readonly estimate: number;
  /** The lower end. */
  readonly low: number;
  /** The upper end. */
  readonly high: number;
}

/** The two ends of an interval, without the estimate between them. */
export type IntervalEnds = Pick<RatioInterval, "low" | "high">;

/** Leaves the estimate of an interval out; null for null. */
export function endsOf(interval: IntervalEnds | null): IntervalEnds | null {
  return interval === null ? null : { low: interval.low, high: interval.high };
}

/**
 * All that can be said of a comparison.
 *
 * - "faster", "slower": the whole interval lies below, or above, 1, and reaches further than `SAME_WITHIN` from it.
 * - "same": the 90 % interval lies within `SAME_WITHIN` of 1, and it is neither "faster" nor "slower". See `verdictOf`.
 * - "unclear": the interval does not say, or there are too few trials for one.
 * - "withheld": the interval would say something, but the baseline differed from its own copy by as good a one.
 * - "not warm": a side still became faster while it was measured.
 * - "no result": a side has no measured answer, or was dropped.
 */
export type Verdict = "faster" | "slower" | "same" | "unclear" | "withheld" | "not warm" | "no result";

/** A verdict that is read off a ratio's interval. */
export type JudgedVerdict = Exclude<Verdict, "withheld" | "not warm" | "no result">;

/** The verdicts that are read off no interval: nobody is to take the number beside them for a result. */
const UNJUDGED: readonly string[] = ["withheld", "not warm", "no result"];

/** Tells whether a verdict goes with a ratio: what is withheld, was not warm or was not measured has none. */
export function isJudged(verdict: string | null): verdict is JudgedVerdict {
  return verdict !== null && !UNJUDGED.includes(verdict);
}

/** Tells whether a verdict calls the target different from the baseline. */
export function isDifference(verdict: string | null): verdict is "faster" | "slower" {
  return verdict === "faster" || verdict === "slower";
}

/** Tells whether a verdict answers the question: there is a difference, or there is none. */
export function isDecided(verdict: string | null): verdict is "faster" | "slower" | "same" {
  return isDifference(verdict) || verdict === "same";
}

/** How far from 1 a whole interval may reach to be called the same, as a fraction: a convention. */
export const SAME_WITHIN = 0.05;

/**
 * Confidence level by which sameness is judged: two one-sided tests at 5 % each (Schuirmann, 1987). What takes 5 % more
 * or less is called the same in at most 5 of 100 comparisons.
 */
export const EQUIVALENCE_LEVEL = 0.9;

/**
 * Judges a ratio by its interval at `CONFIDENCE_LEVEL`, and sameness by that at `EQUIVALENCE_LEVEL` within
 * `SAME_WITHIN` of 1 (Schuirmann, 1987). A difference that was found stays one.
 */
export function verdictOf(ratio: IntervalEnds, equivalence: IntervalEnds): JudgedVerdict {
  const reachesFurther = deviationFromOne(ratio) > SAME_WITHIN;
  if (ratio.low > 1 && reachesFurther) {
    return "slower";
  }
  if (ratio.high < 1 && reachesFurther) {
    return "faster";
  }
  return deviationFromOne(equivalence) <= SAME_WITHIN ? "same" : "unclear";
}

/**
 * Judges a difference in milliseconds by the rule for ratios: it is made one to the baseline's time, of which `boundMs`
 * is the part `SAME_WITHIN`.
 *
 * @param difference its interval at `CONFIDENCE_LEVEL`.
 * @param equivalence its interval at `EQUIVALENCE_LEVEL`.
 */
export function verdictOfMs(
  difference: IntervalEnds,
  equivalence: IntervalEnds,
  boundMs: number,
): JudgedVerdict {
  const baselineMs = Math.max(boundMs / SAME_WITHIN, Number.EPSILON);
  // Neither can be 0 or below.
  const ratioOf = (ms: number): number => Math.max(Number.EPSILON, 1 + ms / baselineMs);
  const asRatio = ({ low, high }: IntervalEnds) => ({ low: ratioOf(low), high: ratioOf(high) });
  return verdictOf(asRatio(difference), asRatio(equivalence));
}

/** Computes the largest deviation from 1 that an interval allows, as a fraction: the same for r and for 1/r. */
export function deviationFromOne({ low, high }: IntervalEnds): number {
  return Math.max(Math.max(low, 1 / low) - 1, Math.max(high, 1 / high) - 1);
}

/** An interval of a ratio that includes 1 and whose ends differ by a larger factor says nothing. */
const WIDEST = 10;

/** Tells whether an interval of a ratio includes 1, and is so wide that it says nothing. */
export function isTooWide({ low, high }: IntervalEnds): boolean {
  return low < 1 && high > 1 && high / low > WIDEST;
}

/**
 * Half-widths from 1, on the scale of logarithms, at which 9 of 10 measurements find a slowdown: 1.5 with a known
 * half-width ((2.576 + 1.282) / 2.576, normal quantiles at 0.995 and 0.9), and more since it is estimated.
 */
const DETECTABLE_HALF_WIDTHS = 1.75;

/** Computes the smallest slowdown, as a fraction, that so wide an interval finds in 9 of 10 measurements. */
export function detectable({ low, high }: IntervalEnds): number {
  return Math.expm1((DETECTABLE_HALF_WIDTHS * Math.log(high / low)) / 2);
}
