import { createHash } from "node:crypto";
import { join } from "node:path";
import { type CommandUnknownOpts, InvalidArgumentError, type Option } from "@commander-js/extra-typings";
import { IN_CLONE } from "@evenbench/core/called";
import { messageOf, UsageError } from "@evenbench/core/errors";
import { isThere, readUserFileSync } from "@evenbench/core/user-file";
import type { SettingsFile } from "@evenbench/results";
import { keepSettings, recordedFile } from "./asked.ts";
import { sayNote } from "./say.ts";
import type { Setting } from "./settings-values.ts";
import { isCommand } from "./target-words.ts";

/** Name of the file that keeps the requests to a user's own servers or app. */
export const SETTINGS_FILE = "evenbench.json";

const SCHEMA = IN_CLONE ? "docs/schema/evenbench.schema.json" : "node_modules/evenbench/schema.json";

/** Finds the settings file of an app's folder, or of the current one (`app` is null); null where there is none. */
export function findSettingsFile(app: string | null): string | null {
  const places = app === null ? ["."] : [app, "."];
  return places.map((place) => join(place, SETTINGS_FILE)).find(isThere) ?? null;
}

/**
 * Sets those options of a command that its command line lacks to the values of a settings file, and says which keys
 * count. Those on how an app is built count where one is measured, and targets where none is: an app's targets are its
 * platforms.
 *
 * @throws {UsageError} with the file and its key, where it is no settings file.
 */
export async function applySettingsFile(command: CommandUnknownOpts, file: string): Promise<void> {
  const { settings, digest } = await readSettingsFile(file);
  const { settingsIn } = await import("./settings-values.ts");
  const { USUAL_BASELINE } = await import("@evenbench/core");
  const terms: Terms = {
    of: measuresApp(command, settings) ? "app" : "servers",
    starts: leavesIn(command, USUAL_BASELINE),
  };
  const counted: Setting[] = [];
  const vain: Setting[] = [];
  for (const setting of settingsIn({ file, settings })) {
    if (counts(command, setting, terms)) {
      apply(command, setting, file);
      counted.push(setting);
    } else {
      vain.push(setting);
    }
  }
  if (counted.length + vain.length > 0) {
    saySettings(file, counted, vain);
  }
  if (counted.length > 0) {
    keepSettings({ file, digest, keys: counted.map(({ key }) => key) });
  }
}

/** Says how much of a settings file counts, and which of its keys do not. */
function saySettings(file: string, counted: readonly Setting[], vain: readonly Setting[]): void {
  const words = counted.map(({ key, said }) => (said === "" ? key : `${key} (${said})`));
  const name = recordedFile(file);
  const counts = words.length === 0 ? `Nothing of ${name} counts here.` : `By ${name}: ${words.join(", ")}.`;
  sayNote(vain.length === 0 ? counts : `${counts} Not counted: ${vain.map(({ key }) => key).join(", ")}.`);
}

interface Terms {
  readonly of: "app" | "servers";
  /** False where an app is measured on other platforms alone than the one on which a command starts it. */
  readonly starts: boolean;
}

/** Tells whether a key counts for a command: it is for what is measured, and nothing that was typed is in its place. */
function counts(command: CommandUnknownOpts, setting: Setting, { of, starts }: Terms): boolean {
  if (optionOf(command, setting.option) === undefined) {
    return false;
  }
  if (setting.instead.some((long) => isTyped(command, long))) {
    return setting.key === "paths" && namesPathOf(command, setting);
  }
  const isHere = setting.of === undefined || setting.of === of;
  switch (setting.key) {
    case "start":
      return isHere && starts;
    case "envFile":
      return of === "app" || startsCommands(command);
    case "against.base":
      return command.args.length === 0;
    default:
      return isHere;
  }
}

function isTyped(command: CommandUnknownOpts, long: string): boolean {
  const option = optionOf(command, long);
  return option !== undefined && command.getOptionValueSource(option.attributeName()) === "cli";
}

/** Tells whether a path that was typed is one of the file's: then it is asked as the file says. */
function namesPathOf(command: CommandUnknownOpts, { words }: Setting): boolean {
  const typed = command.getOptionValue("path") as readonly string[];
  return words !== true && typed.some((path) => words.includes(path));
}

/** Tells whether the platforms that the command line names have one among them; where it names none, all are meant. */
function leavesIn(command: CommandUnknownOpts, platform: string): boolean {
  const named = command.getOptionValue("on") as readonly string[] | undefined;
  return named === undefined || named.includes(platform);
}

function startsCommands(command: CommandUnknownOpts): boolean {
  const targets = (command.getOptionValue("target") ?? []) as readonly string[];
  return targets.some(isCommand);
}

/** Sets what a key says. @throws {UsageError} where the option does not take its value. */
function apply(
  command: CommandUnknownOpts,
  { key, option: long, words, beside }: Setting,
  file: string,
): void {
  const option = optionOf(command, long);
  const attribute = option?.attributeName() ?? "";
  const isSet = words === true || words.length > 0;
  if (isSet && !isTyped(command, long)) {
    command.setOptionValueWithSource(attribute, parsed(option, words, `${file}: ${key}`), "config");
  }
  const paths = command.getOptionValue("path") as readonly string[] | undefined;
  for (const [name, value] of Object.entries(beside?.(paths) ?? {})) {
    command.setOptionValueWithSource(name, value, "config");
  }
}

/** Reads words as the option does when they are typed. */
function parsed(option: Option | undefined, words: readonly string[] | true, where: string): unknown {
  if (words === true) {
    return true;
  }
  let value: unknown;
  for (const word of words) {
    try {
      value = option?.parseArg?.(word, value) ?? word;
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) {
        throw error;
      }
      throw new UsageError(`${where}: ${error.message}`);
    }
  }
  return value;
}

function optionOf(command: CommandUnknownOpts, long: string): Option | undefined {
  return command.options.find((option) => option.long === long);
}

/** Commands that measure an app alone. */
const OF_APPS = ["against", "app", "ci"];
/** Options, by their attributes, that say how an app is built or started. */
const OPTIONS_OF_APPS = ["ownApp", "on", "start"];

function measuresApp(command: CommandUnknownOpts, { targets, on, build, start }: SettingsFile): boolean {
  if (!command.options.some(({ long }) => long === "--start")) {
    return false;
  }
  if (OF_APPS.includes(command.name()) || typeof command.getOptionValue("build") === "string") {
    return true;
  }
  if (OPTIONS_OF_APPS.some((name) => command.getOptionValue(name) !== undefined)) {
    return true;
  }
  const namesServers = targets !== undefined || command.getOptionValue("target") !== undefined;
  return !namesServers && [on, build, start].some((value) => value !== undefined);
}

/** Reads a settings file. @returns it, with the SHA-256 digest of its text. */
async function readSettingsFile(
  file: string,
): Promise<{ readonly settings: SettingsFile; readonly digest: string }> {
  const { settingsFileSchema } = await import("@evenbench/results");
  const { firstIssue } = await import("@evenbench/core");
  let text: string;
  let raw: unknown;
  try {
    text = readUserFileSync(file);
    raw = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${messageOf(error)}. Write JSON, or remove the file.`);
  }
  const { refuseDoubledKeys } = await import("./settings-values.ts");
  refuseDoubledKeys(file, text);
  const parsed = settingsFileSchema.safeParse(raw);
  if (parsed.success) {
    return { settings: parsed.data, digest: createHash("sha256").update(text).digest("hex") };
  }
  throw new UsageError(`${file} is no settings file: ${firstIssue(parsed.error)}. Its schema: ${SCHEMA}.`);
}
