import { hash } from "node:crypto";
import { amount, record, sentRequest } from "@evenbench/core/schema";
import { UNMEASURED_SHARE } from "@evenbench/load";
import { dueCount, OPEN_MS, rateOf, type StagePlan } from "@evenbench/load/k6";
import { interleave } from "@evenbench/probe";
import {
  askedFor,
  bodyRules,
  count,
  golden,
  identity,
  loadPlan,
  milliseconds,
  openLoad,
  runPlan,
  source,
  strict,
} from "@evenbench/results/schema";
import { deriveSeed } from "@evenbench/runner";
import { sum } from "@evenbench/stats";
import * as z from "zod";

/** Version of the plan's schema: plans of another one are refused. */
export const PLAN_SCHEMA_VERSION = 1;

/** Name of the plan's file, in a folder of its own. */
export const PLAN_FILE = "plan.json";
/** Names of the scripts beside the plan, by its kind. */
export const SCRIPT_FILES: Readonly<Record<"rounds" | "rate", string>> = {
  rounds: "vantages.js",
  rate: "load.js",
};
/** Name of the folder beside the plan that takes the logs: "<vantage>.log" each. */
export const LOGS_FOLDER = "logs";

/** The probe's `Expectation`, as preflight saw it. The digest is empty where it is never checked. */
const expectation = strict({
  ...golden.unwrap().shape,
  ...bodyRules,
  isPage: z.boolean(),
  unchecked: z.enum(["length", "digest", "body"]).exactOptional(),
  variesInType: z.boolean().exactOptional(),
  sends: sentRequest.exactOptional(),
});

const plannedRequest = strict({ path: z.string(), expected: expectation });
/** A request with its right answer. */
export type PlannedRequest = z.infer<typeof plannedRequest>;

const plannedCase = strict({
  id: z.string(),
  request: plannedRequest,
  /** Constant text of the same length in as many parts; null where there is no transfer time to take off. */
  transfer: plannedRequest.nullable(),
  targets: z.array(z.string()).readonly(),
});
/** A case of a plan. */
export type VantageCase = z.infer<typeof plannedCase>;

/** The platform's `EdgeHeader`. */
const edgeHeader = strict({ header: z.string(), pattern: z.string() });

/** Longest time that a plan gives one request or one rate, in milliseconds: a day. */
const LONGEST_MS = 86_400_000;
/** Milliseconds of the shortest scenario that k6 takes. */
const SHORTEST_STAGE_MS = 2000;
/** Schema of a number of trials. */
const trials = count.min(1).max(1000);

const plannedFields = {
  schemaVersion: z.literal(PLAN_SCHEMA_VERSION),
  createdAt: z.iso.datetime(),
  evenbenchVersion: z.string(),
  ...askedFor,
  source: source.nullable(),
  identities: record(identity),
  /** Origins by target name; a copy's is written in another way, for a connection of its own. */
  origins: record(z.string()),
  /** Names of targets that get the bearer token. */
  closed: z.array(z.string()).readonly(),
  exchangeTimeoutMs: milliseconds.max(LONGEST_MS),
  /** The headers of platforms' responses that name the place which took a request. */
  edges: z.array(edgeHeader).readonly(),
  cases: z.array(plannedCase).min(1).readonly(),
  /** Milliseconds of an exchange, as preflight saw it: by case id and target name. */
  seenMs: record(record(milliseconds)),
};

/** The run of a plan of rounds, as `run.json` has it, with fixed numbers. */
const roundsRun = strict({
  ...runPlan.unwrap().shape,
  trials: strict({ minimum: trials, maximum: trials }).refine(
    ({ minimum, maximum }) => minimum === maximum,
    "No fixed number",
  ),
  roundsPerTrial: count.min(1).max(100_000),
  warmUpExchanges: count.max(10_000),
});
/** A plan of rounds. */
const roundsPlan = strict({ ...plannedFields, kind: z.literal("rounds"), run: roundsRun });
/** A plan of rounds, which each vantage's client plays whole. */
export type RoundsPlan = z.infer<typeof roundsPlan>;

/** A rate with equal gaps, of all machines together. */
const evenRate = strict({
  ...openLoad.unwrap().shape,
  arrivals: z.literal("uniform"),
  perSecond: amount.positive().max(100_000),
  connections: count.max(1024),
});
/** The run of a plan of a load, as `load.json` has it. */
const rateRun = strict({
  ...loadPlan.unwrap().shape,
  trials,
  stageMs: milliseconds.min(SHORTEST_STAGE_MS, "k6 plays nothing shorter than 2000 ms").max(LONGEST_MS),
  loads: z.array(evenRate).min(1).max(1000).readonly(),
});
/** A plan of a load. */
const ratePlan = strict({
  ...plannedFields,
  kind: z.literal("rate"),
  run: rateRun,
  machines: count.min(1).max(1000),
});
/** A plan of a load, of which each machine sends an equal part. */
export type RatePlan = z.infer<typeof ratePlan>;

