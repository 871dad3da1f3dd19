import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import {
  type DeployableSize,
  messageOf,
  type OwnAppBuild,
  type OwnAppBuilt,
  type OwnAppRead,
  type OwnAppRoute,
  type OwnAppSource,
  type PlatformId,
  parseJson,
  type Simulated,
} from "@evenbench/core";
import { inShell } from "@evenbench/host";
import { makeLastFolder } from "./above.ts";
import { Copier, type LostPath } from "./copy.ts";
import { modulesFolders, sourceFiles } from "./files.ts";
import { type Found, findFrameworks, isFinished, platformsOf, unknownApp } from "./find-frameworks.ts";
import { copyRepository } from "./git.ts";
import { addCommand, assertInstalled, installCommand, installedVersion, pinOwnPnpm } from "./install.ts";
import { noteBytes, notePackages, removeBuild, removeOldBuilds, takeOverPackages } from "./kept-builds.ts";
import { buildMembers } from "./members.ts";
import type { OwnAppOptions } from "./options.ts";
import { type Prepared, placedAt } from "./prepare.ts";
import { runTool } from "./tool.ts";

/** The record that a build leaves beside its deployables, so that it is used again. */
export interface Kept {
  readonly built: OwnAppBuilt;
  /** The name of what the app is made with. */
  readonly title: string;
  /** Reasons of its frameworks for platforms that cannot run it, by platform. */
  readonly refusals: Readonly<Record<PlatformId, string>>;
  /** Files that its frameworks read. */
  readonly read: readonly OwnAppRead[];
  /** Sizes of the deployables as their platforms count them, by platform; null where that is not known. */
  readonly sizes: Readonly<Record<PlatformId, DeployableSize | null>>;
  readonly notes: readonly string[];
  readonly simulated: readonly Simulated[];
  /** Files and links that the copy has not. */
  readonly lost: readonly LostPath[];
  /** Milliseconds that all of it took, for all platforms together. */
  readonly buildMs: number;
}

/** A build, where it is, and whether it was there already. */
export interface BuiltOnce {
  readonly kept: Kept;
  readonly prepared: Prepared;
  readonly isReused: boolean;
}

/**
 * Builds an app; or gives the build of the same sources that is there already. A folder from which somebody serves is
 * left alone. The app's lock is held.
 */
export async function buildOnce(wanted: Prepared, options: OwnAppOptions): Promise<BuiltOnce> {
  for (let number = 1; ; number++) {
    const prepared = number === 1 ? wanted : placedAt(`${wanted.place}-${number}`, wanted);
    const file = join(prepared.place, RECORD);
    if (existsSync(file) && !options.isAnew) {
      return { kept: parseJson(await readFile(file, "utf8")) as Kept, prepared, isReused: true };
    }
    if (await removeBuild(prepared.place)) {
      return { kept: await buildAt(prepared, options), prepared, isReused: false };
    }
  }
}

/** Name of the record of a build that is used again. */
const RECORD = "built.json";

async function buildAt(prepared: Prepared, options: OwnAppOptions): Promise<Kept> {
  const { place, builds, logFile } = prepared;
  await makeLastFolder(place);
  await writeFile(logFile, "");
  const kept = await buildAnew(prepared, options);
  if (isToBeKept(kept.built)) {
    await writeFile(join(place, RECORD), JSON.stringify(kept));
  }
  await noteBytes(place);
  await removeOldBuilds(builds);
  return kept;
}

/** Tells whether a build is used again: not where a tool failed, since that may end otherwise another time. */
function isToBeKept({ platforms }: OwnAppBuilt): boolean {
  return Object.values(platforms).every((outcome) => "deployable" in outcome || outcome.isFailure !== true);
}

