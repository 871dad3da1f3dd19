import { existsSync } from "node:fs";
import { join } from "node:path";
import { createLoadReport, sweepAdditions } from "@evenbench/load";
import { createReport, exportHyperfine, readPrices, terminalOptions } from "@evenbench/report";
import { LOAD_FILE } from "@evenbench/results";
import type { Command } from "commander";
import type { Exit } from "../exit.ts";
import { newestRun } from "../newest-run.ts";

interface ReportOptions {
  readonly out: string;
  readonly hyperfine?: boolean;
  readonly prices?: string;
}

/** `evenbench report`: makes the reports of a run again from what it measured. */
export default function report(program: Command, _exit: Exit): void {
  program
    .command("report")
    .description("make the reports of a run again, from its folder")
    .argument("[run]", "the run's folder (default: the newest in the results folder)")
    .option("-o, --out <folder>", "the results folder", "results")
    .option("--hyperfine", "also write hyperfine.json, in the layout of hyperfine's --export-json")
    .option("--prices <file>", "prices of CPU time to use instead of packages/report/prices.json")
    .action(async (given: string | undefined, options: ReportOptions) => {
      const folder = given ?? (await newestRun(options.out));
      if (existsSync(join(folder, LOAD_FILE))) {
        printLoadReport(await createLoadReport(folder));
        return;
      }
      const prices = options.prices === undefined ? undefined : await readPrices(options.prices);
      printReport(await createReport(folder, terminalOptions(), prices, sweepAdditions));
      if (options.hyperfine) console.log(`        ${await exportHyperfine(folder)}`);
    });
}

/** Prints a report's text, and where its files are. */
export function printReport({
  terminal,
  htmlFile,
  markdownFile,
}: Awaited<ReturnType<typeof createReport>>): void {
  console.log(terminal);
  console.log(`\nReport: ${htmlFile}\n        ${markdownFile}`);
}

/** Likewise for a run of loads. */
export function printLoadReport({ terminal, htmlFile }: Awaited<ReturnType<typeof createLoadReport>>): void {
  console.log(`${terminal}\nReport: ${htmlFile}`);
}
