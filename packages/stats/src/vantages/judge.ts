import type { Judgement } from "../verdict.ts";
import type { MsInterval, VantageDifference } from "./difference.ts";
import { type DifferenceAcross, sideOf } from "./pool.ts";
import { asMs, asMsInterval } from "./words.ts";

/** From so many vantages on Student's t is no longer wide because they are few. */
const ADVISED = 5;
/** A control noisier than this part of the baseline's time cannot vouch for "no difference". */
const MOST_NOISE = 0.05;

/** What is known of a target, as differences in milliseconds. */
export interface EvidenceAcross {
  /** Target - baseline. */
  readonly difference: DifferenceAcross;
  /** Target - the baseline's A/A copy; null without a control. */
  readonly toCopy: DifferenceAcross | null;
  /** The baseline's A/A copy - baseline: 0 in truth; null without a control. */
  readonly control: DifferenceAcross | null;
  /** What the baseline takes, by which the precision becomes milliseconds. */
  readonly baselineMs: number;
}

/**
 * What may be said of a target that several vantages measured. A vantage is the unit: its trials share a
 * route, and are no evidence of other routes.
 *
 * - Nothing, below two units.
 * - "same": at each vantage the interval lies within the precision or the control's noise (at
 *   most 5 % of the baseline's time); or the mean's does, where they do not disagree.
 * - Nothing, where vantages disagree.
 * - "faster" or "slower": all vantages lie on one side of 0, the pooled interval excludes 0, so does the one
 *   against the A/A copy on the same side, and the pooled difference is larger than the control's interval
 *   reaches.
 * - "inconclusive": all else.
 *
 * @param precision as a fraction of the baseline's time.
 */
export function judgeAcrossVantages(evidence: EvidenceAcross, precision: number): Judgement {
  const { difference, control, baselineMs } = evidence;
  const { units, vantages } = difference;
  if (vantages.length === 0) return cannotTell("No vantage has a trial with both targets.");
  if (units.length < 2) return cannotTell(alone(difference));
  const noise = reach(control?.mean ?? null) ?? 0;
  const narrowMs = Math.max(precision * baselineMs, Math.min(noise, MOST_NOISE * baselineMs));
  if (vantages.every(({ interval }) => (reach(interval) ?? Infinity) <= narrowMs))
    return {
      verdict: "same",
      reason: `At each of ${vantages.length} vantages the interval lies within ${asMs(narrowMs)} of 0.`,
    };
  if (difference.disagree) return cannotTell(`The vantages disagree: ${disagreement(difference)}`);
  const pooled = difference.mean as MsInterval;
  const side = difference.oneSign ? sideOf(pooled) : "both";
  const doubt = side === "both" ? null : doubtOf(evidence, pooled, noise);
  if (side !== "both" && doubt === null)
    return {
      verdict: side === "above" ? "slower" : "faster",
      reason: `All ${vantages.length} vantages say so; together ${asMsInterval(pooled)}, by Student's t over ${counted(units)}.${advice(units)}`,
    };
  if ((reach(pooled) ?? 0) <= narrowMs)
    return {
      verdict: "same",
      reason: `The interval of the mean over ${counted(units)} lies within ${asMs(narrowMs)} of 0.`,
    };
  if (!difference.oneSign)
    return cannotTell(
      `Vantages lie on both sides of 0, by no more than their trials scatter: they are not pooled.${advice(units)}`,
    );
  const why = doubt === null ? "includes 0" : `excludes 0, but ${doubt}`;
  return cannotTell(
    `The pooled interval over ${counted(units)}, ${asMsInterval(pooled)}, ${why}.${advice(units)}`,
  );
}

function alone({ vantages }: DifferenceAcross): string {
  const [first] = vantages;
  const seen = first?.interval ? `, ${asMsInterval(first.interval)} there` : "";
  const what =
    vantages.length === 1
      ? `Only one vantage, ${first?.vantage}${seen}`
      : `All ${vantages.length} vantages stand behind the same edges and are one unit`;
  return `${what}: it says nothing about other routes. Measure from two vantages or more; ${ADVISED} are advised.`;
}

function disagreement({ vantages, heterogeneity }: DifferenceAcross): string {
  const each = vantages.map(ofVantage).join(", ");
  const more =
    heterogeneity === null
      ? ""
      : ` Of their scatter ${Math.round(100 * heterogeneity.iSquared)} % is more than trials explain (I²).`;
  return `${each}.${more} Read each on its own; there is no common difference.`;
}

function ofVantage({ vantage, estimate, interval }: VantageDifference): string {
  return `${vantage} ${interval === null ? asMs(estimate) : asMsInterval(interval)}`;
}

/** Why the control does not bear a difference out; null where it does, and without a control. */
function doubtOf({ control, toCopy }: EvidenceAcross, pooled: MsInterval, noise: number): string | null {
  if (control === null) return null;
  if (Math.abs(pooled.estimate) <= noise) return `lies within the control's noise (${asMs(noise)})`;
  const stands = toCopy?.oneSign && !toCopy.disagree && sideOf(toCopy.mean) === sideOf(pooled);
  return stands ? null : "the one against the baseline's A/A copy does not";
}

/** How far from 0 an interval reaches. */
function reach(interval: MsInterval | null): number | null {
  return interval === null ? null : Math.max(Math.abs(interval.low), Math.abs(interval.high));
}

function counted(units: DifferenceAcross["units"]): string {
  const behindOne = units.some((unit) => unit.length > 1);
  return `${units.length} ${behindOne ? "units (vantages behind the same edges are one)" : "vantages"}`;
}

function advice(units: DifferenceAcross["units"]): string {
  return units.length < ADVISED ? ` ${ADVISED} vantages or more are advised.` : "";
}

function cannotTell(reason: string): Judgement {
  return { verdict: "inconclusive", reason };
}
