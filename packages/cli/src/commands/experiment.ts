import type { Command } from "commander";
import type { ExperimentCommandOptions } from "../actions/experiment.ts";
import { outOption, seedOption } from "../common-options.ts";
import { withExamples } from "../examples.ts";
import type { Exit } from "../exit.ts";
import { withOutput } from "../output-options.ts";
import { parseDuration } from "../quantity.ts";

export default function addExperimentCommand(program: Command, exit: Exit): void {
  const command = program
    .command("experiment")
    .helpGroup("Measure:")
    .description("check published claims: builds and starts both sides, measures them, and says a verdict")
    .argument("[id...]", 'experiments by id, or "all" (without one: lists them)')
    .option(
      "--time <duration>",
      "time for each experiment, builds left out (default: its own)",
      parseDuration,
    )
    .addOption(seedOption())
    .option("--no-build", "use the targets that were built last; builds of experiments are always made")
    .addOption(outOption())
    .option("--resume <run>", "go on with a run's folder that ended early: what it finished is kept");
  withExamples(command, [
    ["npm run bench -- experiment trig", "one claim"],
    ["npm run bench -- experiment all --time 60s", "all of them, a minute each"],
  ]);
  withOutput(command).action(async (ids: readonly string[], options: ExperimentCommandOptions) => {
    const { experimentCommand } = await import("../actions/experiment.ts");
    await experimentCommand(ids, options, exit);
  });
}
