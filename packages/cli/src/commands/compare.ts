import type { Command } from "commander";
import type { CompareOptions } from "../actions/compare.ts";
import type { Exit } from "../exit.ts";
import { parseFailOn } from "../fail-on.ts";

export const worksOutside = true;

/** `evenbench compare`: the same targets in two runs, before and after a change. */
export default function addCompareCommand(program: Command, exit: Exit): void {
  program
    .command("compare")
    .helpGroup("Look at results:")
    .description("compare the same targets in two runs: before and after a change")
    .argument("<before>", "a run's folder")
    .argument("<after>", "a run's folder")
    .option("--fail-on <condition>", 'exit with 1 when a target is, for example, "slower 5%"', parseFailOn)
    .option("--anyway", "judge runs that are damaged, unfinished or of unequal plans, too")
    .option("--json", "print the comparison as JSON")
    .action(async (before: string, after: string, options: CompareOptions) => {
      const { compareCommand } = await import("../actions/compare.ts");
      await compareCommand(before, after, options, exit);
    });
}
