import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { shellWord } from "@evenbench/core";
import { EVENBENCH } from "@evenbench/core/called";
import { ResultsError } from "./error.ts";
import { readRecord } from "./read-files.ts";
import { RUN_RECORD } from "./run-record.ts";
import type { Run } from "./schema/run.ts";
import { type RunSummary, SUMMARY_SCHEMA_VERSION, summarySchema } from "./schema/summary.ts";

export const SUMMARY_FILE = "summary.json";

/**
 * Reads what a report found, and the run that it is about. Needs no samples: a run is often kept without them.
 *
 * @throws {ResultsError} when there is no run or no summary, one is not valid, or a newer Evenbench wrote it.
 */
export async function readSummary(
  folder: string,
): Promise<{ readonly run: Run; readonly summary: RunSummary }> {
  const run = await readRecord(resolve(folder), RUN_RECORD);
  const makeIt = `Make it with \`${EVENBENCH} report ${shellWord(folder)}\`.`;
  if (!existsSync(join(folder, SUMMARY_FILE)))
    throw new ResultsError(`There is no ${SUMMARY_FILE} in ${folder}. ${makeIt}`);
  const summary = await readRecord(resolve(folder), {
    name: SUMMARY_FILE,
    schema: summarySchema,
    version: SUMMARY_SCHEMA_VERSION,
    what: "summary",
    ifMissing: makeIt,
    ifInvalid: makeIt,
  });
  return { run, summary };
}
