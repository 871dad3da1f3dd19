import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { basename, join, relative } from "node:path";
import { writeBuildRecord } from "@evenbench/bundle/deployable";
import {
  type DeployableSize,
  type NamedOwnAppFramework,
  type OwnAppBuild,
  type OwnAppBuilt,
  type OwnAppFinding,
  type OwnAppRoute,
  type OwnAppSource,
  type Platform,
  type PlatformId,
  parseJson,
  UserError,
} from "@evenbench/core";
import { readUserFile } from "@evenbench/core/user-file";
import { discoverOwnApps, repositoryRoot } from "@evenbench/host";
import { exclusively } from "@evenbench/host/exclusively";
import { version } from "@evenbench/host/repository";
import { assertTools, toolVersions } from "@evenbench/host/tools";
import { copySources, linkModules } from "./copy.ts";
import { type OwnEnvironment, readEnvironment } from "./environment.ts";
import { changedBetween, digestOf, type SourceFile, sourceFiles, stateOf } from "./files.ts";
import {
  addCommand,
  assertInstalled,
  installCommand,
  installedVersion,
  missingPackages,
  type Place,
  pinOwnPnpm,
} from "./install.ts";
import { copiesFolder, markUsed, removeOldCopies } from "./kept-builds.ts";
import { readAppSource } from "./source.ts";
import { runTool } from "./tool.ts";

/** The order to build a user's app. */
export interface OwnAppOptions {
  /** The app's folder as it was typed. */
  readonly folder: string;
  /** Platforms to build for, such as all of those that no command leaves out by itself. */
  readonly platforms: readonly Platform[];
  /** Paths of `--env-file`. */
  readonly envFiles: readonly string[];
  /** The user's own command that builds, run in the private copy before all else; null without one. */
  readonly build: string | null;
  /** True where a command of the user's serves it: then it need not be an app that Evenbench knows. */
  readonly isStarted: boolean;
  /** The folder whose files of variables count. Default, and with null: the app's own. */
  readonly environmentOf?: string | null;
  /** Packages that the copy gets in other versions than the app asks for, such as "next@16.3.0". Default: none. */
  readonly withPackages?: readonly string[];
  /** Is called with each step that begins, in a few words, such as "next build". */
  readonly onStep: (step: string) => void;
  readonly signal?: AbortSignal | undefined;
}

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
  /** Changes and additions in the private copy, a sentence each. */
  readonly notes: readonly string[];
  /** The app's variables, which each server gets when it starts. Values belong in no record. */
  readonly environment: OwnEnvironment;
  /** Absolute path of the app's folder in the private copy. */
  readonly copy: string;
  /** Absolute path of the whole output of all build steps. */
  readonly logFile: string;
  /** True where a build of the same sources was there already. */
  readonly isReused: boolean;
  /**
   * Paths in the user's workspace that changed while it was built, by whomever: an editor that saves is one, too. None
   * where a build was used again.
   */
  readonly changed: readonly string[];
}

/** A framework that builds an app, and what it found in the app. */
interface Found {
  readonly framework: NamedOwnAppFramework;
  readonly finding: OwnAppFinding;
}

/** The record that a build leaves beside its deployables, so that it is used again. */
interface Kept {
  readonly built: OwnAppBuilt;
  readonly notes: readonly string[];
  /** Milliseconds that all of it took, for all platforms together. */
  readonly buildMs: number;
}

/**
 * Finds out what an app is, and builds it for each platform in a private copy. Nothing here writes into the user's
 * folder; what changed there meanwhile is in the result.
 *
 * @throws {UserError} in words for the user, where it cannot be read or built.
 */
