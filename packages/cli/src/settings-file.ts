import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import type { OwnAppRead } from "@evenbench/core";
import { messageOf, UsageError } from "@evenbench/core/errors";
import { readUserFile } from "@evenbench/core/user-file";
import type { SettingsFile } from "@evenbench/results";
import { keepSettings } from "./asked.ts";

/** Name of the file that keeps the requests to a user's own servers or app. */
export const SETTINGS_FILE = "evenbench.json";

/**
 * Finds the settings file of an app's folder, or of the current one.
 *
 * @param app path of the app's folder; null without an app.
 * @returns the path of the file; null where there is none.
 */
export function findSettingsFile(app: string | null): string | null {
  const places = app === null ? ["."] : [app, "."];
  return places.map((place) => join(place, SETTINGS_FILE)).find((file) => existsSync(file)) ?? null;
}

/**
 * Sets those options of a command that its command line lacks to the values of a settings file. Those that say how
 * an app is built and started count where an app is measured, and targets where none is: an app's targets are its
 * platforms.
 *
 * @throws {UsageError} in one line with the file and its key, where it is no settings file.
 */
export async function applySettingsFile(command: CommandUnknownOpts, file: string): Promise<void> {
  const { settings, digest } = await readSettingsFile(file);
  const values = measuresApp(command, settings) ? await ofApp(command, settings) : ofServers(settings);
  const keys: string[] = [];
  for (const [name, value] of Object.entries({ ...requestsIn(settings), ...values })) {
    if (value !== undefined && command.getOptionValueSource(name) !== "cli") {
      command.setOptionValueWithSource(name, value, "config");
      keys.push(KEYS[name] ?? name);
    }
  }
  if (keys.length > 0) {
    keepSettings({ file, digest, keys });
  }
}

/** Keys of the file by the attributes of their options, where the two differ. */
const KEYS: Readonly<Record<string, keyof SettingsFile>> = {
  path: "paths",
  header: "headers",
  mask: "masks",
  target: "targets",
};
/**
 * Says what of an app's settings file counts: all of its keys, but for those that the command line gives anew.
 *
 * @returns null where the app's folder has none.
 */
export async function settingsRead(app: string): Promise<OwnAppRead | null> {
  const file = findSettingsFile(app);
  if (file === null) {
    return null;
  }
  const { settings } = await readSettingsFile(file);
  const { $schema: _, ...keys } = settings;
  return { file, applied: Object.keys(keys), notApplied: [] };
}

/** Values of options by their attributes. */
type OptionValues = Readonly<Record<string, string | readonly string[] | undefined>>;

function requestsIn({ paths, headers, masks }: SettingsFile): OptionValues {
  return {
    path: paths,
    header: headers && Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    mask: masks,
  };
}

function ofServers({ targets }: SettingsFile): OptionValues {
  return { target: targets && Object.entries(targets).map(([name, server]) => `${name}=${server}`) };
}

async function ofApp(command: CommandUnknownOpts, { on, build, start }: SettingsFile): Promise<OptionValues> {
  const { USUAL_BASELINE } = await import("@evenbench/core");
  const named = command.getOptionValue("on") as readonly string[] | undefined;
  // The platform on which it would start a server.
  const isLeftOut = named !== undefined && !named.includes(USUAL_BASELINE);
  return { on, build, start: isLeftOut ? undefined : start };
}

/** Commands that measure an app alone. */
const OF_APPS = ["against", "app"];
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

/** A settings file that was read, with the SHA-256 digest of its text. */
interface ReadSettings {
  readonly settings: SettingsFile;
  readonly digest: string;
}

async function readSettingsFile(file: string): Promise<ReadSettings> {
  const { firstIssue, settingsFileSchema } = await import("@evenbench/results");
  let text: string;
  let raw: unknown;
  try {
    text = await readUserFile(file);
    raw = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${messageOf(error)}. Write JSON, or remove the file.`);
  }
  const parsed = settingsFileSchema.safeParse(raw);
  if (parsed.success) {
    return { settings: parsed.data, digest: createHash("sha256").update(text).digest("hex") };
  }
  throw new UsageError(
    `${file} is no settings file: ${firstIssue(parsed.error)}. Its schema: docs/schema/evenbench.schema.json.`,
  );
}
