import { availableParallelism } from "node:os";
import { basename, join } from "node:path";
import { type Command, type CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import { repositoryRoot } from "@evenbench/host/repository";
import { collectTargets } from "./own-servers.ts";
import { collect, parseDuration, parseFailOn, wholeNumber } from "./quantity.ts";

export const DEFAULT_SUITE = "published";
export const ALL_CASES = "all";
export const DEPLOYMENTS_FILE: string = join(repositoryRoot, "deployments.json");

type None = Record<never, never>;
/** What commander makes of the options that a command declares. */
export type OptionsOf<Declare extends (command: never) => { opts(): unknown }> = Readonly<
  ReturnType<ReturnType<Declare>["opts"]>
>;

export type OutputOptions = OptionsOf<typeof withOutput<[], None, None>>;
export type SelectionOptions = OptionsOf<typeof withSelection<[], None, None>> & {
  readonly case?: readonly string[];
};
export type BuildsOptions = OptionsOf<typeof withBuildsMeasured<[], None, None>> &
  SelectionOptions &
  OutputOptions;

export interface CaseOptions {
  readonly case?: readonly string[];
  readonly suite?: string;
  readonly app?: readonly string[];
}

export const SELECTION_FLAGS = ["--target", "--app", "--where", "--token-for", "--no-build", "--deployments"];

export function withSelection<A extends unknown[], O extends None, G extends None>(
  command: Command<A, O, G>,
) {
  return withTargets(command).addOption(new Option("--no-build", "use the last build"));
}

export function withTargets<A extends unknown[], O extends None, G extends None>(command: Command<A, O, G>) {
  return command
    .optionsGroup("Targets:")
    .addOption(shared.deployments())
    .option(
      "-t, --target <name...>",
      "a target by name, or name=URL for one that runs already (default: all local)",
      collectTargets,
    )
    .option("-a, --app <id...>", "only the targets of an app (default: all)", collect)
    .addOption(
      new Option("-w, --where <place>", "the targets on this machine, or those that were deployed")
        .choices(["local", "deployed"])
        .default("local" as const),
    )
    .option(
      "--token-for <host...>",
      "send EVENBENCH_TOKEN to the --target URLs of this host, such as worker.example.workers.dev",
      collect,
    );
}

export function withOutput<A extends unknown[], O extends None, G extends None>(command: Command<A, O, G>) {
  return command
    .optionsGroup("Output:")
    .addOption(shared.quiet())
    .option("--json", "print the results as one JSON document");
}

const WORKERS = wholeNumber(1, 256);

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
  serverCores: <Usual extends "all" | "apart">(usual: Usual) =>
    new Option(
      "--server-cores <which>",
      "the servers' cores: all (shared with the client) or apart (the client keeps one)",
    )
      .choices(["all", "apart"])
      .default(usual),
  out: (says = "folder for runs", folder = "results") =>
    new Option("-o, --out <folder>", says).default(folder),
  deployments: () =>
    new Option("--deployments <file>", "file that lists what is deployed").default(
      DEPLOYMENTS_FILE,
      `${basename(DEPLOYMENTS_FILE)} in the repository's root`,
    ),
  quiet: () => new Option("-q, --quiet", "print the answer alone, without progress and notes"),
  failOn: (what: "case" | "target") =>
    new Option(
      "--fail-on <condition>",
      `exit with 1 when a ${what} is, for example, "slower 5%", and with 3 when that cannot be ruled out`,
    ).argParser(parseFailOn),
};

export function withBuildsMeasured<A extends unknown[], O extends None, G extends None>(
  command: Command<A, O, G>,
  says = "folder for the runs",
  folder = "results/builds",
) {
  return command
    .addOption(shared.cases())
    .addOption(shared.suite())
    .addOption(shared.time("case", " (default: what it takes to be warm)"))
    .addOption(shared.seed())
    .addOption(shared.allow())
    .addOption(shared.out(says, folder));
}

type Given<T> = { [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> } & {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
};

/** Without what nobody gave: there the packages have defaults of their own. */
export function given<T extends object>(values: T): Given<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Given<T>;
}

/** The first of these flags that stands on the command line; a default does not count. */
export function firstGiven(command: CommandUnknownOpts, flags: readonly string[]): string | undefined {
  return flags.find(
    (flag) => command.getOptionValueSource(optionOf(command, flag).attributeName()) === "cli",
  );
}

export function optionOf(command: CommandUnknownOpts, flag: string) {
  const option = command.options.find(({ long }) => long === flag);
  if (option === undefined) throw new TypeError(`"${command.name()}" has no option ${flag}.`);
  return option;
}
