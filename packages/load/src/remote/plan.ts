import { createHash } from "node:crypto";
import { join } from "node:path";
import { messageOf, UserError } from "@evenbench/core";
import { EVENBENCH } from "@evenbench/core/called";
import { readRegular } from "@evenbench/results";
import {
  bodyRules,
  count,
  identity,
  loadPlan,
  milliseconds,
  openLoad,
  runPlan,
  source,
  strict,
} from "@evenbench/results/schema";
import { z } from "zod";
import { rateOf, type StagePlan } from "./rate.ts";

export const PLAN_SCHEMA_VERSION = 1;

export const PLAN_FILE = "plan.json";
export const SCRIPT_FILES = { rounds: "vantages.js", rate: "load.js" } as const;
/** Beside the plan: "<vantage>.log" each. */
export const LOGS_FOLDER = "logs";

/** What has to be answered, as preflight saw it: the probe's `Expectation`. */
const expectation = strict({
  status: z.int(),
  contentType: z.string().nullable(),
  bytes: count,
  /** Of the masked body, in hexadecimal. Empty where it is never checked. */
  sha256: z.string(),
  ...bodyRules,
  isPage: z.boolean(),
  unchecked: z.enum(["length", "body"]).exactOptional(),
});

const plannedRequest = strict({ path: z.string(), expected: expectation });
export type PlannedRequest = z.infer<typeof plannedRequest>;

const plannedCase = strict({
  id: z.string(),
  request: plannedRequest,
  /** Constant text of the same length in as many parts; null where there is no transfer time to take off. */
  transfer: plannedRequest.nullable(),
  targets: z.array(z.string()).readonly(),
});
export type PlannedCase = z.infer<typeof plannedCase>;

const counts = strict({
  trials: count,
  exchanges: count,
  bytes: count,
  expectedMs: milliseconds,
});

const planned = {
  schemaVersion: z.literal(PLAN_SCHEMA_VERSION),
  createdAt: z.iso.datetime(),
  evenbenchVersion: z.string(),
  source: source.nullable(),
  identities: z.record(z.string(), identity).readonly(),
  /** By target name. A copy has its original's, written in another way for a connection of its own. */
  origins: z.record(z.string(), z.string()).readonly(),
  /** Names of targets that get the bearer token. */
  closed: z.array(z.string()).readonly(),
  exchangeTimeoutMs: milliseconds,
};

const roundsPlan = strict({
  ...planned,
  kind: z.literal("rounds"),
  /** As `run.json` has it; `roundsPerTrial` and `warmUpExchanges` are never null here. */
  run: runPlan,
  cases: z.array(plannedCase).readonly(),
  counts,
});
export type VantagePlan = z.infer<typeof roundsPlan>;

const plannedStage = strict({ caseId: z.string(), target: z.string(), trial: count, load: openLoad });
export type PlannedStage = z.infer<typeof plannedStage>;

const ratePlan = strict({
  ...planned,
  kind: z.literal("rate"),
  /** As `load.json` has it; all of its loads are open, with equal gaps. */
  load: loadPlan,
  machines: count.min(1),
  requests: z.record(z.string(), plannedRequest).readonly(),
  /** From the start of one stage to that of the next. */
  slotMs: milliseconds,
  stages: z.array(plannedStage).readonly(),
});
export type RatePlan = z.infer<typeof ratePlan>;

/** Logs name it by the SHA-256 of the file's bytes. */
export const planSchema = z.discriminatedUnion("kind", [roundsPlan, ratePlan]);
export type Plan = z.infer<typeof planSchema>;

export function planText(plan: object): string {
  return `${JSON.stringify(plan, null, 2)}\n`;
}

export function planHash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

export function nameOfPlan(plan: Plan): string {
  return `evenbench-${planHash(planText(plan)).slice(0, 8)}`;
}

export function stagePlanOf(plan: RatePlan, { caseId, target, load }: PlannedStage): StagePlan {
  const request = plan.requests[caseId];
  const origin = plan.origins[target];
  if (request === undefined || origin === undefined) throw new Error("The plan lacks a case or a target.");
  return {
    origins: [origin],
    ...request,
    timeoutMs: plan.exchangeTimeoutMs,
    connections: load.connections,
    rate: rateOf(load),
    stageMs: plan.load.stageMs,
    isClosed: plan.closed.includes(target),
  };
}

export interface ReadPlan {
  readonly folder: string;
  readonly plan: Plan;
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
