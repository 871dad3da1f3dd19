import type { Metric } from "@evenbench/results";

export type { Metric };

/** A ratio (target / baseline) with its interval. A ratio above 1 is a target that takes longer. */
export interface RatioInterval {
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
  /** Nominal coverage, such as 0.99. */
  readonly level: number;
}

/** What may be said of a comparison, in the order in which reports count it. */
export const VERDICTS = ["faster", "slower", "same", "inconclusive", "not warm"] as const;
export type Verdict = (typeof VERDICTS)[number];

/** Whether a verdict claims a difference. */
export function isDifference(verdict: string | null): verdict is "faster" | "slower" {
  return verdict === "faster" || verdict === "slower";
}

/** One target against the baseline, in one case and one metric. */
export interface Comparison {
  readonly caseId: string;
  readonly metric: Metric;
  readonly target: string;
  readonly baseline: string;
  /** Against the mean of the baseline and its A/A copy; null with too few trials or rounds. */
  readonly ratio: RatioInterval | null;
  readonly verdict: Verdict;
  /** One sentence that says why the verdict is what it is. */
  readonly reason: string;
  /** The ratio in each trial, in order of trial. */
  readonly byTrial: readonly number[];
  readonly trials: number;
  readonly rounds: number;
}

/**
 * What one target did in one case, over all measured (not warm-up) exchanges without error. Milliseconds.
 * `median` is the geometric mean of the trials' medians, `medianLow` to `medianHigh` its interval, null with too few
 * trials. All others pool the exchanges.
 */
export interface TargetSummary {
  readonly caseId: string;
  readonly metric: Metric;
  readonly target: string;
  readonly exchanges: number;
  readonly errors: number;
  /** Those that these exchanges are of: fewer than the comparison's own where the target was not warm in one. */
  readonly trials: number;
  readonly median: number | null;
  readonly medianLow: number | null;
  readonly medianHigh: number | null;
  readonly mean: number | null;
  readonly p95: number | null;
  readonly minimum: number | null;
  readonly maximum: number | null;
}

/** Everything that is said of one case in one metric. */
export interface CaseAnalysis {
  readonly caseId: string;
  readonly metric: Metric;
  readonly baseline: string;
  readonly summaries: readonly TargetSummary[];
  readonly comparisons: readonly Comparison[];
  /** The baseline's A/A copy against the baseline. */
  readonly control: Comparison | null;
  /** The largest deviation from 1 that the control's interval allows, as a fraction; null without a control. */
  readonly noiseFloor: number | null;
}
