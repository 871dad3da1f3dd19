import { join, resolve } from "node:path";
import { readRecord } from "./read-files.ts";
import { writeWhole } from "./run-folder.ts";
import { EXPERIMENTS_SCHEMA_VERSION, type ExperimentsRun, experimentsSchema } from "./schema/experiment.ts";

export const EXPERIMENTS_FILE = "experiments.json";

/**
 * Writes `experiments.json` whole or not at all.
 *
 * @throws {ResultsError} when it cannot be written.
 */
export async function writeExperiments(folder: string, run: ExperimentsRun): Promise<void> {
  await writeWhole(join(folder, EXPERIMENTS_FILE), `${JSON.stringify(run, null, 2)}\n`);
}

/** @throws {ResultsError} when there is no such file in the folder, it is not valid, or a newer Evenbench wrote it. */
export async function readExperiments(folder: string): Promise<ExperimentsRun> {
  return readRecord(resolve(folder), {
    name: EXPERIMENTS_FILE,
    schema: experimentsSchema,
    version: EXPERIMENTS_SCHEMA_VERSION,
    what: "run of experiments",
    ifMissing: "Give the own folder of one, such as results/20261121-093015.",
    ifInvalid: "Restore it, or begin a new run of experiments.",
  });
}