/** The schema of a plan of either kind. */
export const planSchema = z.discriminatedUnion("kind", [roundsPlan, ratePlan]);
/** A plan of either kind. */
export type VantagePlan = z.infer<typeof planSchema>;

/** Writes the text of a plan's file. */
export function planText(plan: VantagePlan): string {
  return `${JSON.stringify(plan, null, 2)}\n`;
}

/** Computes the SHA-256 of a plan's text, by which logs name it: 64 hexadecimal digits. */
export function planHash(text: string): string {
  return hash("sha256", text);
}

/** Gives the name of a plan for other engines: "evenbench-" and the first eight digits of its hash. */
export function nameOfPlan(plan: VantagePlan): string {
  return `evenbench-${planHash(planText(plan)).slice(0, 8)}`;
}

/** A stage of a load as the script plays it, with its case, target, trial and load of the plan. */
export interface PlannedStage extends StagePlan {
  readonly caseId: string;
  readonly target: string;
  /** The trial's index, from 0. */
  readonly trial: number;
  readonly load: RatePlan["run"]["loads"][number];
}

/** Gives the stages as they are played: each load on each target of a case, at random in every trial. */
export function stagesOf(plan: RatePlan): readonly PlannedStage[] {
  const { seed, stageMs, trials, loads } = plan.run;
  return plan.cases.flatMap(({ id: caseId, request, targets }) =>
    Array.from({ length: trials }, (_, trial) => {
      const stages = targets.flatMap((target) =>
        loads.map((load): PlannedStage => {
          return {
            caseId,
            target,
            trial,
            load,
            origins: [plan.origins[target] ?? ""],
            isClosed: plan.closed.includes(target),
            timeoutMs: plan.exchangeTimeoutMs,
            ...request,
            connections: load.connections,
            rate: rateOf(load),
            stageMs,
          };
        }),
      );
      return interleave(stages, deriveSeed(seed, caseId, trial, "order"))();
    }).flat(),
  );
}

/** Milliseconds between the last possible answer of a stage and the next one. */
const REST_MS = 2000;

/** Gives the milliseconds from the start of one stage to that of the next. */
export function slotMsOf({ run, exchangeTimeoutMs }: RatePlan): number {
  return OPEN_MS + run.stageMs + exchangeTimeoutMs + REST_MS;
}

/** Gives the milliseconds at the start of a stage that are not measured. */
export function unmeasuredMs({ run }: RatePlan): number {
  return run.stageMs * UNMEASURED_SHARE;
}

/** The demand of a plan on its targets. */
interface PlanDemand {
  /** Number of requests. */
  readonly requests: number;
  /** Bytes of the answers' bodies. */
  readonly bytes: number;
  /** Milliseconds that the requests take, one after the other, from where preflight was. */
  readonly ms: number;
}

/** Adds up the demand of a plan: that of one vantage's client, or of all machines of a load together. */
export function demandOf(plan: VantagePlan): PlanDemand {
  const originals = new Map(plan.run.targets.map(({ name, copyOf }) => [name, copyOf ?? name]));
  const demands = requestsOf(plan).map(({ caseId, target, request, requests }) => {
    const seenMs = plan.seenMs[caseId]?.[originals.get(target) ?? target] ?? 0;
    return { requests, bytes: requests * request.expected.bytes, ms: requests * seenMs };
  });
  return {
    requests: sum(demands.map(({ requests }) => requests)),
    bytes: sum(demands.map(({ bytes }) => bytes)),
    ms: sum(demands.map(({ ms }) => ms)),
  };
}

/** A request to one target, and the number of times that it is sent. */
interface RequestCount {
  readonly caseId: string;
  readonly target: string;
  readonly request: PlannedRequest;
  readonly requests: number;
}

/** Lists the requests of a plan. */
function requestsOf(plan: VantagePlan): readonly RequestCount[] {
  if (plan.kind === "rate") {
    return stagesOf(plan).map(({ caseId, target, ...stage }) => {
      // One more on each connection opens it.
      return { caseId, target, request: stage, requests: dueCount(stage) + stage.connections };
    });
  }
  const { trials, roundsPerTrial, warmUpExchanges } = plan.run;
  const rounds = trials.minimum * roundsPerTrial;
  const warmUps = trials.minimum * warmUpExchanges;
  return plan.cases.flatMap(({ id: caseId, request, transfer, targets }) =>
    targets.flatMap((target) => [
      { caseId, target, request, requests: warmUps + rounds },
      ...(transfer === null ? [] : [{ caseId, target, request: transfer, requests: rounds }]),
    ]),
  );
}
