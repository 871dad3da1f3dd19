import { basename, delimiter, relative } from "node:path";
import { writeBuildRecord } from "@evenbench/bundle/deployable";
import type {
  DeployableSize,
  OwnAppRead,
  OwnAppRoute,
  OwnAppSource,
  Platform,
  PlatformId,
  Simulated,
} from "@evenbench/core";
import { exclusively } from "@evenbench/host/exclusively";
import { assertTools } from "@evenbench/host/tools";
import { buildOnce, type Kept } from "./build-once.ts";
import { readEnvironment } from "./environment.ts";
import { type Found, findFrameworks, ownBuildOf, platformsOf, unknownApp } from "./find-frameworks.ts";
import { changedBetween, stateOf } from "./folder-state.ts";
import { installedVersion, type Place } from "./install.ts";
import { holdBuild, lockOf } from "./kept-builds.ts";
import type { OwnAppOptions } from "./options.ts";
import { reachOf } from "./outside.ts";
import { prepare } from "./prepare.ts";
import { readOf } from "./read.ts";
import { folderOf, readAppFolder } from "./source.ts";

/** An app on one platform, in that platform's own format. */
interface OwnAppTarget {
  readonly platform: Platform;
  /** Absolute path of its folder. */
  readonly deployable: string;
  /** The size as the platform counts it; null where that is not known. */
  readonly size: DeployableSize | null;
}

/** A platform that cannot have the app. */
interface OwnAppRefusal {
  readonly platform: PlatformId;
  /** The reason, with what to do. */
  readonly why: string;
  /** What a tool that failed has said, as `Reason.quotes` has it. */
  readonly quotes: readonly string[];
}

/** A user's app, built. */
export interface OwnApp {
  /** The name in its package.json, else its folder's. */
  readonly name: string;
  /** The name of the app's framework, such as "Next.js (App Router)". */
  readonly title: string;
  /**
   * Packages that the app depends on, as installed in the copy, such as "next 16.4.6"; the first ones of
   * package.json.
   */
  readonly packages: readonly string[];
  /** Absolute path of the user's folder. */
  readonly folder: string;
  /** The findings of reading its folder. */
  readonly source: OwnAppSource;
  /** The app on each platform that it was built for. */
  readonly targets: readonly OwnAppTarget[];
  /** The platforms that cannot have it. */
  readonly refusals: readonly OwnAppRefusal[];
  /** The routes of the app, in the order in which its frameworks name them. */
  readonly routes: readonly OwnAppRoute[];
  /** Files that were read, with what of them counts and what does not. */
  readonly read: readonly OwnAppRead[];
  /** Services of platforms that other programs stand for. */
  readonly simulated: readonly Simulated[];
  /** Changes and additions in the private copy, a sentence each. */
  readonly notes: readonly string[];
  /** The app's variables, which each server gets when it starts. Values belong in no record. */
  readonly variables: Readonly<Record<string, string>>;
  /** These, and a PATH with the app's package manager: for a command that is started in the copy. */
  readonly commandVariables: Readonly<Record<string, string>>;
  /** Absolute path of the app's folder in the private copy. */
  readonly copy: string;
  /** Absolute path of the whole output of all build steps. */
  readonly logFile: string;
  /** True where a build of the same sources was there already. */
  readonly isReused: boolean;
  /**
   * Lists the paths in the user's workspace that changed since the app was looked at, by whomever: an editor that saves
   * is one, too.
   */
  changedSince(): readonly string[];
}

/**
 * Finds out what an app is, and builds it for each platform in a private copy. Nothing here writes into the user's
 * folder. The build is kept from being removed until this process ends.
 *
 * @throws {UserError} in words for the user, where it cannot be read or built.
 */
