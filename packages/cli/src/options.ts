import { availableParallelism } from "node:os";
import { basename, join } from "node:path";
import { repositoryRoot } from "@evenbench/host/repository";
import type { ServerCores } from "@evenbench/runner";
import { type Command, Option } from "commander";
import { collectTargets } from "./own-servers.ts";
import { collect, parseDuration, wholeNumber } from "./quantity.ts";

export const DEFAULT_SUITE = "published";
export const ALL_CASES = "all";
export const DEPLOYMENTS_FILE: string = join(repositoryRoot, "deployments.json");

const PLACES = ["local", "deployed"] as const;

export interface OutputOptions {
  readonly quiet?: boolean;
  readonly json?: boolean;
}

export interface CaseOptions {
  readonly case?: readonly string[];
  readonly suite?: string;
  readonly app?: readonly string[];
}

export interface BuildOptions {
  readonly build: boolean;
  readonly clean?: boolean;
}

export interface DeploymentsOption {
  readonly deployments: string;
}

export interface SelectionOptions extends BuildOptions, DeploymentsOption {
  readonly target?: readonly string[];
  readonly app?: readonly string[];
  readonly case?: readonly string[];
  readonly where?: (typeof PLACES)[number];
  readonly tokenFor?: readonly string[];
}

export const SELECTION_FLAGS = ["--target", "--app", "--where", "--token-for", "--no-build", "--deployments"];

export function withSelection(command: Command): Command {
  return withTargets(command).addOption(new Option("--no-build", "use the last build"));
}

export function withTargets(command: Command): Command {
  return withDeployments(command.optionsGroup("Targets:"))
    .option(
      "-t, --target <name...>",
      "a target by name, or name=URL for one that runs already (default: all local)",
      collectTargets,
    )
    .option("-a, --app <id...>", "only the targets of an app (default: all)", collect)
    .addOption(
      new Option("-w, --where <place>", "the targets on this machine, or those that were deployed")
        .choices(PLACES)
        .default("local"),
    )
    .option(
      "--token-for <host...>",
      "send EVENBENCH_TOKEN to the --target URLs of this host, such as worker.example.workers.dev",
      collect,
    );
}

export function withDeployments(command: Command): Command {
  return command.addOption(
    new Option("--deployments <file>", "file that lists what is deployed").default(
      DEPLOYMENTS_FILE,
      `${basename(DEPLOYMENTS_FILE)} in the repository's root`,
    ),
  );
}

export function withOutput(command: Command): Command {
  return command
    .optionsGroup("Output:")
    .option("-q, --quiet", "print the answer alone, without progress and notes")
    .option("--json", "print the results as one JSON document");
}

const WORKERS = wholeNumber(1, 256);
const SERVER_CORES: readonly ServerCores[] = ["all", "apart"];

/** Options that mean the same in every command that has them. */
export const shared = {
  cases: () =>
    new Option("-c, --case <id...>", "a case to measure (default: those of the suite)").argParser(collect),
  suite: () =>
    new Option(
      "--suite <name>",
      `the cases of a suite; "${ALL_CASES}" for every case (default: "${DEFAULT_SUITE}", with --app all of its cases)`,
    ),
  baseline: () =>
    new Option(
      "--baseline <target>",
      "the target that the others are compared with (default: node, or the first where there is none)",
    ),
  time: (each: "case" | "claim", more: string) =>
    new Option("--time <duration>", `time for each ${each}, starts and warm-up included${more}`).argParser(
      parseDuration,
    ),
  seed: () =>
    new Option("--seed <n>", "seed for all random order (default: random; the report names it)").argParser(
      wholeNumber(0, 2 ** 32 - 1),
    ),
  allow: () =>
    new Option(
      "--allow <setting...>",
      "allow a setting that must be equal to differ; the report then has a notice",
    ).argParser(collect),
  workers: () =>
    new Option("--workers <n|max>", "worker processes behind one address, on platforms that have them")
      .argParser((text) => (text === "max" ? availableParallelism() : WORKERS(text)))
      .default(1),
  serverCores: (usual: ServerCores) =>
    new Option(
      "--server-cores <which>",
      "the servers' cores: all (shared with the client) or apart (the client keeps one)",
    )
      .choices(SERVER_CORES)
      .default(usual),
  out: (says = "folder for runs", folder = "results") =>
    new Option("-o, --out <folder>", says).default(folder),
};

export function withBuildsMeasured(command: Command, says: string, folder: string): Command {
  return command
    .addOption(shared.cases())
    .addOption(shared.suite())
    .addOption(shared.time("case", " (default: what it takes to be warm)"))
    .addOption(shared.seed())
    .addOption(shared.allow())
    .addOption(shared.out(says, folder));
}

/** The first of these flags that stands on the command line; a default does not count. */
export function firstGiven(command: Command, flags: readonly string[]): string | undefined {
  return flags.find(
    (flag) => command.getOptionValueSource(optionOf(command, flag).attributeName()) === "cli",
  );
}

export function optionOf(command: Command, flag: string): Option {
  const option = command.options.find(({ long }) => long === flag);
  if (option === undefined) throw new TypeError(`"${command.name()}" has no option ${flag}.`);
  return option;
}
