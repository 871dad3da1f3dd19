// The programming interface: `import { compare } from "evenbench"`. docs/api.md is its reference.
import { version as ownVersion } from "@evenbench/host/repository";
import { compareRuns, createReport, failing as failingRows } from "@evenbench/report";
import { readRun as readFolder } from "@evenbench/results";
import type { CompareOptions, Comparison, ComparisonRow, Condition, ReadRun, Report } from "./types.ts";

export type * from "./types.ts";

/** The version of this package. */
export const version: string = ownVersion;

/**
 * Reads the folder of a run: its record, and every sample. Damaged samples end the reading there.
 *
 * @throws {Error} with one line that says what, why and what next: when there is no run, it is not valid, or
 *   another version wrote it.
 */
export async function readRun(folder: string): Promise<ReadRun> {
  return readFolder(folder);
}

/**
 * Compares the same targets in two runs, before and after a change, as the command `compare` does. Runs that
 * are damaged, unfinished or of unequal plans have no verdict, unless `anyway` asks for it.
 *
 * @param before the folder of a run.
 * @param after the folder of another.
 * @throws {Error} as `readRun` does.
 */
export async function compare(
  before: string,
  after: string,
  options: CompareOptions = {},
): Promise<Comparison> {
  return compareRuns(before, after, options);
}

/** The rows that meet a condition: told apart from noise, and so much or more. None without a verdict. */
export function failing(rows: readonly ComparisonRow[], condition: Condition): readonly ComparisonRow[] {
  return failingRows(rows, condition);
}

/**
 * Makes the reports of a run in its folder, as the command `report` does: `report.html`, `report.md`,
 * `summary.json`, `summary.csv`, `card.png` and `card.svg`. The same run gives the same bytes again.
 *
 * @throws {Error} as `readRun` does, and when the files cannot be written.
 */
export async function report(folder: string): Promise<Report> {
  const { htmlFile, markdownFile, cardFile, markdown, answers } = await createReport(folder);
  return { htmlFile, markdownFile, cardFile, markdown, answers };
}
