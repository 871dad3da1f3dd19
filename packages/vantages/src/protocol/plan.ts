import { bodyRules, count, identity, milliseconds, runPlan, source, strict } from "@evenbench/results/schema";
import { z } from "zod";

export const PLAN_SCHEMA_VERSION = 1;

export const PLAN_FILE = "plan.json";
export const SCRIPT_FILE = "vantages.js";
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

export const plannedRequest = strict({ path: z.string(), expected: expectation });
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

export const planSchema = strict({
  schemaVersion: z.literal(PLAN_SCHEMA_VERSION),
  createdAt: z.iso.datetime(),
  evenbenchVersion: z.string(),
  /** The state of the repository that made the plan; null outside of one. */
  source: source.nullable(),
  /**
   * As `run.json` has it: cases, targets, seed, trials, `roundsPerTrial` (never null here), `warmUpExchanges`
   * (never null).
   */
  run: runPlan,
  /** As preflight saw them, by target name. */
  identities: z.record(z.string(), identity).readonly(),
  /** In the order in which they are measured. */
  cases: z.array(plannedCase).readonly(),
  /**
   * By target name: the origin to ask. A copy has its original's, with a host name in upper case, which makes
   * a connection of its own.
   */
  origins: z.record(z.string(), z.string()).readonly(),
  /** Names of targets that get the bearer token in the environment variable EVENBENCH_TOKEN. */
  closed: z.array(z.string()).readonly(),
  /** Longest that one exchange may take. */
  exchangeTimeoutMs: milliseconds,
  counts,
}).meta({
  title: "Evenbench plan of vantages",
  description: "plan.json: what every client at every vantage is to send.",
});
/** `plan.json`. Its hash, by which logs name it, is the SHA-256 of the file's bytes in hexadecimal. */
export type VantagePlan = z.infer<typeof planSchema>;