/** Copies an app, gives the copy its packages, and builds it with each framework that was found. */
async function buildAnew(prepared: Prepared, options: OwnAppOptions): Promise<Kept> {
  const { source, environment, copy, place, logFile } = prepared;
  const { onStep, signal } = options;
  const begun = performance.now();
  const notes: string[] = [];
  const simulated: Simulated[] = [];
  const note = (sentence: string) => void notes.push(sentence);
  const run: OwnAppBuild["run"] = (name, command, { cwd = copy.folder, env = {} } = {}) => {
    onStep(name);
    const all = { ...environment.variables, ...env };
    return runTool(name, command, { place: copy, cwd, env: all, logFile, signal });
  };
  const lost = await copyApp(prepared, options, run, note);
  const add = (packages: readonly string[]) => addPackages(prepared, packages, run, note);
  await add(options.withPackages ?? []);
  const copied: OwnAppSource = { ...source, ...copy, files: await readdir(copy.folder) };
  await buildMembers(copied, run, note);
  const found = await buildByItself(prepared, copied, options, run, note);
  const platforms: Record<PlatformId, OwnAppBuilt["platforms"][PlatformId]> = {};
  const routes: OwnAppRoute[] = [];
  for (const one of found) {
    const asked = platformsOf(one, options.platforms).map(({ id }) => id);
    if (asked.length === 0) {
      continue;
    }
    const built = await one.framework.build({
      source: copied,
      folder: copy.folder,
      workspace: copy.workspace,
      platforms: asked,
      placeFor: (platform) => join(place, platform),
      run,
      addPackages: add,
      installedVersion: (name) => installedVersion(copy, name),
      note,
      simulate: (service) => void simulated.push(service),
    });
    Object.assign(platforms, built.platforms);
    routes.push(...built.routes);
  }
  const buildMs = performance.now() - begun;
  const sizes = await sizesOf(platforms, options);
  const findings = found.map(({ finding }) => finding);
  return {
    built: { platforms, routes },
    title: findings.map(({ title }) => title).join(", ") || "a server that your own command starts",
    refusals: Object.assign({}, ...findings.map(({ refusals }) => refusals).reverse()),
    read: findings.flatMap(({ read = [] }) => read),
    sizes,
    notes,
    simulated,
    lost,
    buildMs,
  };
}

/**
 * Runs the build that the user named, else the app's own, in the copy; and finds what can build or take the copy then.
 * An own build that fails costs nothing else: what can be made of the app's modules is made.
 */
async function buildByItself(
  { source, found, ownBuild }: Prepared,
  copied: OwnAppSource,
  { build, isStarted, platforms }: OwnAppOptions,
  run: OwnAppBuild["run"],
  note: (sentence: string) => void,
): Promise<readonly Found[]> {
  const env = { NODE_ENV: "production" };
  if (build !== null) {
    await run(build, inShell(build), { env });
  } else if (ownBuild !== null) {
    try {
      await run(`the script "${ownBuild}" of package.json`, [process.execPath, "--run", ownBuild], { env });
    } catch (error) {
      if (found.length === 0) {
        throw error;
      }
      note(`The script "${ownBuild}" of package.json failed in the copy: ${firstLine(messageOf(error))}`);
      return found;
    }
  } else {
    return found;
  }
  if (isStarted && platforms.length === 0) {
    return [];
  }
  const made = await findFrameworks({ ...copied, files: await readdir(copied.folder) });
  if (made.length === 0 && !isStarted) {
    throw await unknownApp(source);
  }
  return made;
}

function firstLine(text: string): string {
  return text.split("\n")[0] ?? text;
}

/** Gives the sizes of what was built. One that cannot be said keeps nobody from measuring. */
async function sizesOf(
  built: OwnAppBuilt["platforms"],
  { platforms }: OwnAppOptions,
): Promise<Kept["sizes"]> {
  const sizes: Record<PlatformId, DeployableSize | null> = {};
  for (const platform of platforms) {
    const outcome = built[platform.id];
    if (outcome !== undefined && "deployable" in outcome) {
      sizes[platform.id] = await platform.size(outcome.deployable).catch(() => null);
    }
  }
  return sizes;
}

