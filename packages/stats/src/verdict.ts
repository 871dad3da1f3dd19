import type { RatioInterval, Verdict } from "./analysis.ts";

/** A control noisier than this cannot vouch for "no difference": the run says too little. */
const MOST_NOISE = 0.05;

/** What is known of a target, as ratios. */
export interface Evidence {
  /** Target / baseline. */
  readonly ratio: RatioInterval;
  /** Target / the baseline's A/A copy; null without a control. */
  readonly ratioToCopy: RatioInterval | null;
  /** The baseline's A/A copy / baseline: a ratio that is 1 in truth; null without a control. */
  readonly control: RatioInterval | null;
}

export interface Judgement {
  readonly verdict: Verdict;
  readonly reason: string;
}

/**
 * What may be said of a target.
 *
 * - "faster" or "slower": the interval excludes 1, the interval against the A/A copy excludes 1 on the same
 *   side, and the ratio lies beyond the noise floor, the far end of the control's interval. So a difference
 *   must hold against both copies of the baseline, and be more than what may separate two copies. Without a
 *   control the interval alone decides.
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
  const doubt = doubtOf(evidence);
  if (side !== "both" && doubt === null) {
    return {
      verdict: side === "above" ? "slower" : "faster",
      reason:
        control === null
          ? "The interval excludes 1; there is no control to hold it against."
          : "The interval excludes 1, also against the baseline's A/A copy, and the ratio lies beyond the control's noise.",
    };
  }
  const reach = furthest(ratio);
  const noiseFloor = side !== "both" || control === null ? 0 : Math.min(furthest(control), MOST_NOISE);
  const narrow = Math.max(precision, noiseFloor);
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
        : `The interval excludes 1, but ${doubt}. More time (--time) narrows both.`,
  };
}

/**
 * Whether a ratio is beyond what noise alone could make of 1. Every verdict asks this, and every report draws
 * its band there.
 *
 * @param noiseFloor as a fraction: how far from 1 the interval of a control reaches.
 */
export function isBeyondNoise({ estimate }: RatioInterval, noiseFloor: number): boolean {
  return deviation(estimate) > noiseFloor;
}

/** How far a ratio is from 1, the same for r and 1/r. */
export function deviation(ratio: number): number {
  return Math.max(ratio, 1 / ratio) - 1;
}

/** How far from 1 an interval reaches, as a fraction. */
export function furthest({ low, high }: RatioInterval): number {
  return Math.max(deviation(low), deviation(high));
}

/** Why the control does not bear a difference out; null where it does, and without a control. */
function doubtOf({ ratio, ratioToCopy, control }: Evidence): string | null {
  if (control === null) return null;
  if (!isBeyondNoise(ratio, furthest(control))) return "the ratio lies within the control's noise";
  if (ratioToCopy === null || sideOf(ratioToCopy) !== sideOf(ratio))
    return "the interval against the baseline's A/A copy does not";
  return null;
}

function sideOf({ low, high }: RatioInterval): "above" | "below" | "both" {
  if (low > 1) return "above";
  return high < 1 ? "below" : "both";
}

function percent(fraction: number): string {
  return `${(fraction * 100).toFixed(1)} %`;
}
