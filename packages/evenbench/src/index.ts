// The programming interface in full: docs/api.md is its reference. The build makes the package's declarations from this
// file and from the types that it names (declarations.ts).
import { reportRun } from "@evenbench/cli/reporting";
import { version as ownVersion } from "@evenbench/host/repository";
import {
  type RunComparison as Comparison,
  type ComparedRow as ComparisonRow,
  compareRuns,
  type FailOn,
  failingRows,
} from "@evenbench/report";
import { type Run, readRun as readFolder, type Sample } from "@evenbench/results";

export type { Comparison, ComparisonRow, FailOn, Run, Sample };

/** The version of this package. */
export const version: string = ownVersion;

/** The folder of a run, read. */
export interface ReadRun {
  /** The record of the run: `run.json`. */
  readonly run: Run;
  /** Every request, in the order in which they were written: `samples.ndjson`. */
  readonly samples: readonly Sample[];
  /** The fault of `samples.ndjson`, and how much of it was read; null where nothing is wrong. */
  readonly damage: string | null;
}

/**
 * Reads the folder of a run: its record, and every sample. Damaged samples end the reading there.
 *
 * @throws {Error} with one line that says what, why and what next: where there is no run, it is not valid, or another
 *   version wrote it.
 */
export function readRun(folder: string): Promise<ReadRun> {
  return readFolder(folder);
}

/** Options of comparing two runs. */
export interface CompareOptions {
  /** True where damaged, unfinished and unequal runs are judged, too. Default: false. */
  readonly anyway?: boolean;
}

/**
 * Compares the same targets in two runs, before and after a change, as the command `compare` does. Runs that
 * are damaged, unfinished or of unequal plans have no verdict, unless `anyway` asks for it.
 *
 * @param before the folder of a run.
 * @param after the folder of another.
 * @throws {Error} as `readRun` does.
 */
export function compare(before: string, after: string, options: CompareOptions = {}): Promise<Comparison> {
  return compareRuns(before, after, options);
}

/**
 * Gives the rows that meet a condition: their verdict is the condition's, and the ratio is at least so far
 * from 1. A row without a verdict meets none.
 */
export function failing(rows: readonly ComparisonRow[], condition: FailOn): readonly ComparisonRow[] {
  return failingRows(rows, condition);
}

/** A report: its files and texts. Files are absolute or relative as the folder was given. */
export interface Report {
  /** The report as one file that works offline. */
  readonly htmlFile: string;
  /** The report as a file of Markdown. */
  readonly markdownFile: string;
  /** A picture of 1200 x 630 pixels, to share. */
  readonly cardFile: string;
}

/**
 * Makes the reports of a run in its folder, as the command `report` does: `report.html`, `report.md`,
 * `facts.json`, `facts.csv`, `card.png` and `card.svg`. The same run gives the same bytes again.
 *
 * @throws {Error} as `readRun` does, and when the files cannot be written.
 */
export function report(folder: string): Promise<Report> {
  return reportRun(folder);
}
