import { existsSync } from "node:fs";
import { join } from "node:path";
import { ResultsError, readSummary, SUMMARY_FILE } from "@evenbench/results";
import { analyseFolder } from "./analyse-run.ts";
import { summaryOf } from "./summary.ts";

export type SummarisedRun = Awaited<ReturnType<typeof readSummary>>;

/**
 * From its summary, or else from its samples.
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
