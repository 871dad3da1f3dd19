import type { Command } from "commander";
import type { VantagesRunOptions } from "../actions/vantages-run.ts";
import { withExamples } from "../examples.ts";
import type { Exit } from "../exit.ts";
import { collect } from "../quantity.ts";

export function addVantagesRun(parent: Command, exit: Exit): void {
  const command = parent
    .command("run")
    .description(
      "play a plan on machines that ssh reaches, and on this one: one after another, the parts of a load together",
    )
    .argument("<folder>", "the folder of the plan")
    .requiredOption("--at <vantage...>", "name=ssh:user@machine, or name=local", collect)
    .option("--together", "all vantages at the same time, though they then queue behind each other");
  withExamples(command, [
    [
      "npm run bench -- vantages run vantages/react --at eu=ssh:me@vm1 --at here=local",
      "from another machine, then from here",
    ],
  ]);
  command.action(async (folder: string, options: VantagesRunOptions) => {
    const { vantagesRun } = await import("../actions/vantages-run.ts");
    await vantagesRun(folder, options, exit);
  });
}