export async function buildOwnApp(options: OwnAppOptions): Promise<OwnApp> {
  const { onStep } = options;
  onStep("looking at it");
  const folder = await folderOf(options.folder);
  const environment = readEnvironment([folder, ...(options.variablesOf ?? [])], options.envFiles);
  const read = await readAppFolder(folder, environment.variables);
  // A command of the user's serves the only platform: nothing is built by a framework's way.
  const isStartedAlone = options.isStarted && options.platforms.length === 0;
  const found = isStartedAlone ? [] : await findFrameworks(read);
  const ownBuild = isStartedAlone || options.build !== null ? null : ownBuildOf(read, found);
  if (found.length === 0 && ownBuild === null && options.build === null && !options.isStarted) {
    throw await unknownApp(read);
  }
  const source = { ...read, ...reachOf(read) };
  assertTools(toolsFor(found, options.platforms));
  const before = stateOf(source.workspace);
  const wanted = await prepare({ source, environment, found, ownBuild }, before, options);
  const { kept, prepared, isReused } = await exclusively(
    lockOf(wanted.builds),
    async () => {
      const built = await buildOnce(wanted, options);
      await holdBuild(built.prepared.place);
      return built;
    },
    { onWait: () => onStep("waiting for another build of it"), signal: options.signal },
  );
  return {
    name: source.packageJson?.name ?? basename(source.folder),
    title: kept.title,
    packages: packagesOf(source, prepared.copy),
    folder: source.folder,
    source,
    targets: await targetsOf(kept, options.platforms),
    refusals: refusalsOf(kept, options.platforms),
    routes: kept.built.routes,
    read: readOf(prepared, kept, options.platforms),
    simulated: kept.simulated,
    notes: kept.notes,
    variables: environment.variables,
    commandVariables: { ...environment.variables, ...pathWith(kept.manager) },
    copy: prepared.copy.folder,
    logFile: prepared.logFile,
    isReused,
    changedSince: () =>
      changedBetween(before, stateOf(source.workspace)).map((path) => relative(source.workspace, path)),
  };
}

/** Gives the variable PATH with a folder before all others; none where there is no such folder. */
function pathWith(folder: string | null): Readonly<Record<string, string>> {
  return folder === null ? {} : { PATH: [folder, process.env.PATH ?? ""].join(delimiter) };
}

/** Lists the packages of others that builds and servers need, each once. */
function toolsFor(found: readonly Found[], platforms: readonly Platform[]): readonly string[] {
  const names = found.flatMap((one) =>
    platformsOf(one, platforms).flatMap(({ id, tools = [] }) => [
      ...(one.framework.tools?.[id] ?? []),
      ...tools,
    ]),
  );
  return [...new Set(names)];
}

/** Number of packages that a record names: those of a large app would hide the ones that matter. */
const PACKAGES_NAMED = 8;

/** Lists the first packages that the app depends on, as installed in the copy: "next 16.4.6". */
function packagesOf({ packageJson }: OwnAppSource, copy: Place): readonly string[] {
  const names = Object.keys(packageJson?.dependencies ?? {});
  const found = names.flatMap((name) => {
    const version = installedVersion(copy, name);
    return version === null ? [] : [`${name} ${version}`];
  });
  return found.slice(0, PACKAGES_NAMED);
}

/** Gives the reason for a platform of which no framework says anything. @param title of what the app is. */
function nothingFor(title: string): string {
  return `Nothing of the app is for it: what was found is ${title}. Build it for this platform first, or leave the platform out.`;
}

/** Lists the platforms that the app was not built for, with the reason of the build, else of the framework. */
function refusalsOf({ built, title, refusals }: Kept, platforms: readonly Platform[]): OwnAppRefusal[] {
  return platforms.flatMap(({ id }): OwnAppRefusal[] => {
    const outcome = built.platforms[id];
    if (outcome !== undefined) {
      if (!("refusal" in outcome)) {
        return [];
      }
      const { refusal: why, quotes = [] } = outcome;
      return [{ platform: id, why, quotes }];
    }
    return [{ platform: id, why: refusals[id] ?? nothingFor(title), quotes: [] }];
  });
}

/** Lists the deployables that were built, with their sizes, and writes each one's record. */
async function targetsOf(
  { built: { platforms: built }, sizes, buildMs }: Kept,
  platforms: readonly Platform[],
): Promise<OwnAppTarget[]> {
  const targets: OwnAppTarget[] = [];
  for (const platform of platforms) {
    const outcome = built[platform.id];
    if (outcome === undefined || "refusal" in outcome) {
      continue;
    }
    const { deployable } = outcome;
    const size = sizes[platform.id] ?? null;
    if (size !== null) {
      await writeBuildRecord(deployable, { ms: buildMs, size });
    }
    targets.push({ platform, deployable, size });
  }
  return targets;
}
