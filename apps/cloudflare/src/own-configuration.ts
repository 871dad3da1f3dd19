import { dirname, join, relative, resolve } from "node:path";
import { BUILT_INTO, slashed } from "@evenbench/bundle/deployable";
import {
  isObject,
  messageOf,
  type OwnAppRead,
  type OwnBuildCommand,
  parseJson,
  UserError,
} from "@evenbench/core";
import { readIfThere } from "@evenbench/core/user-file";
import {
  appliedPart,
  ENVIRONMENT_VARIABLE,
  notAppliedOf,
  type OwnAssets,
  type ReadKeys,
  unknownKeys,
} from "./configuration-keys.ts";
import type { MissingBinding } from "./missing-bindings.ts";
import { bindingsOf, type LocalBindings, localBindings, namesOfLocal } from "./own-bindings.ts";
import { type ModuleRule, usualConfiguration } from "./wrangler.ts";

/** Names of wrangler's configuration, in its own order; the first that is there counts. */
export const CONFIGURATION_FILES: readonly string[] = ["wrangler.json", "wrangler.jsonc", "wrangler.toml"];

/** The file by which a build leads wrangler to the configuration of what it made, from the app's folder on. */
export const REDIRECT = ".wrangler/deploy/config.json";

/** A user's own configuration of wrangler, as far as it matters where the Worker is served locally. */
export interface OwnConfiguration {
  /** The path of its file from the app's folder on, such as "wrangler.toml". */
  readonly file: string;
  /** Absolute path of the folder that it lies in: paths in it count from there. */
  readonly folder: string;
  /** What of it counts. */
  readonly read: OwnAppRead;
  /** The Worker's name; "worker" where it has none. */
  readonly name: string;
  /** The main module from the app's folder on; null where there is none, as with assets alone. */
  readonly main: string | null;
  /** The folder of a Pages project's files from the app's folder on; null where it is none. */
  readonly pagesOutput: string | null;
  /** The compatibility date; a recent one where it names none, or one that this machine's workerd may not know. */
  readonly compatibilityDate: string;
  readonly compatibilityFlags: readonly string[];
  /** Variables, whose values may be texts or JSON. */
  readonly vars: Readonly<Record<string, unknown>>;
  /** The rules by which files are modules. */
  readonly rules: readonly ModuleRule[];
  /** The settings of static files, with their folder from the app's folder on; null where it names no folder. */
  readonly assets: OwnAssets | null;
  /** Texts that a bundler puts in the place of names. */
  readonly define: Readonly<Record<string, string>>;
  /** Packages that a bundler takes in the place of others. */
  readonly alias: Readonly<Record<string, string>>;
  /** All bindings to services of the platform. */
  readonly bindings: readonly MissingBinding[];
  /** Those of them that the local host lacks. */
  readonly missing: readonly MissingBinding[];
  /** The bindings that the local host has: Durable Objects of its own, itself, and simulators. */
  readonly local: LocalBindings;
  /** True where wrangler is to take the modules as they are. */
  readonly isBundled: boolean;
  /** True where a build made the main module. */
  readonly isBuilt: boolean;
  /** True where wrangler is to minify the code. */
  readonly minify: boolean;
  /** What wrangler runs before it bundles; null for nothing. */
  readonly buildCommand: OwnBuildCommand | null;
}

/**
 * Reads the configuration of a folder by wrangler's own reader: that to which a build leads wrangler, else the folder's
 * own.
 *
 * @param variables of the app. CLOUDFLARE_ENV names the environment of the configuration that counts.
 * @returns null where there is none.
 * @throws {UserError} with wrangler's words where it is wrong.
 */
