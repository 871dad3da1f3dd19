import { join } from "node:path";
import { readRegular } from "@evenbench/results";
import {
  count,
  exchange,
  identity,
  loadPlan,
  milliseconds,
  sampleError,
  source,
  strict,
} from "@evenbench/results/schema";
import {
  clientNonce,
  PLAN_FILE,
  parsePlan,
  plannedRequest,
  planSha256,
  vantageName,
} from "@evenbench/vantages";
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

const machinesPlanSchema = strict({
  schemaVersion: z.literal(LOAD_PLAN_VERSION),
  kind: z.literal("load"),
  createdAt: z.iso.datetime(),
  evenbenchVersion: z.string(),
  source: source.nullable(),
  /** As `load.json` has it; every load of it is open, with equal gaps. */
  load: loadPlan,
  identities: z.record(z.string(), identity).readonly(),
  /** Machines among which every load is divided in equal parts. */
  machines: count.min(1),
  requests: z.record(z.string(), plannedRequest).readonly(),
  origins: z.record(z.string(), z.string()).readonly(),
  /** Names of subjects that get the bearer token in the environment variable EVENBENCH_TOKEN. */
  closed: z.array(z.string()).readonly(),
  exchangeTimeoutMs: milliseconds,
  /** From the start of one stage to that of the next: opening connections, the stage, and the last answers. */
  slotMs: milliseconds,
  stages: z.array(plannedStage).readonly(),
}).meta({
  title: "Evenbench plan of a load from several machines",
  description: "plan.json: what all machines are to send together.",
});
/** `plan.json`. Its hash, by which logs name it, is the SHA-256 of the file's bytes in hexadecimal. */
export type MachinesPlan = z.infer<typeof machinesPlanSchema>;

const beginLine = strict({
  evenbench: z.literal("begin"),
  protocol: z.literal(1),
  plan: planSha256,
  nonce: clientNonce,
  vantage: vantageName,
  /** Its part of the load: the `index`-th (from 0) of `of` equal ones, as k6's execution segment says. */
  part: strict({ index: count, of: count.min(1) }),
  /** The client's clock when its first stage began, ISO 8601. */
  startedAt: z.iso.datetime(),
});
export type LoadBeginLine = z.infer<typeof beginLine>;

const { startedAtMs: _startedAtMs, ...seen } = exchange;

const exchangeLine = strict({
  evenbench: z.literal("exchange"),
  nonce: clientNonce,
  stage: count,
  connection: count,
  /** From the stage's start: when k6 began with it, and when it was over. `blockedMs`: until it had a connection. */
  begunAtMs: milliseconds,
  blockedMs: milliseconds,
  overAtMs: milliseconds,
  ...seen,
  firstByteMs: milliseconds.nullable(),
  lastByteMs: milliseconds.nullable(),
  /** As k6 says it: "HTTP/1.1". null without a response. */
  protocol: z.string().nullable(),
  error: sampleError,
});
export type LoadExchangeLine = z.infer<typeof exchangeLine>;

const endLine = strict({
  evenbench: z.literal("end"),
  plan: planSha256,
  nonce: clientNonce,
  /** Lines of requests that the client wrote, by stage. */
  exchanges: z.array(count).readonly(),
  stopped: z.string().nullable(),
});
export type LoadEndLine = z.infer<typeof endLine>;

export const loadLineSchema = z.discriminatedUnion("evenbench", [beginLine, exchangeLine, endLine]);

export interface ReadMachinesPlan {
  readonly folder: string;
  readonly plan: MachinesPlan;
  readonly hash: string;
}

export async function readMachinesPlan(folder: string): Promise<ReadMachinesPlan | null> {
  const text = await readRegular(join(folder, PLAN_FILE)).catch(() => "");
  if (!/"kind":\s*"load"/.test(text)) return null;
  const again = "load --engine k6 --plan <folder>";
  return { folder, ...(await parsePlan(folder, machinesPlanSchema, again, text)) };
}
