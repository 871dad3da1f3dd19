import { join } from "node:path";
import { build } from "esbuild";
import { demandOf, type Plan, planHash, planText, slotMsOf, stagesOf } from "./plan.ts";
import type { EmbeddedRate } from "./script/rate.ts";
import type { EmbeddedRounds } from "./script/rounds.ts";

/** The one file that k6 needs to play a plan: the same text for the same plan. */
export function bundlePlan(plan: Plan): Promise<string> {
  const hash = planHash(planText(plan));
  if (plan.kind === "rate") {
    return bundleScript("rate", { hash, edges: plan.edges, slotMs: slotMsOf(plan), stages: stagesOf(plan) });
  }
  return bundleScript("rounds", { hash, exchanges: demandOf(plan).requests, ...plan });
}

/** A script of k6 with what it is to play inside of it. */
export async function bundleScript<K extends Plan["kind"]>(
  kind: K,
  plan: K extends "rate" ? EmbeddedRate : EmbeddedRounds,
): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, "script", `${kind}.ts`)],
    bundle: true,
    write: false,
    format: "esm",
    external: ["k6", "k6/*"],
    platform: "neutral",
    mainFields: ["module", "main"],
    target: "es2022",
    legalComments: "none",
    minifySyntax: true,
    minifyWhitespace: true,
    define: { EVENBENCH_PLAN: JSON.stringify(plan) },
  });
  return outputFiles[0]?.text ?? "";
}
