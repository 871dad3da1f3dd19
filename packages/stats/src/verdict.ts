import type { RatioInterval, Verdict } from "./analysis.ts";

/** A control noisier than this cannot vouch for "no difference": the run says too little. */
const MOST_NOISE = 0.05;

/** What is known of a target, as ratios. */
export interface Evidence {
  /** Target / baseline. */
  readonly ratio: RatioInterval;
  /** Target / the baseline's twin; null without a control. */
  readonly ratioToTwin: RatioInterval | null;
  /** The baseline's twin / baseline: a ratio that is 1 in truth; null without a control. */
  readonly control: RatioInterval | null;
}

export interface Judgement {
  readonly verdict: Verdict;
  readonly reason: string;
}

/**
 * What may be said of a target.
 *
 * - "faster" or "slower": the interval excludes 1, the interval against the twin excludes 1 on the same side, and the
 *   effect is larger than the one between the twins. So a difference must hold against both copies of the baseline, and be
 *   more than what separates two copies. Without a control the interval alone decides.
 * - "no difference seen": the interval includes 1 and lies within the larger of the asked precision and the noise floor
 *   (which may vouch for at most 5 %); or it excludes 1, but lies within the asked precision.
 * - "cannot tell": all else.
 *
 * docs/coverage.md has the false positives and the power of this rule and of others, by simulation.
 *
 * @param precision as a fraction, such as 0.02.
 */
export function judge(evidence: Evidence, precision: number): Judgement {
  const { ratio, control } = evidence;
  const side = sideOf(ratio);
  const holds = side !== "both" && isBorneOut(evidence);
  if (holds) {
    return {
      verdict: side === "above" ? "slower" : "faster",
      reason:
        control === null
          ? "The interval excludes 1; there is no control to hold it against."
          : `The interval excludes 1, also against the baseline's twin, and the effect is larger than between the twins (${percent(deviation(control.estimate))}).`,
    };
  }
  const reach = furthest(ratio);
  const floor = side !== "both" || control === null ? 0 : Math.min(furthest(control), MOST_NOISE);
  const narrow = Math.max(precision, floor);
  if (reach <= narrow) {
    return {
      verdict: "no difference seen",
      reason: `The whole interval lies within ${percent(narrow)} of 1, ${narrow === precision ? "the precision asked for" : "what the control could show"}.`,
    };
  }
  return {
    verdict: "cannot tell",
    reason:
      side === "both"
        ? `The interval includes 1 and reaches ${percent(reach)} away from it. More time (--time) narrows it.`
        : "The interval excludes 1, but the control does not bear that out: two copies of the baseline may differ as much. More time (--time) narrows both.",
  };
}

/** How far a ratio is from 1, the same for r and 1/r. */
export function deviation(ratio: number): number {
  return Math.max(ratio, 1 / ratio) - 1;
}

/** How far from 1 an interval reaches, as a fraction. */
export function furthest({ low, high }: RatioInterval): number {
  return Math.max(deviation(low), deviation(high));
}

function isBorneOut({ ratio, ratioToTwin, control }: Evidence): boolean {
  if (control === null) return true;
  return (
    ratioToTwin !== null &&
    sideOf(ratioToTwin) === sideOf(ratio) &&
    deviation(ratio.estimate) > deviation(control.estimate)
  );
}

function sideOf({ low, high }: RatioInterval): "above" | "below" | "both" {
  if (low > 1) return "above";
  return high < 1 ? "below" : "both";
}

function percent(fraction: number): string {
  return `${(fraction * 100).toFixed(1)} %`;
}
