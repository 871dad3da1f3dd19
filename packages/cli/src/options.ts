import { availableParallelism } from "node:os";
import { basename } from "node:path";
import { type Command, type CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import { DEPLOYMENTS_FILE } from "@evenbench/deploy/name";
import {
  type OptionGroup,
  type OptionValue,
  optionNames,
  RUN_OPTIONS,
  type RunChoices,
} from "@evenbench/results/run-options";
import {
  collectNames,
  EXPORT_FORMATS,
  parseDuration,
  parseExport,
  parseFailOn,
  parsePrecision,
  wholeNumber,
} from "./option-values.ts";
import type { FileOptions } from "./settings-values.ts";
import { collectTargets } from "./target-words.ts";

/** Name of the suite that a run measures by default. */
export const DEFAULT_SUITE = "published";
/** Folder for the runs of two states. */
export const STATES_FOLDER = "results/against";
/** Name that stands for every case. */
export const ALL_CASES = "all";

/** No options. */
export type None = Record<never, never>;
/** Options of which none is undefined. */
type Exact<O> = { readonly [K in keyof O]: Exclude<O[K], undefined> };
/** The options of a command as commander gives them: one that nobody gave is not there. */
export type OptionsOf<Declare extends (command: never) => { opts(): unknown }> = Exact<
  ReturnType<ReturnType<Declare>["opts"]>
>;

/** The options of `withOutcome`; commands that judge nothing have only some of them. */
export type OutputOptions = Partial<OptionsOf<typeof withOutcome<[], None, None>>> &
  Pick<FileOptions, "limits">;
/** The options that choose targets and cases. */
export type SelectionOptions = OptionsOf<typeof withLocalTargets<[], None, None>> &
  Partial<OptionsOf<typeof withTargets<[], None, None>>> & {
    readonly case?: readonly string[];
    readonly baseline?: string;
  };

/** Adds the options that choose among targets of this machine. */
export function withLocalTargets<A extends unknown[], O extends None, G extends None>(
  command: Command<A, O, G>,
) {
  return withNames(command).addOption(shared.noBuild());
}

/** Adds the options that choose among targets of this machine, those that were deployed, and URLs. */
export function withTargets<A extends unknown[], O extends None, G extends None>(command: Command<A, O, G>) {
  return withNames(command)
    .addOption(
      new Option(
        "--deployed [file]",
        `what \`deploy\` put on the platforms, by its file (${basename(DEPLOYMENTS_FILE)}), with its token, and with CPU times of the platforms; URLs of --target get EVENBENCH_TOKEN`,
      ).default(false as const, "what is on this machine"),
    )
    .addOption(shared.noBuild());
}

/** Adds the options that choose targets by their names and apps. */
export function withNames<A extends unknown[], O extends None, G extends None>(command: Command<A, O, G>) {
  return command
    .optionsGroup("Targets:")
    .option(
      "-t, --target <server...>",
      'only these servers, or your own: name=URL, or name="cmd: node server.js"; twice or more (names: `list`)',
      collectTargets,
    )
    .option("-a, --app <id...>", "only the servers and cases of an app (default: all)", collectNames);
}

/** Adds the options of a command's output. */
export function withOutput<A extends unknown[], O extends None, G extends None>(command: Command<A, O, G>) {
  return command.optionsGroup("Output:").option("--json", "the result as JSON, for programs");
}

/** Adds the options of what becomes of a comparison: how it is printed, which other files it has, and what its exit code is. */
export function withOutcome<A extends unknown[], O extends None, G extends None>(command: Command<A, O, G>) {
  return withOutput(command).addOption(shared.exports()).addOption(shared.failOn());
}

/** Adds those of `run`'s options that its plan records and that stand under `group` in its help (results' run-options.ts). */
export function addRunOptions(command: CommandUnknownOpts, group: OptionGroup): void {
  command.optionsGroup(group);
  for (const name of optionNames().filter((name) => RUN_OPTIONS[name].group === group)) {
    const { usual } = RUN_OPTIONS[name];
    const option: Option = runOption(name);
    if (usual !== undefined) {
      option.default(usual);
    }
    command.addOption(option);
  }
}

/** Makes an option of the table; `Flags` and `Value` are for commands that other options than `run`'s are typed by. */
function runOption<Flags extends string, Value>(
  name: keyof RunChoices,
): Option<Flags, undefined, undefined, Value> {
  const { flags, description, value } = RUN_OPTIONS[name];
  const option = new Option<Flags, undefined, undefined, Value>(flags as Flags, description);
  setParser(option, value);
  return option;
}

function setParser(option: Option, value: OptionValue): void {
  switch (value.kind) {
    case "whole number": {
      const parse = wholeNumber(value.minimum, value.maximum);
      option.argParser((text) => (value.orCores && text === "max" ? availableParallelism() : parse(text)));
      break;
    }
    case "duration":
      option.argParser(parseDuration);
      break;
    case "fraction":
      option.argParser(parsePrecision);
      break;
    case "choice":
      option.choices(value.choices);
      break;
    case "text":
    case "none":
      break;
  }
}

/** Options of building and starting a user's app. */
export interface OwnBuildOptions {
  /** Ids of the platforms that the app is built for. Default: all that are installed. */
  readonly on?: readonly string[];
  /** The user's own build command; a boolean says nothing of it, where there is `--no-build`, too. */
  readonly build?: string | boolean;
  /** A command of the user's own that starts the app on Node.js. */
  readonly start?: string;
  /** True where a build of the same sources is not used again. */
  readonly rebuild?: boolean;
}

/** A user's app in place of targets. */
export interface OwnAppOptions extends OwnBuildOptions {
  /** Folder of the user's app. */
  readonly ownApp?: string;
}

/** Options that mean the same in every command that has them. */
export const shared = {
  cases: () =>
    new Option(
      "-c, --case <id...>",
      `only these cases ("${ALL_CASES}": every case; names: \`list\`)`,
    ).argParser(collectNames),
  baseline: () =>
    new Option(
      "--baseline <server>",
      "the server that the others are compared with (default: node, or the first where there is none)",
    ),
  time: (unit: "case" | "claim", note: string) =>
    new Option("--time <duration>", `time for each ${unit}, starts and warm-up included${note}`).argParser(
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
    ).argParser(collectNames),
  cold: () => runOption<"--cold <n>", number>("cold"),
  memory: () => runOption<"--memory", true>("memory"),
  workers: () => runOption<"--workers <n>", number>("workers").default(1),
  serverCores: <Usual extends "all" | "apart">(usual: Usual) =>
    runOption<"--server-cores <which>", "all" | "apart">("serverCores").default(usual),
  out: (description = "folder for runs", folder = "results") =>
    new Option("-o, --out <folder>", description).default(folder),
  noBuild: () => new Option("--no-build", "use the last build"),
  deployments: () =>
    new Option("--deployments <file>", "file that lists what is deployed").default(
      DEPLOYMENTS_FILE,
      `${basename(DEPLOYMENTS_FILE)} in the repository's root`,
    ),

  failOn: () =>
    new Option(
      "--fail-on <condition>",
      'exit with 1 when a comparison is, for example, "slower 5%", "cpu slower 5%", "startup slower 10%" or "memory grows 1kB", and with 3 when that cannot be ruled out; twice: any of both',
    ).argParser(parseFailOn),
  exports: () =>
    new Option(
      "--export <format>",
      `also write the numbers for another program: ${Object.entries(EXPORT_FORMATS)
        .map(([format, reader]) => `${format} (${reader})`)
        .join(", ")}; with a file of your own: junit=speed.xml`,
    ).argParser(parseExport),
};
