import { createHash } from "node:crypto";
import { record, sentRequest } from "@evenbench/core/schema";
import { dueCount, OPEN_MS, rateOf } from "@evenbench/load/k6";
import { interleave } from "@evenbench/probe";
import {
  bodyRules,
  count,
  golden,
  identity,
  loadPlan,
  milliseconds,
  runPlan,
  source,
  strict,
} from "@evenbench/results/schema";
import { deriveSeed } from "@evenbench/runner";
import { sum } from "@evenbench/stats";
import { z } from "zod";

export const PLAN_SCHEMA_VERSION = 1;

export const PLAN_FILE = "plan.json";
export const SCRIPT_FILES = { rounds: "vantages.js", rate: "load.js" } as const;
/** Beside the plan: "<vantage>.log" each. */
export const LOGS_FOLDER = "logs";

/**
 * What has to be answered, as preflight saw it: the probe's `Expectation`. The digest is empty where it is
 * never checked.
 */
const expectation = strict({
  ...golden.unwrap().shape,
  ...bodyRules,
  isPage: z.boolean(),
  unchecked: z.enum(["length", "digest", "body"]).exactOptional(),
  variesInType: z.boolean().exactOptional(),
  sends: sentRequest.exactOptional(),
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

/** The platform's `EdgeHeader`. */
const edgeHeader = strict({ header: z.string(), pattern: z.string() });

const planned = {
  schemaVersion: z.literal(PLAN_SCHEMA_VERSION),
  createdAt: z.iso.datetime(),
  evenbenchVersion: z.string(),
  source: source.nullable(),
  identities: record(identity),
  /** By target name. A copy has its original's, written in another way for a connection of its own. */
  origins: record(z.string()),
  /** Names of targets that get the bearer token. */
  closed: z.array(z.string()).readonly(),
  exchangeTimeoutMs: milliseconds,
  /** Where the responses of platforms name the place that took a request. */
  edges: z.array(edgeHeader).readonly(),
  cases: z.array(plannedCase).readonly(),
  /** Of an exchange, as preflight saw it: by case id and target name. */
  seenMs: record(record(milliseconds)),
};

/** Its run is as `run.json` has it; `roundsPerTrial` and `warmUpExchanges` are never null here. */
const roundsPlan = strict({ ...planned, kind: z.literal("rounds"), run: runPlan });
export type RoundsPlan = z.infer<typeof roundsPlan>;

/** Its run is as `load.json` has it; all of its loads are open, with equal gaps. */
const ratePlan = strict({ ...planned, kind: z.literal("rate"), run: loadPlan, machines: count.min(1) });
export type RatePlan = z.infer<typeof ratePlan>;

/** Logs name it by the SHA-256 of the file's bytes. */
export const planSchema = z.discriminatedUnion("kind", [roundsPlan, ratePlan]);
export type Plan = z.infer<typeof planSchema>;

export function planText(plan: Plan): string {
  return `${JSON.stringify(plan, null, 2)}\n`;
}

export function planHash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** In the order in which they are played: each load on each target of a case, at random in every trial. */
export function stagesOf(plan: RatePlan) {
  const { seed, stageMs, trials } = plan.run;
  const loads = plan.run.loads.filter((load) => load.kind === "open");
  return plan.cases.flatMap(({ id: caseId, request, targets }) =>
    Array.from({ length: trials }, (_, trial) => {
      const stages = targets.flatMap((target) =>
        loads.map((load) => {
          const origins = [plan.origins[target] ?? ""];
          const where = {
            origins,
            isClosed: plan.closed.includes(target),
            timeoutMs: plan.exchangeTimeoutMs,
          };
          const offered = { connections: load.connections, rate: rateOf(load), stageMs };
          return { caseId, target, trial, load, ...where, ...request, ...offered };
        }),
      );
      return interleave(stages, deriveSeed(seed, caseId, trial, "order"))();
    }).flat(),
  );
}

const REST_MS = 2000;

/** From the start of one stage to that of the next. */
export function slotMsOf({ run, exchangeTimeoutMs }: RatePlan): number {
  return OPEN_MS + run.stageMs + exchangeTimeoutMs + REST_MS;
}

/** What it asks of targets: of a vantage's client, or of all machines together. */
export function demandOf(plan: Plan) {
  const originals = new Map(plan.run.targets.map(({ name, copyOf }) => [name, copyOf ?? name]));
  const demands = requestsOf(plan).map(({ caseId, target, request, requests }) => {
    const seenMs = plan.seenMs[caseId]?.[originals.get(target) ?? target] ?? 0;
    return { requests, bytes: requests * request.expected.bytes, ms: requests * seenMs };
  });
  const all = (key: keyof (typeof demands)[number]) => sum(demands.map((demand) => demand[key]));
  return { requests: all("requests"), bytes: all("bytes"), ms: all("ms") };
}

function requestsOf(plan: Plan) {
  if (plan.kind === "rate") {
    return stagesOf(plan).map(({ caseId, target, ...stage }) => {
      // One more on each connection opens it.
      return { caseId, target, request: stage, requests: dueCount(stage) + stage.connections };
    });
  }
  const { trials, roundsPerTrial, warmUpExchanges } = plan.run;
  const rounds = trials.minimum * (roundsPerTrial ?? 0);
  const warmUps = trials.minimum * (warmUpExchanges ?? 0);
  return plan.cases.flatMap(({ id: caseId, request, transfer, targets }) =>
    targets.flatMap((target) => [
      { caseId, target, request, requests: warmUps + rounds },
      ...(transfer === null ? [] : [{ caseId, target, request: transfer, requests: rounds }]),
    ]),
  );
}
