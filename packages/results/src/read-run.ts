import { resolve } from "node:path";
import { RUN_SCHEMA_VERSION, type Run } from "@evenbench/core";
import { readRecord, readSampleLines } from "./read-files.ts";
import { RUN_FILE } from "./run-folder.ts";
import { SampleTable } from "./sample-table.ts";
import { runSchema, sampleSchema } from "./schema.ts";

export interface ReadRun {
  readonly run: Run;
  readonly samples: SampleTable;
  /** What was wrong with `samples.ndjson` and how much of it was read, or null. */
  readonly damage: string | null;
}

/**
 * Reads a run's folder. Damaged samples end the reading there: what stands before is returned, and `damage` says so.
 *
 * @throws {ResultsError} when there is no run, it is not valid, or a newer Evenbench wrote it.
 */
export async function readRun(folder: string): Promise<ReadRun> {
  const run = await readRecord(resolve(folder), {
    name: RUN_FILE,
    schema: runSchema,
    version: RUN_SCHEMA_VERSION,
  });
  const samples = new SampleTable();
  const damage = await readSampleLines(folder, sampleSchema, (sample) => samples.push(sample));
  return { run, samples, damage };
}