export async function buildOwnApp(options: OwnAppOptions): Promise<OwnApp> {
  const { onStep } = options;
  assertNode();
  onStep("looking at it");
  const source = await readAppSource(options.folder);
  const environment = await readEnvironment(options.environmentOf ?? source.folder, options.envFiles);
  // A command of the user's serves the only platform: nothing is built by a framework's way.
  const isStartedAlone = options.isStarted && options.platforms.length === 0;
  const found = isStartedAlone ? [] : await findFrameworks(source, options.isStarted);
  assertTools(toolsFor(found, options.platforms));
  const before = await stateOf(source.workspace);
  const prepared = await prepare(source, environment, found, options);
  const { kept, isReused } = await exclusively(`${prepared.place}.lock`, () => buildOnce(prepared, options), {
    onWait: () => onStep("waiting for another build of it"),
    signal: options.signal,
  });
  const changed = isReused ? [] : changedBetween(before, await stateOf(source.workspace));
  const refusals = refusalsOf(found, kept.built, options.platforms);
  return {
    name: source.packageJson?.name ?? basename(source.folder),
    title: found.map(({ finding }) => finding.title).join(", ") || "a server that your own command starts",
    packages: packagesOf(source, prepared.copy),
    folder: source.folder,
    source,
    targets: await targetsOf(kept, options.platforms),
    refusals,
    routes: kept.built.routes,
    notes: kept.notes,
    environment,
    copy: prepared.copy.folder,
    logFile: prepared.logFile,
    isReused,
    changed: changed.map((path) => relative(source.workspace, path)),
  };
}

/** Private copies are locked by SQLite, which Node.js has from 22.13 on without a flag. A clone brings a newer one. */
function assertNode(): void {
  if (!isBuiltin("node:sqlite")) {
    throw new UserError(
      `A build in a private copy needs Node.js 22.13 or newer, and this is ${process.versions.node}. Start it with a newer one.`,
    );
  }
}

/** Lists the packages of others that builds and servers need, each once. */
function toolsFor(found: readonly Found[], platforms: readonly Platform[]): readonly string[] {
  const names = found.flatMap(({ framework, finding }) =>
    platforms
      .filter(({ id }) => finding.refusals[id] === undefined && isMeant(finding, id))
      .flatMap(({ id, tools = [] }) => [...(framework.tools?.[id] ?? []), ...tools]),
  );
  return [...new Set(names)];
}

function isMeant({ platforms }: OwnAppFinding, id: PlatformId): boolean {
  return platforms?.includes(id) ?? true;
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

/**
 * The `order` from which on a framework takes an app that is built already. Several of these may belong to one app,
 * each for another platform; of the frameworks that build, the first one counts.
 */
const FINISHED = 9;

/** Finds what can build or take an app. @throws {UserError} where nothing can, and no command starts it. */
async function findFrameworks(source: OwnAppSource, isStarted: boolean): Promise<readonly Found[]> {
  const frameworks = await discoverOwnApps(repositoryRoot);
  const finished: Found[] = [];
  for (const framework of frameworks) {
    const finding = await framework.detect(source);
    if (finding === null) {
      continue;
    }
    if (framework.order < FINISHED) {
      return [{ framework, finding }];
    }
    finished.push({ framework, finding });
  }
  if (finished.length > 0 || isStarted) {
    return finished;
  }
  const known = frameworks.map(({ title }) => title).join(", ");
  throw new UserError(
    `${source.folder} is no app that Evenbench knows. It knows: ${known}. Give the folder with the app's own package.json; for a server that a command starts, add --start "npm start".`,
  );
}

/** All that is known before a build begins. */
interface Prepared {
  readonly source: OwnAppSource;
  readonly environment: OwnEnvironment;
  readonly found: readonly Found[];
  readonly files: readonly SourceFile[];
  /** The folder of this build in the cache. */
  readonly place: string;
  readonly copy: Place;
  readonly logFile: string;
}

/** Reads the sources, and names the place of their build by a digest of all that it is made of. */
async function prepare(
  source: OwnAppSource,
  environment: OwnEnvironment,
  found: readonly Found[],
  { platforms, build, withPackages = [] }: OwnAppOptions,
): Promise<Prepared> {
  const keeps = found.flatMap(({ finding }) => finding.keeps.map((path) => join(source.folder, path)));
  const files = await sourceFiles(source.workspace, source.folder, keeps);
  const parts = [
    await digestOf(source.workspace, files),
    relative(source.workspace, source.folder),
    JSON.stringify(Object.entries(environment.variables).sort()),
    platforms
      .map(({ id }) => id)
      .sort()
      .join(),
    build ?? "",
    withPackages.join(),
    await installedState(source),
    await digestOfBuilders(),
  ];
  const digest = createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 16);
  const place = join(copiesFolder(), `${basename(source.folder).replace(/[^\w.-]/g, "-")}-${digest}`);
  const workspace = join(place, "copy");
  const copy = { workspace, folder: join(workspace, relative(source.workspace, source.folder)) };
  return { source, environment, found, files, place, copy, logFile: join(place, "build.log") };
}

