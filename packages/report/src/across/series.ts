import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { ResultsError, RUN_FILE, type Run, type SummaryRow, systemReason } from "@evenbench/results";
import type { SummarisedRun } from "../analyse-run.ts";
import { versionsOf } from "../names.ts";
import type { Facts } from "./objections.ts";

/** By their names, which are the times of their starts. Experiments and loads have folders beside those of runs. */
export async function runsIn(results: string): Promise<readonly string[]> {
  const names = await readdir(results).catch((error) => {
    throw new ResultsError(`${results} cannot be read (${systemReason(error)}). Give a results folder.`);
  });
  const folders = names.sort().map((name) => join(results, name));
  return folders.filter((folder) => existsSync(join(folder, RUN_FILE)));
}

/** Those that cannot be read are left out, with the reason. */
export async function readEach<Source extends { readonly folder: string }, Read>(
  sources: readonly Source[],
  read: (source: Source) => Promise<Read>,
) {
  const [runs, skipped]: [Read[], string[]] = [[], []];
  for (const source of sources) {
    try {
      runs.push(await read(source));
    } catch (error) {
      if (!(error instanceof ResultsError)) throw error;
      skipped.push(`${basename(source.folder)}: ${error.message}`);
    }
  }
  return { runs, skipped };
}

export interface Point {
  /** Of its run in the series. */
  readonly index: number;
  readonly run: Run;
  readonly row: SummaryRow;
}

/** What a series of runs, oldest first, has of each case and target, in the order of its newest run. */
export function coursesOf(runs: readonly SummarisedRun[], isAsked: (row: SummaryRow) => boolean) {
  const newestFirst = runs
    .map(({ run, summary }, index) => summary.rows.filter(isAsked).map((row): Point => ({ index, run, row })))
    .toReversed()
    .flat();
  const courses = Map.groupBy(newestFirst, ({ row }) => JSON.stringify([row.caseId, row.target]));
  return [...courses.values()].map((own) => {
    const [newest] = own as [Point];
    return { caseId: newest.row.caseId, target: newest.row.target, newest, points: own.toReversed() };
  });
}

/** A time that a case is judged by. */
export function isTime({ headline, medianMs }: SummaryRow): boolean {
  return headline && medianMs !== null;
}

export function medianOf({ medianMs, medianLowMs, medianHighMs }: SummaryRow) {
  return { estimate: medianMs ?? Number.NaN, low: medianLowMs, high: medianHighMs };
}

/** What may change from one run to the next on one machine. */
export function versionFacts(run: Run): Facts {
  return new Map([
    ...versionsOf(run).map(({ name, version }) => [name, version] as const),
    ...(run.machine === null ? [] : [["system", run.machine.system] as const]),
    ["Evenbench", run.evenbenchVersion],
  ]);
}
