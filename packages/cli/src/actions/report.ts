import { existsSync } from "node:fs";
import { join } from "node:path";
import { createLoadReport, sweepAdditions } from "@evenbench/load";
import {
  createCaseCards,
  createReport,
  exportHyperfine,
  readPrices,
  resultsTable,
  shareText,
  terminalOptions,
} from "@evenbench/report";
import { LOAD_FILE, readSummary } from "@evenbench/results";
import { newestRun } from "../newest-run.ts";
import type { OutputOptions } from "../output-options.ts";
import { printReport } from "../print-report.ts";
import { say, sayJson, sayNote } from "../say.ts";

export interface ReportOptions extends OutputOptions {
  readonly out: string;
  readonly hyperfine?: boolean;
  readonly picture?: boolean;
  readonly prices?: string;
  readonly table?: boolean;
  readonly share?: boolean;
  readonly anyway?: boolean;
}

export async function reportCommand(given: string | undefined, options: ReportOptions): Promise<void> {
  const folder = given ?? (await newestRun(options.out));
  if (options.table) {
    say(resultsTable(await readSummary(folder)));
    return;
  }
  if (existsSync(join(folder, LOAD_FILE))) {
    printLoadReport(await createLoadReport(folder), options);
    return;
  }
  const prices = options.prices === undefined ? undefined : await readPrices(options.prices);
  const keepsWhole = options.anyway !== true;
  const report = await createReport(folder, terminalOptions(), prices, sweepAdditions, { keepsWhole });
  if (options.share) say(shareText(report.data));
  else printReport(report, options);
  const sayFile = (file: string) => (options.json ? sayNote(file) : say(`        ${file}`));
  if (options.picture) sayFile(await createCaseCards(folder, report.data));
  if (options.hyperfine) sayFile(await exportHyperfine(folder));
}

/** As `printReport`, for a run of loads. */
export function printLoadReport(
  { data, terminal, htmlFile }: Awaited<ReturnType<typeof createLoadReport>>,
  { json = false }: OutputOptions,
): void {
  if (json) {
    const cases = data.cases.map(({ manifest, subjects }) => ({ caseId: manifest.id, subjects }));
    sayJson({ id: data.run.id, warnings: data.warnings, cases }, 2);
    return;
  }
  say(`${terminal}\nReport: ${htmlFile}`);
}
