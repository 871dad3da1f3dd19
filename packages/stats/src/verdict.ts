import type { RatioInterval, Verdict } from "./analysis.ts";

/** A control noisier than this cannot vouch for "no difference": the run says too little. */
const MOST_NOISE = 0.05;

export interface Judgement {
  readonly verdict: Verdict;
  readonly reason: string;
}

/**
 * What may be said of a ratio.
 *
 * A difference is called one only if its interval excludes 1 and its size exceeds the noise floor: the farthest from 1
 * that the interval of the control (a target against its own twin) reaches. "No difference seen" is said only if the
 * whole interval lies within the larger of the asked precision and the noise floor. Everything else is "cannot tell".
 *
 * @param noiseFloor as a fraction; null without a control, and then the interval alone decides.
 * @param precision as a fraction, such as 0.02.
 */
export function judge(ratio: RatioInterval, noiseFloor: number | null, precision: number): Judgement {
  const floor = noiseFloor ?? 0;
  const size = deviation(ratio.estimate);
  if ((ratio.low > 1 || ratio.high < 1) && size > floor) {
    const verdict = ratio.estimate > 1 ? "slower" : "faster";
    const control = noiseFloor === null ? "" : `, and is more than the control showed (${percent(floor)})`;
    return { verdict, reason: `The interval excludes 1${control}.` };
  }
  const reach = Math.max(deviation(ratio.low), deviation(ratio.high));
  const narrow = Math.max(precision, Math.min(floor, MOST_NOISE));
  if (reach <= narrow) {
    return {
      verdict: "no difference seen",
      reason: `The whole interval lies within ${percent(narrow)} of 1.`,
    };
  }
  return {
    verdict: "cannot tell",
    reason:
      floor > 0 && size <= floor && (ratio.low > 1 || ratio.high < 1)
        ? `The interval excludes 1, but the control showed differences of up to ${percent(floor)} where there are none. More time (--time) narrows both.`
        : `The interval reaches ${percent(reach)} away from 1 and includes it. More time (--time) narrows it.`,
  };
}

/** How far a ratio is from 1, the same for r and 1/r. */
export function deviation(ratio: number): number {
  return Math.max(ratio, 1 / ratio) - 1;
}

function percent(fraction: number): string {
  return `${(fraction * 100).toFixed(1)} %`;
}