export async function readOwnConfiguration(
  folder: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<OwnConfiguration | null> {
  const redirected = redirectedFrom(folder);
  const [first, ...others] = CONFIGURATION_FILES.filter((name) => isThere(join(folder, name)));
  if (redirected === null && first === undefined) {
    return null;
  }
  const path = redirected ?? join(folder, first ?? "");
  const configuration = await readByWrangler(path, variables[ENVIRONMENT_VARIABLE] ?? "");
  const { content, unknown } = configuration;
  const { compatibility_date: recent } = await usualConfiguration();
  const { main, compatibility_date: date = recent, assets } = content;
  const place = dirname(path);
  // A build that writes today's date asks for more than workerd knows, and would not start.
  const isLater = date > recent;
  const ofDate = isLater
    ? [{ what: `compatibility_date ${date}`, why: `workerd here surely knows ${recent}` }]
    : [];
  // Wrangler makes it absolute.
  const mainFile = main === undefined ? null : slashed(relative(place, resolve(place, main)));
  const { pages_build_output_dir: pages, build: { command, cwd = "." } = {} } = content;
  const isBundled = content.no_bundle === true;
  const file = slashed(relative(folder, path));
  const bindings = bindingsOf(content);
  const local = localBindings(content);
  const names = namesOfLocal(local);
  const ofUnknown = unknown.map((what) => ({ what, why: "wrangler knows no such key" }));
  const ofFiles =
    redirected === null ? others.map((what) => ({ what, why: "wrangler takes one configuration" })) : [];
  return {
    file,
    folder: place,
    read: {
      file,
      applied: [appliedPart(configuration)],
      notApplied: [...notAppliedOf(configuration, redirected === null), ...ofFiles, ...ofDate, ...ofUnknown],
    },
    name: content.name ?? "worker",
    main: mainFile,
    pagesOutput: pages === undefined ? null : slashed(relative(place, resolve(place, pages))),
    compatibilityDate: isLater ? recent : date,
    compatibilityFlags: content.compatibility_flags ?? [],
    vars: content.vars ?? {},
    rules: (content.rules ?? []).map(({ type, globs }) => ({ type, globs })),
    assets: assets?.directory === undefined ? null : { ...assets, directory: assets.directory },
    define: content.define ?? {},
    alias: content.alias ?? {},
    bindings,
    missing: bindings.filter(({ name }) => !names.includes(name)),
    local,
    isBundled,
    isBuilt: mainFile !== null && (isBundled || BUILT_INTO.test(mainFile)),
    minify: content.minify === true,
    buildCommand: command === undefined ? null : { command, cwd },
  };
}

/** Tells whether a file is there that can be read as text: wrangler's reader would wait for a pipe. */
function isThere(file: string): boolean {
  return readIfThere(file) !== null;
}

/** Gives the path of the configuration to which a build leads wrangler; null where there is none. */
function redirectedFrom(folder: string): string | null {
  const file = join(folder, REDIRECT);
  const { configPath } = (parseJson(readIfThere(file) ?? "") ?? {}) as { readonly configPath?: unknown };
  if (typeof configPath !== "string") {
    return null;
  }
  const path = resolve(dirname(file), configPath);
  return isThere(path) ? path : null;
}

/**
 * Reads a configuration, and lists keys that wrangler passes over.
 *
 * @param environment "" for none.
 * @throws {UserError} with wrangler's words where it is wrong.
 */
async function readByWrangler(
  file: string,
  environment: string,
): Promise<ReadKeys & { readonly unknown: readonly string[] }> {
  const { unstable_readConfig: readConfig, experimental_readRawConfig: readRaw } = await import("wrangler");
  try {
    const { rawConfig } = readRaw({ config: file });
    if (!isObject(rawConfig as unknown)) {
      throw new Error("its content is no object");
    }
    // Without a name it would take that of this process's own variable.
    const content = readConfig({ config: file, env: environment }, { hideWarnings: true });
    const { env: environments = {}, ...top } = rawConfig;
    const ofEnvironment = environments[environment] ?? {};
    // A build leads wrangler to a file with keys that are no user's.
    const unknown = unknownKeys({ ...top, env: { [environment]: ofEnvironment } });
    return {
      content,
      top: { ...top },
      ofEnvironment: { ...ofEnvironment },
      environment,
      unknown: unknown.filter((key) => !(key in content)),
    };
  } catch (error) {
    const words = messageOf(error)
      .replace(/\s+/g, " ")
      .replace(/\.? *$/, "");
    throw new UserError(`${file} cannot be read by wrangler: ${words}. Correct it, and start again.`);
  }
}