/** Copies the app's sources, its repository and its packages. @returns what the copy has not. */
async function copyApp(
  prepared: Prepared,
  options: OwnAppOptions,
  run: OwnAppBuild["run"],
  note: (sentence: string) => void,
): Promise<readonly LostPath[]> {
  const { source, list, copy, place, repository, packagesKey } = prepared;
  const { onStep } = options;
  const { workspace } = source;
  const root = join(place, "copy");
  await mkdir(copy.folder, { recursive: true });
  const hasTakenOver = await takeOverPackages(place, packagesKey);
  onStep("copying its sources");
  const sources = new Copier({ workspace, copy: copy.workspace, outside: join(place, "outside") });
  await sources.copySources(list.files, (words) => onStep(`copying its sources: ${words}`));
  if (repository !== null) {
    await copyRepository(repository, root);
  }
  if (source.packageJson === null) {
    return sources.lost;
  }
  if (await pinOwnPnpm(copy.root, source.packageManager)) {
    note(
      "In the copy pnpm is this machine's, not the version that package.json pins: both read its lock file.",
    );
  }
  const modules = new Copier({ workspace, copy: copy.workspace, outside: join(place, "outside-packages") });
  if (!hasTakenOver) {
    await givePackages(prepared, modules, options, run, note);
  }
  await noteItsPackages(prepared);
  return [...sources.lost, ...modules.lost];
}

/** Notes what the packages of the copy are. Those that lie outside of the workspace are not moved to another build. */
async function noteItsPackages({ copy, place, packagesKey }: Prepared): Promise<void> {
  if (existsSync(join(place, "outside-packages"))) {
    return;
  }
  const list = sourceFiles(copy);
  const folders = modulesFolders(list, copy.workspace).map((folder) => relative(join(place, "copy"), folder));
  await notePackages(place, packagesKey, folders);
}

/** Copies the user's installed packages; where some are missing, all are installed in the copy. */
async function givePackages(
  { source, copy, found, ownBuild, modules, missing }: Prepared,
  copier: Copier,
  options: OwnAppOptions,
  run: OwnAppBuild["run"],
  note: (sentence: string) => void,
): Promise<void> {
  const { packageManager } = source;
  if (missing.length === 0) {
    if (modules.length > 0) {
      options.onStep("copying its packages, once for this state of them");
      await copier.copyModules(modules, (words) => options.onStep(`copying its packages: ${words}`));
    }
    return;
  }
  // An app that is built needs no packages, and may do without those that its author did not install.
  if (isFinished(found) && ownBuild === null && !options.isStarted && options.build === null) {
    return;
  }
  await assertInstalled(packageManager);
  const command = installCommand(copy, packageManager);
  await run(command.join(" "), command, { cwd: copy.root });
  note(
    `Its packages were installed in the copy by ${packageManager}: your folder lacks ${firstNames(missing)}.`,
  );
}

/** Joins names: the first three, and how many more there are. */
function firstNames(names: readonly string[]): string {
  const shown = names.slice(0, 3).join(", ");
  return names.length > 3 ? `${shown} and ${names.length - 3} more` : shown;
}

/** Adds packages to the copy that it does not have in these versions. */
async function addPackages(
  prepared: Prepared,
  packages: readonly string[],
  run: OwnAppBuild["run"],
  note: (sentence: string) => void,
): Promise<void> {
  const { source, copy } = prepared;
  const wanted = packages.filter((words) => !isInstalled(copy, words));
  if (wanted.length === 0) {
    return;
  }
  await assertInstalled(source.packageManager);
  const command = addCommand(copy, source.packageManager, wanted);
  await run(command.join(" "), command);
  await noteItsPackages(prepared);
  note(`Added in the copy: ${wanted.join(", ")}.`);
}

/** Tells whether a package is there in the very version that is named, such as "wrangler@4.164.0". */
function isInstalled(copy: Prepared["copy"], words: string): boolean {
  const at = words.lastIndexOf("@");
  return at > 0 && installedVersion(copy, words.slice(0, at)) === words.slice(at + 1);
}
