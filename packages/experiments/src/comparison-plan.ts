import { type CaseManifest, openRecord } from "@evenbench/core";
import type { Run } from "@evenbench/results";
import { DIGEST_EVERY, LEAST_TRIALS, MOST_TRIALS, runTargetOf, type Subject } from "@evenbench/runner/engine";
import type { ComparisonPlan } from "./define.ts";

/** A comparison ends early when its intervals are narrower than this, as a fraction. */
const PRECISION = 0.02;

/** A comparison's plan as `run.json` has it, before it is known which of its sides can be measured. */
export function firstPlan(plan: ComparisonPlan, manifest: CaseManifest, seed: number): Run["plan"] {
  const most = plan.trials ?? plan.mostTrials ?? MOST_TRIALS;
  return {
    cases: [manifest],
    targets: [],
    seed,
    caseBudgetMs: {},
    trials: { minimum: plan.trials ?? Math.min(LEAST_TRIALS, most), maximum: most },
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
  subjects: readonly Subject[],
  budgetMs: number,
): Run["plan"] {
  return {
    ...first,
    targets: subjects.map(runTargetOf),
    caseBudgetMs: openRecord(first.cases.map(({ id }) => [id, budgetMs] as const)),
  };
}

/** Where the number of trials is given, nothing ends early. */
function mayEndEarly({ trials, mostTrials }: ComparisonPlan): boolean {
  return trials === undefined && mostTrials === undefined;
}
