import type { Command } from "@commander-js/extra-typings";
import type { OptionsOf } from "../options.ts";
import { say, sayJson } from "../say.ts";

/** Marks the command as one of the published package, too. */
export const worksOutside = true;

/** Declares the command `history`. */
export function declare(program: Command) {
  return program
    .command("history")
    .helpGroup("Look at results:")
    .description("all runs in a folder: one trend for each case and target")
    .argument("[results]", "the results folder", "results")
    .option("--anyway", "also take damaged or unfinished runs, and show changes between different plans")
    .option("--json", "print the trends as JSON");
}

/** Prints the trend of each case and target over all runs of a folder. */
export default async function history(results: string, options: OptionsOf<typeof declare>): Promise<void> {
  const { readHistory, renderHistory } = await import("@evenbench/report");
  const found = await readHistory(results, options);
  if (options.json) {
    sayJson(found, 2);
  } else {
    say(renderHistory(found));
  }
}
