import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { namedPath } from "@evenbench/bundle/deployable";
import {
  type DeployableSize,
  messageOf,
  type OwnAppBuilt,
  type OwnAppRead,
  type OwnAppRoute,
  type OwnAppSource,
  type PlatformId,
  parseJson,
  type Simulated,
  UserError,
} from "@evenbench/core";
import { inShell } from "@evenbench/host";
import { makeLastFolder } from "./above.ts";
import type { LostPath } from "./copy.ts";
import { RESERVED } from "./environment.ts";
import { type Found, findFrameworks, finishedFor, platformsOf, unknownApp } from "./find-frameworks.ts";
import { installedVersion } from "./install.ts";
import { noteBytes, removeBuild, removeOldBuilds } from "./kept-builds.ts";
import { buildMembers } from "./members.ts";
import { pinsOf } from "./node-pins.ts";
import type { OwnAppOptions } from "./options.ts";
import { type CallableManager, callableManager, fetchByNpm } from "./package-manager.ts";
import { addPackages, copyApp, type Steps } from "./packages.ts";
import { areAsRead, type Prepared, placedAt } from "./prepare.ts";
import { runTool } from "./tool.ts";

/** The record that a build leaves beside its deployables, so that it is used again. */
export interface Kept {
  readonly built: OwnAppBuilt;
  /** The name of what the app is made with. */
  readonly title: string;
  /** Reasons of its frameworks for platforms that cannot run it, by platform. */
  readonly refusals: Readonly<Record<PlatformId, string>>;
  /** Platforms for which the app was built already. */
  readonly finishedFor: readonly PlatformId[];
  /** Files that its frameworks read. */
  readonly read: readonly OwnAppRead[];
  /** Sizes of the deployables as their platforms count them, by platform; null where that is not known. */
  readonly sizes: Readonly<Record<PlatformId, DeployableSize | null>>;
  readonly notes: readonly string[];
  readonly simulated: readonly Simulated[];
  /** Files and links that the copy has not. */
  readonly lost: readonly LostPath[];
  /** Absolute path of the folder of its package manager; null where it is that of PATH, or was not called. */
  readonly manager: string | null;
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
      const kept = parseJson(await readFile(file, "utf8")) as Kept;
      // Its package manager lies in the cache folder, which users empty.
      if (kept.manager === null || existsSync(kept.manager)) {
        return { kept, prepared, isReused: true };
      }
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
  await makeLastFolder(place, prepared.source);
  await writeFile(logFile, "");
  const kept = await buildAnew(prepared, options);
  if (isToBeKept(kept.built) && areAsRead(prepared)) {
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
  const notes = new Set<string>();
  const simulated: Simulated[] = [];
  const own: { manager: CallableManager | null } = { manager: null };
  const unmet = [...pinsOf(source), ...environment.read].flatMap(({ file, notApplied }) =>
    notApplied.filter(({ what }) => !RESERVED.test(what)).map(({ what, why }) => `${file}: ${what} (${why})`),
  );
  const steps: Steps = {
    note: (sentence) => void notes.add(sentence),
    async run(name, command, { cwd = copy.folder, env = {} } = {}) {
      signal?.throwIfAborted();
      onStep(name);
      const all = { ...environment.variables, ...env };
      const withManager = { ...copy, manager: own.manager?.folder ?? null };
      return runTool(name, command, { place: withManager, cwd, env: all, unmet, logFile, signal });
    },
    async manager() {
      own.manager ??= await callableManager(source, fetchByNpm(options));
      return own.manager;
    },
  };
  if (source.managerVersion !== null) {
    // Scripts may call it. Where nothing is to be installed, an app may do without.
    await steps.manager().catch((error: unknown) => {
      signal?.throwIfAborted();
      steps.note(messageOf(error));
    });
  }
  const lost = await copyApp(prepared, options, steps);
  const add = (packages: readonly string[]) => addPackages(prepared, packages, steps);
  await add(options.withPackages ?? []);
  const copied: OwnAppSource = { ...source, ...copy, files: await readdir(copy.folder) };
  await buildMembers(copied, steps);
  const { found, failure } = await buildByItself(prepared, copied, options, steps);
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
      run: steps.run,
      addPackages: add,
      installedVersion: (name) => installedVersion(copy, name),
      note: steps.note,
      simulate: (service) => void simulated.push(service),
    });
    Object.assign(platforms, built.platforms);
    routes.push(...built.routes);
  }
  if (failure !== null && !Object.values(platforms).some((outcome) => "deployable" in outcome)) {
    throw failure;
  }
  const buildMs = performance.now() - begun;
  const sizes = await sizesOf(platforms, options);
  const findings = found.map(({ finding }) => finding);
  return {
    built: { platforms, routes },
    title: findings.map(({ title }) => title).join(", ") || "a server that your own command starts",
    refusals: Object.assign({}, ...findings.map(({ refusals }) => refusals).reverse()),
    finishedFor: finishedFor(found, options.platforms),
    read: findings.flatMap(({ read = [] }) => read),
    sizes,
    notes: [...notes],
    simulated,
    lost,
    manager: own.manager?.folder ?? null,
    buildMs,
  };
}

/**
 * Runs the build that the user named, else the app's own, in the copy; and finds what can build or take the copy then.
 * An own build that fails costs nothing else: what can be made of the app's modules is made.
 *
 * @returns that, and the error of the own build; null for none.
 */
async function buildByItself(
  { source, found, ownBuild }: Prepared,
  copied: OwnAppSource,
  { build, isStarted, platforms }: OwnAppOptions,
  { run, note }: Steps,
): Promise<{ readonly found: readonly Found[]; readonly failure: unknown }> {
  const env = { NODE_ENV: "production" };
  if (build !== null) {
    await run(build, inShell(build), { env });
  } else if (ownBuild !== null) {
    try {
      for (const { name, command, cwd: named = "." } of ownBuild) {
        const within = copied.workspace;
        const cwd = namedPath({ file: "The configuration", named, from: copied.folder, within });
        if (!existsSync(cwd)) {
          throw new UserError(`The configuration lets ${name} work in ${named}, which is not there.`);
        }
        await run(name, command, { cwd, env });
      }
    } catch (error) {
      if (found.length === 0) {
        throw error;
      }
      note(`Its own build failed, so its modules are taken as they are: ${firstLine(messageOf(error))}`);
      return { found, failure: error };
    }
  } else {
    return { found, failure: null };
  }
  if (isStarted && platforms.length === 0) {
    return { found: [], failure: null };
  }
  const made = await findFrameworks({ ...copied, files: await readdir(copied.folder) });
  if (made.length === 0 && !isStarted) {
    throw await unknownApp(source);
  }
  return { found: made, failure: null };
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
