import type { Command } from "commander";
import type { HistoryOptions } from "../actions/history.ts";
import type { Exit } from "../exit.ts";

export const worksOutside = true;

export default function addHistoryCommand(program: Command, _exit: Exit): void {
  program
    .command("history")
    .helpGroup("Look at results:")
    .description("all runs in a folder: one trend for each case and target")
    .argument("[results]", "the results folder", "results")
    .option("--anyway", "take runs that are damaged or unfinished, too, and show changes over unequal plans")
    .option("--json", "print the trends as JSON")
    .action(async (results: string, options: HistoryOptions) => {
      const { historyCommand } = await import("../actions/history.ts");
      await historyCommand(results, options);
    });
}
