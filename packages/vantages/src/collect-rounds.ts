import { join } from "node:path";
import { type ClientLog, type ExchangeLine, exchangeOf } from "@evenbench/load/k6";
import {
  NOTHING_MEASURED,
  RUN_FILE,
  type Run,
  type Sample,
  type SamplesDigest,
  SampleWriter,
  writeJson,
} from "@evenbench/results";
import { largest } from "@evenbench/stats";
import { beginRun, type Collected, type CollectTerms } from "./collect.ts";
import type { RoundsPlan } from "./plan.ts";

/** The log of a client whose trials have numbers in the run. */
interface NumberedLog extends ClientLog {
  /** The number of its first trial: those of the client that appears first come first. */
  readonly firstTrial: number;
}

/** Makes a run of the logs of clients that played rounds. @throws {UserError} where logs are refused. */
export async function collectLogs(terms: CollectTerms<RoundsPlan>): Promise<Collected<Run>> {
  const { plan } = terms;
  const { folder, logs, head, problems } = await beginRun(terms);
  const trials = plan.run.trials.maximum;
  const clients = logs.map((log, index): NumberedLog => ({ ...log, firstTrial: index * trials }));
  const { counted, samples } = writeRounds(folder, clients, plan);
  const ends = clients.map(({ begin, end }) => Date.parse(begin.startedAt) + (end?.elapsedMs ?? 0));
  const run: Run = {
    ...head,
    finishedAt: new Date(largest(ends)).toISOString(),
    source: plan.source,
    samples,
    plan: plan.run,
    machine: null,
    vantages: vantagesOf(clients, trials),
    ...NOTHING_MEASURED,
  };
  await writeJson(join(folder, RUN_FILE), run);
  return { folder, run, problems, counted };
}

/** The samples of a run that were written. */
interface WrittenRounds {
  readonly samples: SamplesDigest;
  /** Number of measured requests that were answered as they should be. */
  readonly counted: number;
}

/** Writes the samples of all clients. */
function writeRounds(folder: string, clients: readonly NumberedLog[], plan: RoundsPlan): WrittenRounds {
  const writer = new SampleWriter<Sample>(folder);
  let counted = 0;
  for (const client of clients) {
    for (const line of client.lines) {
      const sample = line.evenbench === "exchange" ? sampleOf(line, client, plan) : null;
      if (sample === null) {
        continue;
      }
      writer.append(sample);
      if (sample.phase === "measure" && line.error === null) {
        counted += 1;
      }
    }
    writer.flush();
  }
  writer.close();
  return { samples: writer.written, counted };
}

/** Makes the sample of a line; null where the plan has no such case. */
function sampleOf(line: ExchangeLine, { begin, firstTrial }: NumberedLog, plan: RoundsPlan): Sample | null {
  const trials = plan.run.trials.maximum;
  const planned = plan.cases[Math.floor(line.stage / trials)];
  if (planned === undefined) {
    return null;
  }
  const { target, phase, round, position, startedAtMs, edge, protocol } = line;
  return {
    caseId: planned.id,
    target,
    trial: firstTrial + (line.stage % trials),
    phase,
    roundIndex: round,
    position,
    startedAtMs,
    ...exchangeOf(line),
    cpuMs: null,
    minorFaults: null,
    from: { vantage: begin.vantage, client: begin.client, edge, httpVersion: protocol },
  };
}

/** Makes the record's list of vantages, each with its clients. @param trials number of each client's trials. */
function vantagesOf(clients: readonly NumberedLog[], trials: number): NonNullable<Run["vantages"]> {
  return [...Map.groupBy(clients, ({ begin }) => begin.vantage)].map(([name, logs]) => ({
    name,
    clients: logs.map(({ begin, end, lines, lacks, firstTrial }) => ({
      client: begin.client,
      nonce: begin.nonce,
      startedAt: begin.startedAt,
      elapsedMs: end?.elapsedMs ?? null,
      planned: begin.exchanges ?? 0,
      logged: lines.length,
      lacks,
      firstTrial,
      trials,
    })),
  }));
}
