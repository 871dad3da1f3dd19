import { type Command, Option } from "commander";
import type { LoadCommandOptions } from "../actions/load.ts";
import { withExamples } from "../examples.ts";
import type { Exit } from "../exit.ts";
import { parseConcurrency, parseLimit, parseRates } from "../load-quantity.ts";
import { keepOldName } from "../old-name.ts";
import { withOutput } from "../output-options.ts";
import { collect, parseDuration, wholeNumber } from "../quantity.ts";
import { withSelection } from "../selection-options.ts";

/** `evenbench load`: what happens when more is asked of targets at a time. */
export default function addLoadCommand(program: Command, exit: Exit): void {
  const command = program
    .command("load")
    .helpGroup("Measure:")
    .description(
      "put load on targets: a sweep over concurrency or rates, or the highest rate that holds a latency",
    )
    .requiredOption("-c, --case <id...>", "a case to load", collect)
    .addOption(
      new Option("--concurrency <list>", 'requests at a time, such as "1,2,4" or "1..32" (default: 1..32)')
        .argParser(parseConcurrency)
        .conflicts(["rate", "capacity"]),
    )
    .addOption(
      new Option("--rate <list>", 'arrivals per second, such as "20" or "10,20,40"')
        .argParser(parseRates)
        .conflicts("capacity"),
    )
    .option("--capacity <condition>", 'find the highest rate that holds, such as "p99 <= 250ms"', parseLimit)
    .addOption(
      new Option(
        "--arrivals <kind>",
        "gaps between arrivals (default: poisson; k6 makes uniform ones)",
      ).choices(["poisson", "uniform"]),
    )
    .addOption(
      new Option(
        "--engine <name>",
        "what sends the requests: our own client, or k6 for rates that need several cores",
      )
        .choices(["own", "k6"])
        .default("own"),
    )
    .option("--connections <n>", "connections for arrivals at a rate", wholeNumber(1, 1024), 64)
    .option("--instances <n>", "instances of each target, side by side", wholeNumber(1, 64), 1)
    .option("--workers <n>", "worker processes of node, bun and deno", wholeNumber(1, 256), 1)
    .option("--trials <n>", "fresh starts of all targets", wholeNumber(1, 50), 3)
    .option("--share-cores", "let the client and the servers share all cores")
    .option("--time <duration>", "time for each case (default: 60s; 120s for a capacity)", parseDuration)
    .option("--seed <n>", "seed of all random order (default: random)", wholeNumber(0, 2 ** 32 - 1))
    .option(
      "--allow <setting...>",
      "let a setting that must be equal differ; the report then carries the warning",
      collect,
    )
    .option("-o, --out <folder>", "the folder that takes the run's own folder", "results")
    .optionsGroup("From several machines, with k6 (sends nothing; `vantages run` plays it):")
    .option("--plan <folder>", "write a plan of the load into a folder that is empty, or is not there yet")
    .option("--machines <n>", "machines that put it on together", wholeNumber(1, 1000), 2)
    .option("--region <name>", "the region of the machines in Kubernetes", "us-east-1");
  keepOldName(command, "--lanes", "--concurrency");
  keepOldName(command, "--sets", "--trials");
  withExamples(command, [
    ["npm run bench -- load --case react-ssr", "1 to 32 requests at a time"],
    [
      'npm run bench -- load --case react-ssr --capacity "p99 <= 250ms"',
      "the highest rate that holds a latency",
    ],
    [
      "npm run bench -- load --engine k6 --where deployed --case trig --rate 2000 --machines 4 --plan loads/first",
      "a plan for four machines",
    ],
  ]);
  withOutput(withSelection(command)).action(async (options: LoadCommandOptions) => {
    if (options.plan !== undefined) {
      const { planLoad } = await import("../actions/plan-load.ts");
      return planLoad({ ...options, plan: options.plan }, exit);
    }
    const { loadCommand } = await import("../actions/load.ts");
    return loadCommand(options, exit);
  });
}
