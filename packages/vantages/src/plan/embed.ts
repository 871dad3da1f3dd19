import { createHash } from "node:crypto";
import { openRecord } from "@evenbench/core";
import type { VantagePlan } from "../protocol/plan.ts";
import type { EmbeddedPlan } from "../script/embedded.ts";

/** The text of `plan.json`, whatever a plan is of. */
export function planText(plan: object): string {
  return `${JSON.stringify(plan, null, 2)}\n`;
}

/** By which logs name a plan: SHA-256 of the file's bytes, in hexadecimal. */
export function planHash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** What of a plan goes into the script. */
export function embedPlan(plan: VantagePlan): EmbeddedPlan {
  const { run, cases, origins, closed, counts, exchangeTimeoutMs } = plan;
  const copies = run.targets.filter(({ copyOf }) => copyOf !== null);
  return {
    hash: planHash(planText(plan)),
    seed: run.seed,
    trials: run.trials.minimum,
    rounds: run.roundsPerTrial ?? 0,
    warmUp: run.warmUpExchanges ?? 0,
    digestEvery: run.digestEvery,
    timeoutMs: exchangeTimeoutMs,
    cases,
    origins,
    copies: copies.map(({ name }) => name),
    hosts: openRecord(copies.map(({ name, url }) => [name, new URL(url ?? "").host] as const)),
    closed,
    exchanges: counts.exchanges,
  };
}

/** By which engines name a plan's things: "evenbench-1a2b3c4d". */
export function nameOfPlan(plan: object): string {
  return `evenbench-${planHash(planText(plan)).slice(0, 8)}`;
}
