import type { Command } from "commander";
import type { VantagesCollectOptions } from "../actions/vantages-collect.ts";
import { outOption } from "../common-options.ts";
import { withExamples } from "../examples.ts";
import { withOutput } from "../output-options.ts";

export function addVantagesCollect(parent: Command): void {
  const command = parent
    .command("collect")
    .description("make a run or a load, and its report, of the logs that clients wrote")
    .argument("<folder>", "the folder of the plan")
    .argument("[logs...]", "logs as k6, kubectl or AWS gives them (default: all in the folder's logs/)")
    .addOption(outOption("the results folder"))
    .option("--anyway", "also collect logs that are not whole, or mix versions of HTTP; the report says so");
  withExamples(command, [
    ["npm run bench -- vantages collect vantages/react", "every log that `vantages run` left there"],
  ]);
  withOutput(command).action(
    async (folder: string, logs: readonly string[], options: VantagesCollectOptions) => {
      const { vantagesCollect } = await import("../actions/vantages-collect.ts");
      await vantagesCollect(folder, logs, options);
    },
  );
}
