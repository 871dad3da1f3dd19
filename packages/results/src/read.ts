import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseJson } from "@evenbench/core";
import { type JoinedAccount, providerAccountSchema } from "./accounts.ts";
import { loadSampleCheck, sampleCheck, whyNoExperiments, whyNoLoad, whyNoRun } from "./consistent.ts";
import {
  EXPERIMENTS_FILE,
  LOAD_FILE,
  PROVIDER_CPU_FILE,
  type RecordFile,
  RUN_FILE,
  readRecord,
  readRegular,
  SAMPLES_FILE,
} from "./files.ts";
import { type LinesFile, readLines } from "./lines.ts";
import { SampleTable } from "./sample-table.ts";
import { type ExperimentsRun, experimentsSchema } from "./schema/experiment.ts";
import {
  isUsualLoadSample,
  type LoadRun,
  type LoadSample,
  loadRunSchema,
  loadSampleSchema,
} from "./schema/load.ts";
import { type Run, runSchema } from "./schema/run.ts";
import { isUsualSample, type Sample, sampleSchema } from "./schema/sample.ts";

/** Name of the file of what a run found, as JSON, made from the record and the samples beside it. */
export const FACTS_FILE = "facts.json";

/** The remedy for a record that is not valid. */
const RESTORE_RECORD = "Restore it or measure again; the samples beside it are untouched.";
const RUN_RECORD: RecordFile<Run> = {
  name: RUN_FILE,
  schema: runSchema,
  what: "run",
  check: whyNoRun,
  ifInvalid: RESTORE_RECORD,
};
const SAMPLES = { name: SAMPLES_FILE, singular: "a sample", plural: "samples" };

/** A run that was read with its samples. */
export interface RunWithSamples {
  readonly run: Run;
  /** Samples of the run, in the order in which they were written. */
  readonly samples: readonly Sample[];
  /** What of the samples could not be read, or was changed since, as a sentence; null where all is well. */
  readonly damage: string | null;
}

/** Reads a run's folder, samples up to the first damage. @throws {ResultsError} when the run's record cannot be read. */
export async function readRun(folder: string): Promise<RunWithSamples> {
  const run = await readRunRecord(folder);
  const samples: Sample[] = [];
  const damage = await readSamples(folder, run, (sample) => samples.push(sample));
  return { run, samples, damage };
}

/** A run that was read with its samples in columns. */
export interface RunWithTable extends Pick<RunWithSamples, "run" | "damage"> {
  readonly samples: SampleTable;
}

/**
 * Reads a run's folder as `readRun` does, with samples in columns.
 *
 * @throws {ResultsError} when the record cannot be read.
 */
export async function readRunTable(folder: string): Promise<RunWithTable> {
  const run = await readRunRecord(folder);
  const samples = new SampleTable();
  const damage = await readSamples(folder, run, (sample) => samples.push(sample));
  return { run, samples, damage };
}

/** Reads the samples of a run up to the first damage. @returns the damage in words; null where there is none. */
function readSamples(folder: string, run: Run, take: (sample: Sample) => void): Promise<string | null> {
  const file: LinesFile<Sample> = {
    ...SAMPLES,
    schema: sampleSchema,
    isValid: isUsualSample,
    check: sampleCheck(run),
    written: run.samples,
  };
  return readLines(folder, file, take);
}

/** A load run that was read; its samples were handed on. */
export interface ReadLoad {
  readonly run: LoadRun;
  /** Damage of the samples, as a sentence: what could not be read, or was changed since. null where all is well. */
  readonly damage: string | null;
}

/** Reads a load's record, without its samples. @throws {ResultsError} when it cannot be read. */
export async function readLoadRecord(folder: string): Promise<LoadRun> {
  return readRecord(resolve(folder), {
    name: LOAD_FILE,
    schema: loadRunSchema,
    what: "load run",
    check: whyNoLoad,
    ifInvalid: RESTORE_RECORD,
  });
}

/**
 * Reads the folder of a load run. Damaged samples end the reading there.
 *
 * @param onSample is given the samples one by one, stage after stage, with the run's record: there can be millions.
 * @throws {ResultsError} when the run's record cannot be read.
 */
export async function readLoad(
  folder: string,
  onSample: (sample: LoadSample, run: LoadRun) => void,
): Promise<ReadLoad> {
  const run = await readLoadRecord(folder);
  const file: LinesFile<LoadSample> = {
    ...SAMPLES,
    schema: loadSampleSchema,
    isValid: isUsualLoadSample,
    check: loadSampleCheck(run),
    written: run.samples,
  };
  return { run, damage: await readLines(folder, file, (sample) => onSample(sample, run)) };
}

/** Reads a run's record, without its samples. @throws {ResultsError} when it cannot be read. */
export async function readRunRecord(folder: string): Promise<Run> {
  return readRecord(resolve(folder), RUN_RECORD);
}

/** Reads when a run or a load began, and nothing else: milliseconds since 1970; null where no record says so. */
export async function startTimeOf(folder: string): Promise<number | null> {
  for (const name of [RUN_FILE, LOAD_FILE]) {
    const text = await readRegular(join(folder, name)).catch(() => "");
    const { startedAt } = Object(parseJson(text)) as { readonly startedAt?: unknown };
    const start = typeof startedAt === "string" ? Date.parse(startedAt) : Number.NaN;
    if (!Number.isNaN(start)) {
      return start;
    }
  }
  return null;
}

/** Reads the record of a run of experiments. @throws {ResultsError} when it cannot be read. */
export async function readExperiments(folder: string): Promise<ExperimentsRun> {
  return readRecord(resolve(folder), {
    name: EXPERIMENTS_FILE,
    schema: experimentsSchema,
    what: "run of experiments",
    check: whyNoExperiments,
    ifInvalid: "Restore it, or begin a new run of experiments.",
  });
}

/** The accounts of a run's requests by platforms. */
export interface ReadAccounts {
  /** Empty where the run has none. */
  readonly accounts: readonly JoinedAccount[];
  /** Damage of the accounts, as a sentence: what could not be read. null where all is well. */
  readonly damage: string | null;
}

/** Reads what platforms account to the requests of a run, up to the first damaged line. */
export async function readProviderCpu(folder: string): Promise<ReadAccounts> {
  const accounts: JoinedAccount[] = [];
  if (!existsSync(join(folder, PROVIDER_CPU_FILE))) {
    return { accounts, damage: null };
  }
  const file = {
    name: PROVIDER_CPU_FILE,
    schema: providerAccountSchema,
    singular: "an account",
    plural: "accounts",
  };
  const damage = await readLines(folder, file, (account) => accounts.push(account));
  return { accounts, damage };
}
