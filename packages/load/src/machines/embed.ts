import type { OpenLoad } from "@evenbench/results";
import { type PlannedStage, planHash, planText, type RatePlan } from "@evenbench/vantages";
import { type K6StagePlan, rateOf } from "../k6/stage-plan.ts";

export function embedLoadPlan(plan: RatePlan): EmbeddedLoadPlan {
  const { slotMs, stages, closed } = plan;
  return {
    hash: planHash(planText(plan)),
    slotMs,
    stages: stages.map((stage) => ({
      ...stagePlanOf(plan, stage),
      isClosed: closed.includes(stage.subject),
    })),
  };
}

export function loadOf({ load }: RatePlan, stage: PlannedStage): OpenLoad {
  const found = load.loads[stage.load];
  if (found?.kind !== "open") throw new Error("A plan for several machines has rates only.");
  return found;
}

export function stagePlanOf(plan: RatePlan, stage: PlannedStage): K6StagePlan {
  const load = loadOf(plan, stage);
  const request = plan.requests[stage.caseId];
  const origin = plan.origins[stage.subject];
  if (request === undefined || origin === undefined) throw new Error("The plan lacks a case or a target.");
  return {
    origins: [origin],
    path: request.path,
    expected: request.expected,
    timeoutMs: plan.exchangeTimeoutMs,
    connections: load.connections,
    rate: rateOf(load),
    stageMs: plan.load.stageMs,
  };
}

export interface EmbeddedLoadPlan {
  readonly hash: string;
  readonly slotMs: number;
  readonly stages: readonly (K6StagePlan & { readonly isClosed: boolean })[];
}
