import { existsSync } from "node:fs";
import { join } from "node:path";
import { createLoadReport, sweepAdditions } from "@evenbench/load";
import { createReport, exportHyperfine, readPrices, terminalOptions } from "@evenbench/report";
import { LOAD_FILE } from "@evenbench/results";
import { newestRun } from "../newest-run.ts";
import { say, sayPainted } from "../say.ts";

export interface ReportOptions {
  readonly out: string;
  readonly hyperfine?: boolean;
  readonly prices?: string;
}

/** Makes the reports of a run again. */
export async function reportCommand(given: string | undefined, options: ReportOptions): Promise<void> {
  const folder = given ?? (await newestRun(options.out));
  if (existsSync(join(folder, LOAD_FILE))) {
    printLoadReport(await createLoadReport(folder));
    return;
  }
  const prices = options.prices === undefined ? undefined : await readPrices(options.prices);
  printReport(await createReport(folder, terminalOptions(), prices, sweepAdditions));
  if (options.hyperfine) say(`        ${await exportHyperfine(folder)}`);
}

/** Prints a report's text, and where its files are. */
export function printReport({
  terminal,
  htmlFile,
  markdownFile,
}: Awaited<ReturnType<typeof createReport>>): void {
  sayPainted(terminal);
  say(`Report: ${htmlFile}\n        ${markdownFile}`);
}

/** Likewise for a run of loads. */
export function printLoadReport({ terminal, htmlFile }: Awaited<ReturnType<typeof createLoadReport>>): void {
  say(`${terminal}\nReport: ${htmlFile}`);
}
