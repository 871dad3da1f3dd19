// The options of servers of the user's own, which know nothing of Evenbench.
import { type Command, type CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import type { SameWork } from "@evenbench/core";
import { IN_CLONE } from "@evenbench/core/called";
import { UsageError } from "@evenbench/core/errors";
import { notForOwnServers } from "@evenbench/results/run-options";
import { collectNames } from "./option-values.ts";
import type { None, OptionsOf, OwnAppOptions, SelectionOptions } from "./options.ts";
import { sayNote } from "./say.ts";
import { applySettingsFile, findSettingsFile } from "./settings-file.ts";
import type { FileOptions } from "./settings-values.ts";
import { isCommand } from "./target-words.ts";

/** The options of `withOwnServers`, the targets, which are the servers, and what a settings file alone can say. */
export type OwnServerOptions = Partial<OptionsOf<typeof withOwnServers<[], None, None>>> &
  FileOptions & { readonly target?: readonly string[] };

type NamingOptions = OwnServerOptions & OwnAppOptions & Pick<SelectionOptions, "case" | "app" | "deployed">;

/**
 * Tells whether options name servers of the user's own: by a path, a command, or URLs without cases and apps of the
 * repository.
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

/** Adds the options of own servers, and refuses those that do not go together with the targets. */
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
      const reasons = isServedHere(command) ? NOT_FOR_APPS : NOT_FOR_OWN;
      const vain = isOwn ? Object.keys(reasons) : ONLY_FOR_OWN;
      const given = command.options.find(
        (option) =>
          vain.includes(option.long ?? "") && command.getOptionValueSource(option.attributeName()) === "cli",
      )?.long;
      if (given === undefined) {
        return;
      }
      throw new UsageError(
        isOwn
          ? `${given} does not apply to your own servers: ${reasons[given]}. Leave it out.`
          : `${given} applies only to your own servers. Add --path, such as --path /, or leave it out.`,
      );
    });
}

/**
 * Finds the settings file of a command; null without one. In a clone it counts for own servers and apps alone; others
 * say so.
 */
function settingsFileOf(command: CommandUnknownOpts): string | null {
  const [argument] = command.args;
  const app = command.name() === "app" ? argument : (command.opts() as OwnAppOptions).ownApp;
  const file = findSettingsFile(app ?? null);
  if (file === null || namesOwnServers(command.opts()) || app !== undefined) {
    return file;
  }
  sayNote(`${file} does not count here: it is for what --path, --target or --own-app names.`);
  return null;
}

/** Options of what servers of the user's own are asked, and of how their answers are compared. */
export const OF_OWN_SERVERS = ["--path", "--mask", "--same-work", "--header", "--method", "--body"];

const ONLY_FOR_OWN = ["--mask", "--same-work", "--header", "--method", "--body"];

/** Options of commands that do not apply to an app of the user's own, each with the reason. */
const NOT_FOR_APPS: Readonly<Record<string, string>> = {
  "--app": "these servers belong to no app",
  "--case": "each --path is a case",
  "--deployed": "their URLs say where they run",
  "--accept": "they have no golden values",
};

/** The same of servers that the user's own commands start, or that run already. */
export const NOT_FOR_OWN: Readonly<Record<string, string>> = { ...NOT_FOR_APPS, ...notForOwnServers() };

/** Tells whether a command measures an app on servers of Evenbench alone. */
function isServedHere(command: CommandUnknownOpts): boolean {
  const { ownApp, start }: OwnAppOptions = command.opts();
  return start === undefined && (command.name() === "app" || ownApp !== undefined);
}

/** Collects values that may have commas: each option gives one. */
function collectWhole(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}
