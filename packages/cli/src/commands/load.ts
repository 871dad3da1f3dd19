import type { Command } from "commander";
import type { LoadCommandOptions } from "../actions/load.ts";
import { withExamples } from "../examples.ts";
import type { Exit } from "../exit.ts";
import { withLoadOptions } from "../load-options.ts";
import { UsageError } from "../nearest.ts";
import { withOutput } from "../output-options.ts";
import { isOfOwnServers, refuseForRepository, withOwnServers } from "../own-servers/options.ts";
import { withSelection } from "../selection-options.ts";

/** Options that say nothing of a load from this machine. */
const OF_PLANS = ["machines", "region"];

export default function addLoadCommand(program: Command, exit: Exit): void {
  const command = program
    .command("load")
    .helpGroup("Measure:")
    .description(
      "put load on targets: a sweep over concurrency or rates, or the highest rate that holds a latency",
    );
  withLoadOptions(command);
  withExamples(command, [
    ["npm run bench -- load --case react-ssr", "1 to 32 requests at a time"],
    [
      'npm run bench -- load --case react-ssr --capacity "p99 <= 250ms"',
      "the highest rate that holds a latency",
    ],
    [
      'npm run bench -- load --target new="cmd: node new.js" --path /products',
      "a server of your own, which knows nothing of Evenbench",
    ],
    [
      "npm run bench -- load --engine k6 --where deployed --case trig --rate 2000 --machines 4 --plan loads/first",
      "a plan for four machines",
    ],
  ]);
  withOutput(withOwnServers(withSelection(command))).action(async (options: LoadCommandOptions) => {
    if (isOfOwnServers(options)) refuseForRepository(command);
    if (options.plan !== undefined) {
      const { planLoad } = await import("../actions/plan-load.ts");
      return planLoad({ ...options, plan: options.plan }, exit);
    }
    const ofPlans = OF_PLANS.find((name) => command.getOptionValueSource(name) === "cli");
    if (ofPlans !== undefined)
      throw new UsageError(
        `--${ofPlans} is for a load from several machines. Add --plan <folder>, or leave it out.`,
      );
    const { loadCommand } = await import("../actions/load.ts");
    return loadCommand(options, exit);
  });
}
