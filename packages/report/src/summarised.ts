import { existsSync } from "node:fs";
import { join } from "node:path";
import { ResultsError, type Run, type RunSummary, readSummary, SUMMARY_FILE } from "@evenbench/results";
import { analyseFolder } from "./analyse-run.ts";
import { summaryOf } from "./summary.ts";

/** A run with its numbers. */
export interface SummarisedRun {
  readonly run: Run;
  readonly summary: RunSummary;
}

/**
 * Reads a run's summary; computes it from the samples where there is no summary.json, or one of another version.
 *
 * @throws {ResultsError} when the folder holds no run that can be read.
 */
export async function readSummarised(folder: string): Promise<SummarisedRun> {
  if (existsSync(join(folder, SUMMARY_FILE))) {
    try {
      return await readSummary(folder);
    } catch (error) {
      // Its run cannot be read either, or it is of another version.
      if (!(error instanceof ResultsError)) {
        throw error;
      }
    }
  }
  const { data, damage } = await analyseFolder(folder);
  return { run: data.run, summary: summaryOf(data, damage) };
}
