import { readHistory, renderHistory } from "@evenbench/report";
import type { Command } from "commander";
import type { Exit } from "../exit.ts";

/** `evenbench history`: one trend for each case and target, over all runs in a folder. */
export default function history(program: Command, _exit: Exit): void {
  program
    .command("history")
    .description("all runs in a folder: one trend for each case and target")
    .argument("[results]", "the results folder", "results")
    .option("--json", "print the trends as JSON")
    .action(async (results: string, options: { json?: boolean }) => {
      const found = await readHistory(results);
      console.log(options.json ? JSON.stringify(found, null, 2) : renderHistory(found));
    });
}
