import type { OpenLoad } from "@evenbench/results";
import { planHash } from "@evenbench/vantages";
import { rateOf } from "../k6/stage-plan.ts";
import type { EmbeddedLoadPlan } from "./embedded.ts";
import type { MachinesPlan, PlannedStage } from "./plan.ts";

/** The text of `plan.json`. */
export function machinesPlanText(plan: MachinesPlan): string {
  return `${JSON.stringify(plan, null, 2)}\n`;
}

/**
 * What of a plan goes into the script.
 *
 * @param isDivided whether each machine starts it whole, so that its rates and connections have to be one machine's part.
 */
export function embedLoadPlan(plan: MachinesPlan, isDivided: boolean): EmbeddedLoadPlan {
  const { slotMs, stages, closed } = plan;
  return {
    hash: planHash(machinesPlanText(plan)),
    isDivided,
    slotMs,
    stages: stages.map((stage) => ({
      ...stagePlanOf(plan, stage, isDivided ? plan.machines : 1),
      isClosed: closed.includes(stage.subject),
    })),
  };
}

/** The load of a stage. */
export function loadOf({ load }: MachinesPlan, stage: PlannedStage): OpenLoad {
  const found = load.loads[stage.load];
  if (found?.kind !== "open") throw new Error("A plan for several machines has rates only.");
  return found;
}

/** What k6 is given for a stage of which it plays one of so many parts by itself. */
export function stagePlanOf(plan: MachinesPlan, stage: PlannedStage, parts: number) {
  const load = loadOf(plan, stage);
  const request = plan.requests[stage.caseId];
  const origin = plan.origins[stage.subject];
  if (request === undefined || origin === undefined) throw new Error("The plan lacks a case or a target.");
  return {
    origins: [origin],
    path: request.path,
    expected: request.expected,
    timeoutMs: plan.exchangeTimeoutMs,
    connections: Math.max(1, Math.floor(load.connections / parts)),
    rate: rateOf({ ...load, perSecond: load.perSecond / parts }),
    stageMs: plan.load.stageMs,
  };
}
