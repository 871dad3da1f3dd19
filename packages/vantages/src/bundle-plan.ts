import { join } from "node:path";
import { bundleRateScript, bundleScript } from "@evenbench/load/k6";
import { demandOf, planHash, planText, slotMsOf, stagesOf, type VantagePlan } from "./plan.ts";
import type { EmbeddedRounds } from "./script/rounds.ts";

/** Makes the one file that k6 needs to play a plan. The same plan gives the same text. */
export function bundlePlan(plan: VantagePlan): Promise<string> {
  const hash = planHash(planText(plan));
  if (plan.kind === "rate") {
    return bundleRateScript({ hash, edges: plan.edges, slotMs: slotMsOf(plan), stages: stagesOf(plan) });
  }
  const embedded: EmbeddedRounds = { hash, exchanges: demandOf(plan).requests, ...plan };
  return bundleScript(join(import.meta.dirname, "script/rounds.ts"), embedded);
}
