import { availableParallelism } from "node:os";
import { basename } from "node:path";
import { type Command, type CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import type { SameWork } from "@evenbench/core";
import { IN_CLONE } from "@evenbench/core/called";
import { UsageError } from "@evenbench/core/errors";
import { DEPLOYMENTS_FILE } from "@evenbench/deploy/name";
import {
  notForOwnServers,
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
import { applySettingsFile, findSettingsFile } from "./settings-file.ts";
import type { FileOptions } from "./settings-values.ts";
import { collectTargets, commandOf, isCommand } from "./target-words.ts";

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
/**
 * The options that choose targets and cases. Commands for local targets alone have none of those of `withTargets`.
 */
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

/** Sets the parser of an option's text, by the kind of its value. */
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
  /**
   * A command of the user's own that builds; a boolean, which says nothing of it, where there is `--no-build`, too.
   */
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

/** Options of `app`: what is built of a user's app, and how it is measured. */
export interface AppOptions extends RunChoices, OwnServerOptions, OwnBuildOptions, OutputOptions {
  /** Seed of all random order, from 0 to 2^32 - 1. Default: random. */
  readonly seed?: number;
  /** Name of the target that the others are compared with. */
  readonly baseline?: string;
  /** Folder for runs. */
  readonly out: string;
}

/** Number of cold starts of `app` where the user gives none: its answer has their time. */
const APP_COLD_STARTS = 3;
/** Number of starts of `app` whose CPU time is measured where the user gives none. */
export const APP_START_UPS = 6;

/** Gives how often targets are started for their cold starts and for their start-up: as was chosen, else as is usual for an app. */
export function startsOf({ cold }: Pick<RunChoices, "cold">, isApp: boolean) {
  const usual = isApp ? { cold: APP_COLD_STARTS, startUps: APP_START_UPS } : { cold: 0, startUps: 0 };
  return cold === undefined ? usual : { cold, startUps: cold };
}

function addBuildOptions(command: CommandUnknownOpts): void {
  command
    .option(
      "--on <platform...>",
      "only these platforms: cloudflare, vercel, node (default: all)",
      collectNames,
    )
    .option("--build <command>", 'build it by this first, such as "npm run build"')
    .option("--start <command>", 'start it by this, as Node.js, such as "npm start"')
    .option("--rebuild", "build anew, also where a build of the same sources is there");
}

/** Adds the options that name and build a user's app to a command that measures other targets, too. */
export function addOwnAppOptions(command: CommandUnknownOpts): void {
  command
    .optionsGroup("Your own app, built in a private copy:")
    .option("--own-app <folder>", "an app of your own, such as ../my-app, in place of --target");
  addBuildOptions(command);
}

/**
 * Gives the folder of the user's app that options name; null where they name none. Outside of a clone, it is
 * the current one.
 */
export function ownAppOf(options: OwnAppOptions & OwnServerOptions): string | null {
  const { ownApp, target, on, envFile, start, build } = options;
  if (ownApp !== undefined) {
    if (target !== undefined) {
      throw new UsageError(
        "--own-app stands in place of --target. Leave one of them out; --on names platforms.",
      );
    }
    return ownApp;
  }
  const startsCommands = target?.some((word) => commandOf(word) !== null) === true;
  const forApps = startsCommands ? undefined : envFile;
  const given = [on, forApps, start, typeof build === "string" ? build : undefined];
  const names = ["--on", "--env-file", "--start", "--build"];
  const vain = names.find((_, index) => given[index] !== undefined);
  if (vain === undefined) {
    return null;
  }
  if (!IN_CLONE && target === undefined) {
    return ".";
  }
  throw new UsageError(`${vain} is for an app of your own. Name its folder: --own-app ../my-app.`);
}

/** Adds the options of `app`. */
export function addAppOptions(command: CommandUnknownOpts): void {
  command.optionsGroup("What to build:");
  addBuildOptions(command);
  addRunOptions(command, "What to measure:");
  command.optionsGroup("How:").addOption(shared.seed()).addOption(shared.baseline());
  addRunOptions(command, "How:");
  withOutcome(withOwnServers(command));
  command.addOption(shared.out());
  for (const option of command.options) {
    if (option.long === "--cold") {
      option.description = `also measure this many cold starts (default: ${APP_COLD_STARTS}; none with --quick)`;
    }
    if (option.long === "--path") {
      option.description = "measure these paths, such as /products";
      option.helpGroup("What to measure:");
    }
  }
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

/** The options of `withOwnServers`, the targets, which are the servers, and what a settings file alone can say. */
export type OwnServerOptions = Partial<OptionsOf<typeof withOwnServers<[], None, None>>> &
  FileOptions & { readonly target?: readonly string[] };

/** The options by which `namesOwnServers` decides. */
type NamingOptions = OwnServerOptions & OwnAppOptions & Pick<SelectionOptions, "case" | "app" | "deployed">;

/**
 * Tells whether options name servers of the user's own, which know nothing of Evenbench: by a path, by a command, or by
 * URLs alone where no option speaks of cases and apps of the repository.
 */
export function namesOwnServers({ path, target = [], ownApp, ...ofRepository }: NamingOptions): boolean {
  // Outside of a clone there are no others.
  if (!IN_CLONE || ownApp !== undefined || path !== undefined || target.some(isCommand)) {
    return true;
  }
  const { case: cases, app, deployed = false } = ofRepository;
  const isOfRepository = cases !== undefined || app !== undefined || deployed !== false;
  return target.length > 0 && target.every((word) => word.includes("=")) && !isOfRepository;
}

/**
 * Adds the options of servers of the user's own, and refuses options that do not go together with the
 * targets.
 */
export function withOwnServers<A extends unknown[], O extends None, G extends None>(
  command: Command<A, O, G>,
) {
  return command
    .optionsGroup("Your own servers, in place of the cases:")
    .option("--path <path...>", "what to ask each of your own servers for", collectWhole)
    .option(
      "--mask <regex...>",
      "ignore text that may differ between bodies, such as a time stamp",
      collectWhole,
    )
    .addOption(
      new Option(
        "--same-work <how>",
        "json: ignore the order of keys; assumed: compare even if answers differ, and every output says so",
      ).choices(["proven", "json", "assumed"] as const satisfies readonly SameWork[]),
    )
    .option(
      "--header <header...>",
      'send a header with every request, such as "accept-language: de"',
      collectWhole,
    )
    .option("--method <method>", "the method of every request (default: GET, or POST with --body)")
    .option("--body <file>", "send the content of a file with every request")
    .option(
      "--env-file <file...>",
      "variables for servers that commands start, and for builds, beside .env and .dev.vars",
      collectNames,
    )
    .hook("preAction", async () => {
      const file = settingsFileOf(command);
      if (file !== null) {
        await applySettingsFile(command, file);
      }
    })
    .hook("preAction", () => {
      const isOwn = namesOwnServers(command.opts());
      const vain = isOwn ? Object.keys(NOT_FOR_OWN) : ONLY_FOR_OWN;
      const given = command.options.find(
        (option) =>
          vain.includes(option.long ?? "") && command.getOptionValueSource(option.attributeName()) === "cli",
      )?.long;
      if (given === undefined) {
        return;
      }
      throw new UsageError(
        isOwn
          ? `${given} does not apply to your own servers: ${NOT_FOR_OWN[given]}. Leave it out.`
          : `${given} applies only to your own servers. Add --path, such as --path /, or leave it out.`,
      );
    });
}

/**
 * Finds the settings file of a command; null where there is none. In a clone it is for those commands alone that name
 * servers or an app of the user's own.
 */
function settingsFileOf(command: CommandUnknownOpts): string | null {
  const [argument] = command.args;
  const app = command.name() === "app" ? argument : (command.opts() as OwnAppOptions).ownApp;
  return namesOwnServers(command.opts()) || app !== undefined ? findSettingsFile(app ?? null) : null;
}

/** Options of what servers of the user's own are asked, and of how their answers are compared. */
export const OF_OWN_SERVERS = ["--path", "--mask", "--same-work", "--header", "--method", "--body"];

const ONLY_FOR_OWN = ["--mask", "--same-work", "--header", "--method", "--body"];

/** Options of commands that do not apply to servers of the user's own, each with the reason. */
export const NOT_FOR_OWN: Readonly<Record<string, string>> = {
  "--app": "these servers belong to no app",
  "--case": "each --path is a case",
  "--deployed": "their URLs say where they run",
  "--accept": "they have no golden values",
  ...notForOwnServers(),
};

/** Collects values that may have commas: each option gives one. */
function collectWhole(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}
