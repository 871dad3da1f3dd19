import { availableParallelism } from "node:os";
import type { ServerCores } from "@evenbench/runner";
import { type Command, Option } from "commander";
import { collect, parseDuration, wholeNumber } from "./quantity.ts";
import { ALL_CASES, DEFAULT_SUITE } from "./suite-options.ts";

// Options that several commands have, and mean the same by.

export function casesOption(): Option {
  return new Option("-c, --case <id...>", "a case to measure (default: those of the suite)").argParser(
    collect,
  );
}

export function suiteOption(): Option {
  return new Option(
    "--suite <name>",
    `the cases of a suite; "${ALL_CASES}" for every case (default: "${DEFAULT_SUITE}", with --app all of its cases)`,
  );
}

export function baselineOption(): Option {
  return new Option(
    "--baseline <target>",
    "the target that the others are compared with (default: node, or the first where there is none)",
  );
}

export function seedOption(): Option {
  return new Option("--seed <n>", "seed of all random order (default: random; a report names it)").argParser(
    wholeNumber(0, 2 ** 32 - 1),
  );
}

export function allowOption(): Option {
  return new Option(
    "--allow <setting...>",
    "let a setting that must be equal differ; a report then carries the warning",
  ).argParser(collect);
}

export function workersOption(): Option {
  return new Option("--workers <n|max>", "worker processes behind one address, on platforms that have them")
    .argParser(workers)
    .default(1);
}

/** "max" is as many as this machine has cores. */
function workers(text: string): number {
  return text === "max" ? availableParallelism() : wholeNumber(1, 256)(text);
}

export function serverCoresOption(usual: ServerCores): Option {
  return new Option(
    "--server-cores <which>",
    "cores of the servers: all, shared with the client, or some apart from it",
  )
    .choices(["all", "apart"] satisfies ServerCores[])
    .default(usual);
}

export function outOption(says = "the folder that takes the run's own folder", folder = "results"): Option {
  return new Option("-o, --out <folder>", says).default(folder);
}

export function withBuildsMeasured(command: Command, says: string, folder: string): Command {
  return command
    .addOption(casesOption())
    .addOption(suiteOption())
    .addOption(
      new Option("--time <duration>", "time for each case (default: what it takes to be warm)").argParser(
        parseDuration,
      ),
    )
    .addOption(seedOption())
    .addOption(allowOption())
    .addOption(outOption(says, folder));
}