/** Makes a digest of what is installed: that may differ from what the lock file says, or there is none. */
async function installedState({ workspace, folder }: OwnAppSource): Promise<string> {
  const notes = [".package-lock.json", ".modules.yaml", ".yarn-integrity", ".yarn-state.yml"];
  const texts: string[] = [];
  for (const place of new Set([workspace, folder])) {
    for (const name of notes) {
      texts.push(await readUserFile(join(place, "node_modules", name)).catch(() => ""));
    }
  }
  return createHash("sha256").update(texts.join("\n")).digest("hex");
}

/** Makes a digest of the code that builds: another version of it makes something else of the same sources. */
async function digestOfBuilders(): Promise<string> {
  // The published package has no sources of its own, but a version, and tools that its user installs.
  const digests: string[] = [version, ...toolVersions()];
  for (const folder of ["apps", "packages/own-apps/src", "packages/bundle/src"]) {
    const path = join(repositoryRoot, folder);
    const files = existsSync(path) ? await sourceFiles(path, path) : [];
    const code = files.filter((file) => !file.path.split("/").includes("dist"));
    digests.push(await digestOf(path, code));
  }
  return digests.join();
}

/** Builds an app; or gives the build of the same sources that is there already. */
async function buildOnce(
  prepared: Prepared,
  options: OwnAppOptions,
): Promise<{ readonly kept: Kept; readonly isReused: boolean }> {
  const file = join(prepared.place, "built.json");
  if (existsSync(file)) {
    await markUsed(prepared.place);
    return { kept: parseJson(await readFile(file, "utf8")) as Kept, isReused: true };
  }
  await removeOldCopies();
  await rm(prepared.place, { recursive: true, force: true });
  await mkdir(prepared.place, { recursive: true });
  await writeFile(prepared.logFile, "");
  const kept = await buildAnew(prepared, options);
  // A build that failed is not kept: it may have failed for want of a network.
  const isBuilt = Object.values(kept.built.platforms).some((outcome) => "deployable" in outcome);
  if (isBuilt || options.isStarted) {
    await writeFile(file, JSON.stringify(kept));
  }
  return { kept, isReused: false };
}

/** Copies an app, gives the copy its packages, and builds it with each framework that was found. */
async function buildAnew(prepared: Prepared, options: OwnAppOptions): Promise<Kept> {
  const { source, environment, found, copy, files, place, logFile } = prepared;
  const { onStep, signal } = options;
  const begun = performance.now();
  const notes: string[] = [];
  const note = (sentence: string) => void notes.push(sentence);
  const run: OwnAppBuild["run"] = (name, command, { cwd = copy.folder, env = {} } = {}) => {
    onStep(name);
    const all = { ...environment.variables, ...env };
    return runTool(name, command, { place: copy, cwd, env: all, logFile, signal });
  };
  onStep("copying its sources");
  await copySources(source.workspace, files, copy.workspace);
  if (source.packageJson !== null) {
    if (await pinOwnPnpm(copy.workspace, source.packageManager)) {
      note(
        "In the copy pnpm is this machine's, not the version that package.json pins: both read its lock file.",
      );
    }
    await installPackages(prepared, options, run, note);
    await addPackages(prepared, options.withPackages ?? [], run, note);
  }
  if (options.build !== null) {
    await run(options.build, shellCommand(options.build), { env: { NODE_ENV: "production" } });
  }
  const platforms: Record<PlatformId, OwnAppBuilt["platforms"][PlatformId]> = {};
  const routes: OwnAppRoute[] = [];
  for (const { framework, finding } of found) {
    const asked = options.platforms
      .map(({ id }) => id)
      .filter((id) => finding.refusals[id] === undefined && platforms[id] === undefined);
    if (asked.length === 0) {
      continue;
    }
    const built = await framework.build({
      source,
      folder: copy.folder,
      workspace: copy.workspace,
      platforms: asked,
      environment: environment.variables,
      placeFor: (platform) => join(place, platform),
      run,
      addPackages: (packages) => addPackages(prepared, packages, run, note),
      installedVersion: (name) => installedVersion(copy, name),
      note,
    });
    Object.assign(platforms, built.platforms);
    routes.push(...built.routes);
  }
  return { built: { platforms, routes }, notes, buildMs: performance.now() - begun };
}

