import { createReport, terminalOptions } from "@evenbench/report";
import type { Command } from "commander";
import type { Exit } from "../exit.ts";
import { newestRun } from "../newest-run.ts";

/** `evenbench report`: makes the reports of a run again from what it measured. */
export function report(program: Command, _exit: Exit): void {
  program
    .command("report")
    .description("make the reports of a run again, from its folder")
    .argument("[run]", "the run's folder (default: the newest in the results folder)")
    .option("-o, --out <folder>", "the results folder", "results")
    .action(async (folder: string | undefined, options: { out: string }) => {
      printReport(await createReport(folder ?? (await newestRun(options.out)), terminalOptions()));
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
