import { mean } from "../quantile.ts";
import {
  type Estimate,
  estimateOf,
  intervalOf,
  type MsInterval,
  type TrialDifference,
  type VantageDifference,
  vantageDifferences,
} from "./difference.ts";
import { type Heterogeneity, heterogeneity } from "./heterogeneity.ts";

/** From this chance on, differences between vantages count as real. */
const SIGNIFICANT = 0.05;

/** What vantages say together of one target against another. Milliseconds. */
export interface DifferenceAcross {
  readonly vantages: readonly VantageDifference[];
  /** Names of vantages by what stands for itself: those behind the same edges are one unit. */
  readonly units: readonly (readonly string[])[];
  readonly heterogeneity: Heterogeneity | null;
  /** Whether all vantages lie on one side of 0. */
  readonly oneSign: boolean;
  /**
   * Whether what one vantage says contradicts another: two exclude 0 on different sides, or they differ by
   * more than their trials explain and not all of them exclude 0 on the same side.
   */
  readonly disagree: boolean;
  /** The mean of the units with Student's t over them; null with fewer than two. */
  readonly mean: MsInterval | null;
  /** The same where it says something: all vantages lie on one side of 0, and none contradicts another. */
  readonly pooled: MsInterval | null;
}

/** Brings together what each vantage says: a vantage is one value, however many trials it has. */
export function differenceAcross(trials: readonly TrialDifference[]): DifferenceAcross {
  const vantages = vantageDifferences(trials);
  const units = unitsOf(vantages);
  const estimates = units.map(unitEstimate);
  const between = heterogeneity(estimates);
  const oneSign = new Set(vantages.map(({ estimate }) => Math.sign(estimate))).size === 1;
  const disagree = contradict(vantages, between);
  const over = intervalOf(overUnits(estimates));
  return {
    vantages,
    units: units.map((own) => own.map(({ vantage }) => vantage)),
    heterogeneity: between,
    oneSign,
    disagree,
    mean: over,
    pooled: oneSign && !disagree ? over : null,
  };
}

/**
 * Units that agree to the last digit (a coarse clock) have no scatter: then what their own trials say is all
 * there is to go by.
 */
function overUnits(estimates: readonly Estimate[]): Estimate {
  const over = estimateOf(estimates.map(({ estimate }) => estimate));
  if (over.error === null || over.error.variance > 0) return over;
  const within = estimates.map(({ error }) => error?.variance ?? 0);
  return { ...over, error: { ...over.error, variance: mean(within) / estimates.length } };
}

function contradict(vantages: readonly VantageDifference[], between: Heterogeneity | null): boolean {
  const sides = new Set(vantages.map(({ interval }) => sideOf(interval)));
  if (sides.has("above") && sides.has("below")) return true;
  const allAgree = sides.size === 1 && !sides.has("both");
  return between !== null && between.p < SIGNIFICANT && !allAgree;
}

/** Where an interval lies. None is known to exclude nothing. */
export function sideOf(interval: MsInterval | null): "above" | "below" | "both" {
  if (interval !== null && interval.low > 0) return "above";
  return interval !== null && interval.high < 0 ? "below" : "both";
}

/** Vantages that share an edge stand together, with all that share one with any of them. */
function unitsOf(vantages: readonly VantageDifference[]): readonly (readonly VantageDifference[])[] {
  let units: VantageDifference[][] = [];
  for (const vantage of vantages) {
    const shares = (unit: readonly VantageDifference[]) =>
      unit.some(({ edges }) => edges.some((edge) => vantage.edges.includes(edge)));
    const joined = units.filter(shares).flat();
    units = [...units.filter((unit) => !shares(unit)), [...joined, vantage]];
  }
  return units;
}

function unitEstimate(unit: readonly VantageDifference[]): Estimate {
  const errors = unit.flatMap(({ error }) => error ?? []);
  const known = errors.length === unit.length;
  return {
    estimate: mean(unit.map(({ estimate }) => estimate)),
    error: known
      ? {
          variance: mean(errors.map(({ variance }) => variance)) / unit.length,
          degrees: errors.reduce((sum, { degrees }) => sum + degrees, 0),
        }
      : null,
  };
}
