import { createReport, exportHyperfine, terminalOptions } from "@evenbench/report";
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
    .option("--hyperfine", "also write hyperfine.json, in the layout of hyperfine's --export-json")
    .action(async (given: string | undefined, options: { out: string; hyperfine?: boolean }) => {
      const folder = given ?? (await newestRun(options.out));
      printReport(await createReport(folder, terminalOptions()));
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
