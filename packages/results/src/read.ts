import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { shellWord } from "@evenbench/core";
import { EVENBENCH } from "@evenbench/core/called";
import { type JoinedAccount, providerAccountSchema } from "./accounts.ts";
import {
  EXPERIMENTS_FILE,
  LOAD_FILE,
  PROVIDER_CPU_FILE,
  RUN_FILE,
  readLines,
  readRecord,
  SAMPLES_FILE,
} from "./files.ts";
import { type ExperimentsRun, experimentsSchema } from "./schema/experiment.ts";
import { type LoadSample, loadRunSchema, loadSampleSchema } from "./schema/load.ts";
import { type Run, runSchema } from "./schema/run.ts";
import { type Sample, sampleSchema } from "./schema/sample.ts";
import { summarySchema } from "./schema/summary.ts";

export const SUMMARY_FILE = "summary.json";

/** Less than any clock here tells apart, and more than sums of times are rounded by. */
const NANOSECOND_MS = 1e-6;

const MEASURE_AGAIN = "Restore it or measure again; the samples beside it are untouched.";
const RUN_RECORD = { name: RUN_FILE, schema: runSchema, what: "run", ifInvalid: MEASURE_AGAIN };
const SAMPLES = { name: SAMPLES_FILE, singular: "a sample", plural: "samples" };

/**
 * Reads a run's folder. Damaged samples end the reading there: what stands before is returned.
 *
 * @returns `damage`: what could not be read; or null.
 */
export async function readRun(folder: string) {
  const run = await readRecord(resolve(folder), RUN_RECORD);
  const read: Sample[] = [];
  const file = { ...SAMPLES, schema: sampleSchema, check: sampleCheck(run), written: run.samples };
  const damage = await readLines(folder, file, (sample) => read.push(sample));
  const samples: readonly Sample[] = read;
  return { run, samples, damage };
}

/** Samples are handed on one by one: there can be millions. */
export async function readLoad(folder: string, onSample: (sample: LoadSample) => void) {
  const record = { name: LOAD_FILE, schema: loadRunSchema, what: "load run", ifInvalid: MEASURE_AGAIN };
  const run = await readRecord(resolve(folder), record);
  return { run, damage: await readLines(folder, { ...SAMPLES, schema: loadSampleSchema }, onSample) };
}

export async function readSummary(folder: string) {
  const run = await readRecord(resolve(folder), RUN_RECORD);
  const makeIt = `Make it with \`${EVENBENCH} report ${shellWord(folder)}\`.`;
  const remedies = { ifMissing: makeIt, ifInvalid: makeIt };
  const record = { name: SUMMARY_FILE, schema: summarySchema, what: "summary", ...remedies };
  return { run, summary: await readRecord(resolve(folder), record) };
}

export async function readExperiments(folder: string): Promise<ExperimentsRun> {
  return readRecord(resolve(folder), {
    name: EXPERIMENTS_FILE,
    schema: experimentsSchema,
    what: "run of experiments",
    ifInvalid: "Restore it, or begin a new run of experiments.",
  });
}

export async function readProviderCpu(folder: string) {
  const accounts: JoinedAccount[] = [];
  if (!existsSync(join(folder, PROVIDER_CPU_FILE))) return { accounts, damage: null };
  const words = { singular: "an account", plural: "accounts" };
  const file = { name: PROVIDER_CPU_FILE, schema: providerAccountSchema, ...words };
  const damage = await readLines(folder, file, (account) => accounts.push(account));
  return { accounts, damage };
}

/** What no run can have measured would count all the same. */
function sampleCheck({ plan, vantages }: Run): (sample: Sample) => string | null {
  const golden = new Map(plan.cases.map(({ id, golden }) => [id, golden?.status]));
  const seen = new Map<string, Set<number>>();
  return ({ caseId, target, trial, phase, roundIndex, ...exchange }) => {
    const place = `${phase} ${trial} ${JSON.stringify([caseId, target])}`;
    const rounds = seen.get(place) ?? new Set();
    if (rounds.has(roundIndex)) return "repeats the case, target, trial, phase and round of one before it";
    seen.set(place, rounds.add(roundIndex));
    if (vantages === undefined && phase !== "cold" && trial >= plan.trials.maximum)
      return `has trial ${trial + 1}, and the plan has ${plan.trials.maximum} at most`;
    const { firstByteMs, lastByteMs, status, error } = exchange;
    if (firstByteMs !== null && lastByteMs !== null && firstByteMs > lastByteMs + NANOSECOND_MS)
      return "has its first byte after its last";
    const expected = phase === "transfer" ? 200 : golden.get(caseId);
    // Who measures how a server refuses says so.
    const most = plan.sameWork === "assumed" ? 599 : 399;
    const isFine = expected === undefined ? status !== null && status <= most : status === expected;
    return error === null && !isFine ? `has status ${status}, and no error` : null;
  };
}
