import { resolve } from "node:path";
import { readRecord, readSampleLines } from "./read-files.ts";
import { openIdentities } from "./read-run.ts";
import { LOAD_FILE } from "./run-folder.ts";
import {
  LOAD_SCHEMA_VERSION,
  type LoadRun,
  type LoadSample,
  loadRunSchema,
  loadSampleSchema,
} from "./schema/load.ts";

export interface ReadLoad {
  readonly run: LoadRun;
  /** What was wrong with `samples.ndjson` and how much of it was read, or null. */
  readonly damage: string | null;
}

/**
 * Reads the folder of a load run. Its samples are handed on one by one, stage after stage, and not kept:
 * there can be millions.
 *
 * @throws {ResultsError} when there is no such run, it is not valid, or a newer Evenbench wrote it.
 */
export async function readLoad(folder: string, onSample: (sample: LoadSample) => void): Promise<ReadLoad> {
  const run = await readRecord(resolve(folder), {
    name: LOAD_FILE,
    schema: loadRunSchema,
    version: LOAD_SCHEMA_VERSION,
    what: "load run",
    ifMissing: "Give a load run's own folder, such as results/20261121-093015.",
    ifInvalid: "Restore it or measure again; the samples beside it are untouched.",
  });
  const opened = { ...run, identities: openIdentities(run.identities) };
  return { run: opened, damage: await readSampleLines(folder, loadSampleSchema, onSample) };
}
