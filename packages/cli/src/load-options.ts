import { type Command, Option } from "commander";
import { allowOption, outOption, seedOption, serverCoresOption, workersOption } from "./common-options.ts";
import { parseConcurrency, parseLimit, parseRates } from "./load-quantity.ts";
import { collect, parseDuration, wholeNumber } from "./quantity.ts";

export function withLoadOptions(command: Command): Command {
  withWhat(command);
  withClientAndServers(command);
  withTimeAndSettings(command);
  return withMachines(command);
}

function withWhat(command: Command): Command {
  return command
    .option("-c, --case <id...>", "a case to load", collect)
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
    );
}

function withClientAndServers(command: Command): Command {
  return command
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
    .addOption(workersOption())
    .option("--trials <n>", "fresh starts of all targets", wholeNumber(1, 50), 3)
    .addOption(serverCoresOption("apart"));
}

function withTimeAndSettings(command: Command): Command {
  return command
    .option("--time <duration>", "time for each case (default: 60s; 120s for a capacity)", parseDuration)
    .addOption(seedOption())
    .addOption(allowOption())
    .addOption(outOption());
}

function withMachines(command: Command): Command {
  return command
    .optionsGroup("From several machines, with k6 (sends nothing; `vantages run` plays it):")
    .option("--plan <folder>", "write a plan of the load into a folder that is empty, or is not there yet")
    .option("--machines <n>", "machines that put it on together", wholeNumber(1, 1000), 2)
    .option("--region <name>", "the region of the machines in Kubernetes", "us-east-1");
}