/** Links the user's installed packages into the copy; where some are missing, all are installed there. */
async function installPackages(
  { source, copy, found }: Prepared,
  options: OwnAppOptions,
  run: OwnAppBuild["run"],
  note: (sentence: string) => void,
): Promise<void> {
  const { packageManager, workspace } = source;
  const missing = missingPackages(source);
  if (missing.length === 0) {
    options.onStep("linking its packages");
    await linkModules(workspace, copy.workspace);
    return;
  }
  // An app that is built needs no packages, and may do without those that its author did not install.
  const isFinished = found.every(({ framework }) => framework.order >= FINISHED);
  if (isFinished && !options.isStarted && options.build === null) {
    return;
  }
  assertInstalled(packageManager);
  const command = await installCommand(copy, packageManager);
  await run(command.join(" "), command, { cwd: copy.workspace });
  note(
    `Its packages were installed in the copy by ${packageManager}: your folder lacks ${firstNames(missing)}.`,
  );
}

function shellCommand(text: string): readonly [file: string, ...args: string[]] {
  return process.platform === "win32" ? ["cmd.exe", "/d", "/s", "/c", text] : ["/bin/sh", "-c", text];
}

/** Joins names: the first three, and how many more there are. */
function firstNames(names: readonly string[]): string {
  const shown = names.slice(0, 3).join(", ");
  return names.length > 3 ? `${shown} and ${names.length - 3} more` : shown;
}

/** Adds packages to the copy that it does not have in these versions. */
async function addPackages(
  { source, copy }: Prepared,
  packages: readonly string[],
  run: OwnAppBuild["run"],
  note: (sentence: string) => void,
): Promise<void> {
  const wanted = packages.filter((words) => !isInstalled(copy, words));
  if (wanted.length === 0) {
    return;
  }
  assertInstalled(source.packageManager);
  const command = addCommand(copy, source.packageManager, wanted);
  await run(command.join(" "), command);
  note(`Added in the copy: ${wanted.join(", ")}.`);
}

/** Tells whether a package is there in the very version that is named, such as "wrangler@4.164.0". */
function isInstalled(copy: Place, words: string): boolean {
  const at = words.lastIndexOf("@");
  return at > 0 && installedVersion(copy, words.slice(0, at)) === words.slice(at + 1);
}

/** The reason for a platform of which no framework says anything. */
const NOTHING_FOR_IT =
  "The app has no build for it. Build it for this platform first, or leave the platform out.";

/** Lists the platforms that the app was not built for, with the reason of the build, else of the framework. */
function refusalsOf(
  found: readonly Found[],
  { platforms: built }: OwnAppBuilt,
  platforms: readonly Platform[],
): OwnAppRefusal[] {
  return platforms.flatMap(({ id }): OwnAppRefusal[] => {
    const outcome = built[id];
    if (outcome !== undefined) {
      return "refusal" in outcome ? [{ platform: id, why: outcome.refusal }] : [];
    }
    const reasons = found.flatMap(({ finding }) => finding.refusals[id] ?? []);
    const [why = NOTHING_FOR_IT] = reasons;
    return [{ platform: id, why }];
  });
}

/** Lists the deployables that were built, with their sizes, and writes each one's record. */
async function targetsOf(
  { built: { platforms: built }, buildMs }: Kept,
  platforms: readonly Platform[],
): Promise<OwnAppTarget[]> {
  const targets: OwnAppTarget[] = [];
  for (const platform of platforms) {
    const outcome = built[platform.id];
    if (outcome === undefined || "refusal" in outcome) {
      continue;
    }
    const { deployable } = outcome;
    // A size that cannot be said keeps nobody from measuring.
    const size = await platform.size(deployable).catch(() => null);
    if (size !== null) {
      await writeBuildRecord(deployable, { ms: buildMs, size });
    }
    targets.push({ platform, deployable, size });
  }
  return targets;
}
