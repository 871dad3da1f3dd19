// The options of `app`, and those by which other commands take an app of the user's own.
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { IN_CLONE } from "@evenbench/core/called";
import { UsageError } from "@evenbench/core/errors";
import type { FailOn } from "@evenbench/report";
import type { Limit } from "@evenbench/results";
import type { PlanChoices, RunChoices } from "@evenbench/results/run-options";
import type { Conditions } from "./gate.ts";
import { collectNames } from "./option-values.ts";
import {
  addRunOptions,
  type OutputOptions,
  type OwnAppOptions,
  type OwnBuildOptions,
  shared,
  withOutcome,
} from "./options.ts";
import { type OwnServerOptions, withOwnServers } from "./own-server-options.ts";
import { commandOf } from "./target-words.ts";

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
const APP_START_UPS = 6;

/** Gives how often targets are started for their cold starts and for their start-up: as was chosen, else as is usual for an app. */
export function startsOf({ cold }: Pick<RunChoices, "cold">, isApp: boolean): MeasuredBeside {
  const usual = isApp ? { cold: APP_COLD_STARTS, startUps: APP_START_UPS } : {};
  return cold === undefined ? usual : { cold, startUps: cold };
}

/** What is to be measured beside requests; numbers of starts. Default: what conditions and limits ask. */
interface MeasuredBeside {
  readonly cold?: number | undefined;
  readonly startUps?: number | undefined;
  readonly memory?: boolean;
}

/**
 * Gives what a run measures so that conditions and limits can be judged. A case may end as soon as its CPU time is
 * decided where no condition asks its time.
 */
export function measuredFor(
  { failOn = [], limits = [] }: Conditions,
  { cold, startUps, memory = false }: MeasuredBeside,
): Pick<PlanChoices, "cold" | "startUps" | "memory"> & { readonly endsOnCpuTime: boolean } {
  const asks = (what: FailOn["of"]) => failOn.some(({ of = "time" }) => of === what);
  const limited = (of: Limit["what"]) => limits.some(({ what }) => what === of);
  return {
    cold: cold ?? (limited("cold") ? APP_COLD_STARTS : 0),
    startUps: startUps ?? (asks("start-up") || limited("startup") ? APP_START_UPS : 0),
    memory: memory || asks("memory"),
    endsOnCpuTime: !asks("time"),
  };
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

/** Gives the folder of the user's app that options name, outside of a clone the current one; null where they name none. */
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
