import { interleave } from "@evenbench/probe";
import { UNMEASURED_SHARE } from "@evenbench/vantages/rate";
import { nextRate, type SearchStep } from "./analysis/saturation.ts";
import type { LoadGoal } from "./options.ts";
import { MOST_STEPS, stretchedTime } from "./plan.ts";
import type { TrialLoad } from "./trial-load.ts";

const FIRST_CONNECTIONS = 8;
const FIRST_SHARE = 0.7;
const FACTOR = 1.05;

type CapacityGoal = Extract<LoadGoal, { kind: "capacity" }>;

/** The searches go on side by side: each step is taken on every target, in random order, before the next one. */
export async function huntCapacity(trial: TrialLoad, goal: CapacityGoal): Promise<void> {
  const { stageMs } = trial.work.plan;
  const nextOrder = interleave(trial.targets, trial.seedOf("order"));
  const firstRates = new Map<string, number>();
  for (const target of nextOrder()) {
    const load = { kind: "closed", connections: Math.min(FIRST_CONNECTIONS, goal.connections) } as const;
    const seen = await trial.stage(target, load, stageMs);
    if (seen !== null && seen.perSecond > 0) firstRates.set(target, FIRST_SHARE * seen.perSecond);
  }
  const steps = new Map<string, SearchStep[]>();
  for (let step = 0; step < MOST_STEPS; step++) {
    for (const target of nextOrder()) {
      const taken = steps.get(target) ?? [];
      steps.set(target, taken);
      const first = firstRates.get(target);
      const rate =
        first === undefined ? null : nextRate(taken, { first, factor: FACTOR, mostSteps: MOST_STEPS });
      if (rate === null) continue;
      const tried = await tryRate(trial, target, rate, goal);
      if (tried === null) firstRates.delete(target);
      else taken.push(tried);
    }
  }
}

async function tryRate(
  trial: TrialLoad,
  target: string,
  perSecond: number,
  { condition, arrivals, connections }: CapacityGoal,
): Promise<SearchStep | null> {
  const stageMs = stretchedTime(trial.work.plan.stageMs, perSecond, condition, 1 - UNMEASURED_SHARE);
  const seen = await trial.stage(target, { kind: "open", perSecond, arrivals, connections }, stageMs);
  return seen === null ? null : { perSecond, held: seen.held === true };
}
