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
  runPlan,
  source,
  strict,
} from "@evenbench/results/schema";
import { z } from "zod";

export const PLAN_SCHEMA_VERSION = 1;

export const PLAN_FILE = "plan.json";
/** By kind of plan. */
export const SCRIPT_FILES = { rounds: "vantages.js", rate: "load.js" } as const;
/** The folder, beside the plan, that takes the logs which this machine starts: "<vantage>.log" each. */
export const LOGS_FOLDER = "logs";

/** What has to be answered, as preflight saw it when the plan was made. The shape of the probe's `Expectation`. */
const expectation = strict({
  status: z.int(),
  contentType: z.string().nullable(),
  bytes: count,
  /** Of the masked body, in hexadecimal. Empty where it is never checked. */
  sha256: z.string(),
  ...bodyRules,
  /** Whether the body says which instance rendered it; otherwise a header does. */
  isPage: z.boolean(),
  /** What is not held against a body, as the probe's expectations have it. */
  unchecked: z.enum(["length", "body"]).exactOptional(),
});

const plannedRequest = strict({ path: z.string(), expected: expectation });
/** What is asked for, and what has to be answered. */
export type PlannedRequest = z.infer<typeof plannedRequest>;

const plannedCase = strict({
  id: z.string(),
  request: plannedRequest,
  /** Constant text of the same length in as many parts, for the transfer time; null where there is none to take off. */
  transfer: plannedRequest.nullable(),
  /** Names of the run's targets that serve it, A/A copies included. */
  targets: z.array(z.string()).readonly(),
});
export type PlannedCase = z.infer<typeof plannedCase>;

const counts = strict({
  /** Iterations of the script: a trial of a case each, over fresh connections. */
  trials: count,
  /** Lines of exchanges in its log, of all phases. */
  exchanges: count,
  bytes: count,
  /** How long it takes, by what preflight saw from where the plan was made. */
  expectedMs: milliseconds,
});

const planned = {
  schemaVersion: z.literal(PLAN_SCHEMA_VERSION),
  createdAt: z.iso.datetime(),
  evenbenchVersion: z.string(),
  /** The state of the repository that made the plan; null outside of one. */
  source: source.nullable(),
  /** As preflight saw them, by target name. */
  identities: z.record(z.string(), identity).readonly(),
  /** By target name. A copy has its original's with the host in upper case, which makes a connection of its own. */
  origins: z.record(z.string(), z.string()).readonly(),
  /** Names of targets that get the bearer token in the environment variable EVENBENCH_TOKEN. */
  closed: z.array(z.string()).readonly(),
  /** Longest that one exchange may take. */
  exchangeTimeoutMs: milliseconds,
};

const roundsPlan = strict({
  ...planned,
  kind: z.literal("rounds"),
  /** As `run.json` has it; `roundsPerTrial` and `warmUpExchanges` are never null here. */
  run: runPlan,
  /** In the order in which they are measured. */
  cases: z.array(plannedCase).readonly(),
  counts,
});
/** Every client at every vantage plays all of it. */
export type VantagePlan = z.infer<typeof roundsPlan>;

const plannedStage = strict({ caseId: z.string(), target: z.string(), trial: count, load: count });
export type PlannedStage = z.infer<typeof plannedStage>;

const ratePlan = strict({
  ...planned,
  kind: z.literal("rate"),
  /** As `load.json` has it; every load of it is open, with equal gaps. */
  load: loadPlan,
  /** Machines among which every load is divided in equal parts. */
  machines: count.min(1),
  /** By case id. */
  requests: z.record(z.string(), plannedRequest).readonly(),
  /** From the start of one stage to that of the next: opening connections, the stage, and the last answers. */
  slotMs: milliseconds,
  /** In the order in which they are played. */
  stages: z.array(plannedStage).readonly(),
});
/** All machines put its load on together. */
export type RatePlan = z.infer<typeof ratePlan>;

/** `plan.json`. Its hash, by which logs name it, is the SHA-256 of the file's bytes in hexadecimal. */
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

export interface ReadPlan {
  readonly folder: string;
  readonly plan: Plan;
  readonly hash: string;
}

/** @throws {UserError} where there is none that can be read. */
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
