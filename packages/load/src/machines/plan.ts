import { count, identity, loadPlan, milliseconds, source, strict } from "@evenbench/results/schema";
import { plannedRequest } from "@evenbench/vantages";
import { z } from "zod";

/** The version of `plan.json`, and of the lines that clients write. */
export const LOAD_PLAN_VERSION = 1;

export const LOAD_SCRIPT_FILE = "load.js";

const plannedStage = strict({
  caseId: z.string(),
  subject: z.string(),
  trial: count,
  load: count,
});
export type PlannedStage = z.infer<typeof plannedStage>;

export const machinesPlanSchema = strict({
  schemaVersion: z.literal(LOAD_PLAN_VERSION),
  kind: z.literal("load"),
  /** ISO 8601. */
  createdAt: z.iso.datetime(),
  evenbenchVersion: z.string(),
  source: source.nullable(),
  /** As `load.json` has it; every load of it is open, with equal gaps. */
  load: loadPlan,
  /** As preflight saw them, by target name. */
  identities: z.record(z.string(), identity).readonly(),
  /** Machines among which every load is divided in equal parts. */
  machines: count.min(1),
  /** By case id. */
  requests: z.record(z.string(), plannedRequest).readonly(),
  /** By subject name. */
  origins: z.record(z.string(), z.string()).readonly(),
  /** Names of subjects that get the bearer token in the environment variable EVENBENCH_TOKEN. */
  closed: z.array(z.string()).readonly(),
  /** Longest that one exchange may take. */
  exchangeTimeoutMs: milliseconds,
  /** From the start of one stage to that of the next: opening connections, the stage, and the last answers. */
  slotMs: milliseconds,
  /** In the order in which they are played. */
  stages: z.array(plannedStage).readonly(),
}).meta({
  title: "Evenbench plan of a load from several machines",
  description: "plan.json: what all machines are to send together.",
});
/** `plan.json`. Its hash, by which logs name it, is the SHA-256 of the file's bytes in hexadecimal. */
export type MachinesPlan = z.infer<typeof machinesPlanSchema>;
