import type { Command } from "commander";
import type { PreflightCommandOptions } from "../actions/preflight.ts";
import { allowOption } from "../common-options.ts";
import { withExamples } from "../examples.ts";
import type { Exit } from "../exit.ts";
import { withOutput } from "../output-options.ts";
import { collect } from "../quantity.ts";
import { withSelection } from "../selection-options.ts";

export default function addPreflightCommand(program: Command, exit: Exit): void {
  const command = program
    .command("preflight")
    .helpGroup("Measure:")
    .description("prove that the targets do the same work; nothing is measured")
    .option("-c, --case <id...>", "a case to compare (default: all)", collect)
    .option(
      "--accept <case...>",
      "write what the targets agree on into these cases (of packages/cases)",
      collect,
    )
    .addOption(allowOption());
  withExamples(command, [
    ["npm run bench -- preflight --case word-count", "one case on all targets"],
    ["npm run bench -- preflight --accept word-count", "the same, and writes golden values"],
  ]);
  withOutput(withSelection(command)).action(async (options: PreflightCommandOptions) => {
    const { preflightCommand } = await import("../actions/preflight.ts");
    await preflightCommand(options, exit);
  });
}
