import { resolve } from "node:path";
import { openRecord } from "@evenbench/core";
import { sampleCheck } from "./check-sample.ts";
import { readRecord, readSampleLines } from "./read-files.ts";
import { RUN_RECORD } from "./run-record.ts";
import { SampleTable } from "./sample-table.ts";
import type { Run } from "./schema/run.ts";
import { type Sample, sampleSchema } from "./schema/sample.ts";

export interface ReadRun {
  readonly run: Run;
  readonly samples: SampleTable;
  /** What was wrong with `samples.ndjson` and how much of it was read, or with the run's own times; or null. */
  readonly damage: string | null;
}

/**
 * Reads a run's folder. Damaged samples end the reading there: what stands before is returned, and `damage` says so.
 *
 * @throws {ResultsError} when there is no run, it is not valid, or a newer Evenbench wrote it.
 */
export async function readRun(folder: string): Promise<ReadRun> {
  const run = await readRecord(resolve(folder), RUN_RECORD);
  const samples = new SampleTable();
  const take = (sample: Sample) => samples.push(sample);
  const damage = await readSampleLines(folder, sampleSchema, take, run.samples, sampleCheck(run));
  return { run: withOpenRecords(run), samples, damage: damage ?? oddTimes(run) };
}

function oddTimes({ startedAt, finishedAt }: Run): string | null {
  if (finishedAt === null || Date.parse(finishedAt) >= Date.parse(startedAt)) return null;
  return `run.json says that the run ended at ${finishedAt}, before its start at ${startedAt}.`;
}

/** Names of targets come from outside, and so do cases, pins and facts. */
function withOpenRecords(run: Run): Run {
  return {
    ...run,
    plan: { ...run.plan, caseBudgetMs: openRecord(Object.entries(run.plan.caseBudgetMs)) },
    identities: openIdentities(run.identities),
    deployables: openRecord(Object.entries(run.deployables)),
  };
}

/** The same identities, with nothing to be found under a name that is not theirs. */
export function openIdentities(identities: Run["identities"]): Run["identities"] {
  const opened = Object.entries(identities).map(([name, { pins, facts, ...identity }]) => {
    const records = { pins: openRecord(Object.entries(pins)), facts: openRecord(Object.entries(facts)) };
    return [name, { ...identity, ...records }] as const;
  });
  return openRecord(opened);
}
