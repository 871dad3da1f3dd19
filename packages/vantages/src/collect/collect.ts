import { UserError } from "@evenbench/core";
import {
  RUN_SCHEMA_VERSION,
  type Run,
  type SamplesDigest,
  SampleWriter,
  type VantageClient,
  writeRun,
} from "@evenbench/results";
import type { VantagePlan } from "../protocol/index.ts";
import type { ClientLog } from "./client-log.ts";
import { collecting } from "./collecting-folder.ts";
import { Logs, type TakeExchange } from "./logs.ts";
import { outcomeOf } from "./outcome.ts";
import type { Problem } from "./plan-logs.ts";
import { refuse } from "./refuse.ts";
import { sampleOf } from "./sample-of.ts";

const BATCH = 1000;

export interface CollectOptions {
  readonly plan: VantagePlan;
  /** Of the plan's file, as its clients name it. */
  readonly hash: string;
  /** Files, in any order; parts of one log in theirs. */
  readonly logs: readonly string[];
  readonly out: string;
  /** Whether logs that are not whole, or mix versions of HTTP, make a run all the same: one that says so. */
  readonly anyway?: boolean;
}

export interface Collected {
  readonly folder: string;
  readonly run: Run;
  /** What is wrong with it, in sentences; empty unless `anyway` was asked for. */
  readonly problems: readonly string[];
}

/**
 * Makes a run's folder of the logs that clients wrote: `run.json` and `samples.ndjson`, as any run has them.
 * Logs are read line by line.
 *
 * @throws {UserError} when a log cannot be read, is not of this plan or is there twice, when two clients have
 *   one name, and, unless `anyway` is asked for, when anything is missing.
 */
export async function collectLogs({
  plan,
  hash,
  logs,
  out,
  anyway = false,
}: CollectOptions): Promise<Collected> {
  if (logs.length === 0)
    throw new UserError("There is no log to collect. Name the files that clients wrote.");
  return collecting(out, async (unfinished) => {
    const writer = new SampleWriter(unfinished.folder);
    const found = new Logs(hash, writerFor(writer, plan));
    for (const log of logs) await found.read(log);
    writer.close();
    const problems = found.problems();
    refuse(problems, anyway);
    const run = runOf(plan, found.clients, problems, writer.written);
    const { folder, id } = await unfinished.become(new Date(run.startedAt));
    await writeRun(folder, { ...run, id });
    return { folder, run: { ...run, id }, problems: problems.map(({ sentence }) => sentence) };
  });
}

function writerFor(writer: SampleWriter, plan: VantagePlan): TakeExchange {
  let queued = 0;
  return (line, client) => {
    writer.append(sampleOf(line, client.begin, firstTrialOf(client, plan)));
    queued += 1;
    if (queued % BATCH === 0) writer.flush();
  };
}

/** `run.json`, its id still missing. Its times are those of the clients' own clocks. */
function runOf(
  plan: VantagePlan,
  clients: readonly ClientLog[],
  problems: readonly Problem[],
  samples: SamplesDigest,
): Run {
  const startedAt = clients.map(({ begin }) => begin.startedAt).sort()[0];
  if (startedAt === undefined)
    throw new UserError("No log has a client's begin line, so nothing can be collected.");
  const ends = clients.map(({ begin, end }) => Date.parse(begin.startedAt) + (end?.elapsedMs ?? 0));
  const byVantage = Map.groupBy(clients, ({ begin }) => begin.vantage);
  return {
    schemaVersion: RUN_SCHEMA_VERSION,
    id: "",
    startedAt,
    finishedAt: new Date(Math.max(...ends)).toISOString(),
    ...outcomeOf(problems),
    evenbenchVersion: plan.evenbenchVersion,
    source: plan.source,
    samples,
    plan: plan.run,
    machine: null,
    vantages: [...byVantage].map(([name, own]) => ({
      name,
      clients: own.map((one) => clientOf(one, plan)),
    })),
    identities: plan.identities,
    deployables: {},
    usage: [],
    warmUps: [],
    clientLoad: [],
    timelines: [],
    coldStarts: [],
  };
}

function clientOf(client: ClientLog, plan: VantagePlan): VantageClient {
  const { begin, end, logged, lacks } = client;
  return {
    client: begin.client,
    nonce: begin.nonce,
    startedAt: begin.startedAt,
    elapsedMs: end?.elapsedMs ?? null,
    planned: begin.exchanges,
    logged,
    lacks,
    firstTrial: firstTrialOf(client, plan),
    trials: plan.run.trials.maximum,
  };
}

/** Trials are numbered through: those of the first client that appears come first. */
function firstTrialOf({ index }: ClientLog, { run }: VantagePlan): number {
  return index * run.trials.maximum;
}
