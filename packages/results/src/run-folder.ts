import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { makeFolder } from "@evenbench/core/make-folder";
import { ResultsError, systemReason } from "./error.ts";
import type { ProviderJoin } from "./join-accounts.ts";
import type { ExperimentsRun } from "./schema/experiment.ts";
import type { Run } from "./schema/run.ts";

export const RUN_FILE = "run.json";
/** Stands in the place of `run.json` where the run was one of loads. */
export const LOAD_FILE = "load.json";
export const SAMPLES_FILE = "samples.ndjson";
export const EXPERIMENTS_FILE = "experiments.json";
/** One line for each account that was joined to a sample. */
export const PROVIDER_CPU_FILE = "provider-cpu.ndjson";

/** Runs that can start in one second before the name is given up; only a bound. */
const NAMES_PER_SECOND = 1_000;

export interface RunFolder {
  /** The folder's name, such as "20261121-093015"; the run's id. */
  readonly id: string;
  /** Absolute path. */
  readonly folder: string;
}

/**
 * Makes the folder of a new run, named by the time (UTC). Its name is unique even among runs that start in
 * the same second: making the folder is what claims the name.
 */
export async function createRunFolder(resultsDirectory: string, now = new Date()): Promise<RunFolder> {
  const directory = resolve(resultsDirectory);
  const stamp = now.toISOString().slice(0, 19).replace(/[-:]/g, "").replace("T", "-");
  try {
    makeFolder(directory);
    for (let attempt = 1; attempt <= NAMES_PER_SECOND; attempt++) {
      const id = attempt === 1 ? stamp : `${stamp}-${attempt}`;
      const folder = join(directory, id);
      if (await claimed(folder)) return { id, folder };
    }
    throw new Error(`${NAMES_PER_SECOND} runs of this second exist already`);
  } catch (error) {
    throw new ResultsError(
      `Cannot write results to ${directory}: ${systemReason(error)}. Give a folder that can be written to: --out <folder>.`,
    );
  }
}

async function claimed(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
    return true;
  } catch (error) {
    if (systemReason(error) === "EEXIST") return false;
    throw error;
  }
}

/** Writes `run.json` whole or not at all: to a file beside it, then by renaming. */
export async function writeRun(folder: string, run: Run): Promise<void> {
  await writeWhole(join(folder, RUN_FILE), `${JSON.stringify(run, null, 2)}\n`);
}

export async function writeExperiments(folder: string, run: ExperimentsRun): Promise<void> {
  await writeWhole(join(folder, EXPERIMENTS_FILE), `${JSON.stringify(run, null, 2)}\n`);
}

export async function writeProviderCpu(folder: string, joins: readonly ProviderJoin[]): Promise<void> {
  const lines = joins.flatMap(({ accounts }) => accounts.map((account) => `${JSON.stringify(account)}\n`));
  await writeWhole(join(folder, PROVIDER_CPU_FILE), lines.join(""));
}

/** Writes a file of a run folder so that a reader sees the old one or the new one, never a part. */
export async function writeWhole(file: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    // What another left there may be a link: it is removed, never written through.
    await rm(temporary, { force: true });
    await writeFile(temporary, content, { flush: true, flag: "wx" });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw new ResultsError(
      `Cannot write ${file}: ${systemReason(error)}. See that the folder exists, is writable and has space left.`,
    );
  }
}
