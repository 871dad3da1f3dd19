import { createHash } from "node:crypto";
import { join } from "node:path";
import { messageOf, openRecord, UserError } from "@evenbench/core";
import { EVENBENCH } from "@evenbench/core/called";
import { readRegular } from "@evenbench/results";
import { build } from "esbuild";
import { PLAN_FILE, type Plan, planSchema, type VantagePlan } from "../protocol/plan.ts";
import type { EmbeddedPlan } from "../script/client.ts";

export function planText(plan: object): string {
  return `${JSON.stringify(plan, null, 2)}\n`;
}

/** By which logs name a plan: SHA-256 of the file's bytes, in hexadecimal. */
export function planHash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

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

export function nameOfPlan(plan: object): string {
  return `evenbench-${planHash(planText(plan)).slice(0, 8)}`;
}

export interface ReadPlan<P extends Plan = Plan> {
  readonly folder: string;
  readonly plan: P;
  readonly hash: string;
}

export async function readPlan(folder: string): Promise<ReadPlan> {
  try {
    const text = await readRegular(join(folder, PLAN_FILE));
    return { folder, plan: planSchema.parse(JSON.parse(text)), hash: planHash(text) };
  } catch (error) {
    const why = messageOf(error).split("\n")[0];
    throw new UserError(
      `${folder} has no plan that can be read (${why}). Make one: \`${EVENBENCH} vantages plan --where deployed --out <folder>\`, or for a load \`${EVENBENCH} load --engine k6 --plan <folder>\`.`,
    );
  }
}

const ENTRY = join(import.meta.dirname, "../script/main.ts");

export function bundleScript(plan: EmbeddedPlan): Promise<string> {
  return bundleForK6(ENTRY, plan);
}

export async function bundleForK6(entry: string, plan: object): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: "esm",
    // Modules of k6 itself: they exist only inside of it.
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
