import type { CaseManifest } from "@evenbench/core";
import type { Run } from "@evenbench/results";
import {
  type CaseCost,
  DIGEST_EVERY,
  LEAST_TRIALS,
  runTargetOf,
  type Subject,
  worthwhileTrialMs,
} from "@evenbench/runner/engine";
import type { ComparisonPlan } from "./define.ts";

/** A comparison ends early when its intervals are narrower than this, as a fraction. */
const PRECISION = 0.02;
const MOST_TRIALS = 15;

/** A comparison's plan as `run.json` has it, before it is known which of its sides can be measured. */
export function firstPlan(plan: ComparisonPlan, manifest: CaseManifest, seed: number): Run["plan"] {
  const least = plan.trials ?? LEAST_TRIALS;
  return {
    cases: [manifest],
    targets: [],
    seed,
    caseBudgetMs: {},
    trials: { minimum: least, maximum: plan.trials ?? plan.mostTrials ?? MOST_TRIALS },
    roundsPerTrial: null,
    serverCores: "all",
    spacing: plan.spacing ?? 1,
    pauseMs: plan.pauseMs ?? 0,
    workers: 1,
    warmUpExchanges: null,
    precision: mayEndEarly(plan) ? (plan.precision ?? PRECISION) : 0,
    coldStarts: 0,
    digestEvery: DIGEST_EVERY,
    allowedPins: [],
  };
}

/** The plan with the sides that are measured, and the time that they have. */
export function planWithTime(
  first: Run["plan"],
  { trials, mostTrials, caseId }: ComparisonPlan,
  { subjects, cost, budgetMs }: ComparisonTime,
): Run["plan"] {
  const most = trials ?? trialsFor(budgetMs, cost, mostTrials);
  return {
    ...first,
    targets: subjects.map(runTargetOf),
    caseBudgetMs: { [caseId]: budgetMs },
    trials: { minimum: trials ?? Math.min(LEAST_TRIALS, most), maximum: most },
  };
}

interface ComparisonTime {
  readonly subjects: readonly Subject[];
  /** Of all sides together. */
  readonly cost: CaseCost;
  /** Milliseconds. */
  readonly budgetMs: number;
}

/**
 * As many trials as are worth their start, within bounds: more trials narrow an interval more than longer
 * ones do, since Student's t falls with their number and instances differ beyond their rounds.
 */
export function trialsFor(budgetMs: number, cost: CaseCost, most = MOST_TRIALS): number {
  const affordable = Math.floor(budgetMs / worthwhileTrialMs(cost));
  return Math.min(most, Math.max(LEAST_TRIALS, affordable));
}

/** Where the number of trials is given, nothing ends early. */
function mayEndEarly({ trials, mostTrials }: ComparisonPlan): boolean {
  return trials === undefined && mostTrials === undefined;
}
