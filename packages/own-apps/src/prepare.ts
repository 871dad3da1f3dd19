import { createHash } from "node:crypto";
import { existsSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { foldersUpFrom } from "@evenbench/bundle/deployable";
import { type OwnAppSource, type PackageManager, UserError } from "@evenbench/core";
import { readOthersJson } from "@evenbench/core/user-file";
import { eachAtATime, repositoryRoot, toolEnvironment } from "@evenbench/host";
import { version } from "@evenbench/host/repository";
import { findProgram } from "@evenbench/host/services";
import { toolVersions } from "@evenbench/host/tools";
import { manifestAbove } from "./above.ts";
import { COPIED_BYTES } from "./copy.ts";
import type { OwnEnvironment } from "./environment.ts";
import { modulesFolders, type SourceFile, type SourceList, sourceFiles } from "./files.ts";
import type { Found, OwnBuildStep } from "./find-frameworks.ts";
import {
  changedBetween,
  digestOfOutside,
  digestOfState,
  type FolderState,
  fileDigest,
  SharedContents,
  stateOf,
} from "./folder-state.ts";
import { referencesOf } from "./git.ts";
import { repositoryAbove } from "./ignored.ts";
import { isMadeOfSources, missingPackages, OF_INSTALLS, type Place, versionIn } from "./install.ts";
import { buildsFolder } from "./kept-builds.ts";
import type { OwnAppOptions } from "./options.ts";

/** What was found in an app's folder. */
export interface Looked {
  readonly source: OwnAppSource;
  readonly environment: OwnEnvironment;
  readonly found: readonly Found[];
  /** What builds it before it is looked at again; null for none. */
  readonly ownBuild: readonly OwnBuildStep[] | null;
}

/** What is known before a build begins. */
export interface Prepared extends Looked {
  readonly list: SourceList;
  /** State of the user's workspace when it was looked at. */
  readonly state: FolderState;
  /** Folders of installed packages in the user's workspace. */
  readonly modules: readonly string[];
  /** Packages that package.json asks for, and that are not installed in the user's folder. */
  readonly missing: readonly string[];
  /** Digest of what the copy's packages are made from. */
  readonly packagesKey: string;
  /** The folder of this app's builds in the cache. */
  readonly builds: string;
  /** The folder of this build. */
  readonly place: string;
  /** The repository of which the app is a part; null without one. */
  readonly repository: string | null;
  readonly copy: Place;
  readonly logFile: string;
}

/**
 * Reads the sources, and names the place of their build by a digest of all that it is made of: files, what links lead
 * to, packages as they lie there, variables, the environment that builds get, and the versions of what builds.
 *
 * @param state of the workspace.
 */
export async function prepare(
  looked: Looked,
  state: FolderState,
  options: Pick<OwnAppOptions, "platforms" | "build" | "withPackages" | "isStarted">,
): Promise<Prepared> {
  const { source, environment, found } = looked;
  const { workspace, folder } = source;
  const keeps = found.flatMap(({ finding }) => finding.keeps.map((path) => join(folder, path)));
  const list = sourceFiles(source, keeps);
  assertCopyable(workspace, list, state);
  const modules = modulesFolders(list, workspace);
  const missing = missingPackages(source);
  const repository = repositoryAbove(workspace);
  const builds = buildsFolder(source);
  const contents = new SharedContents(join(builds, CONTENTS));
  const variables = JSON.stringify(
    [environment.variables, toolEnvironment()].map((each) => Object.entries(each).sort()),
  );
  const packages = { missing, state, contents, variables, withPackages: options.withPackages ?? [] };
  const packagesKey = await packagesKeyOf(source, list, packages);
  const { platforms, build, isStarted } = options;
  const parts = [
    await digestOfFiles(workspace, list.files),
    await digestOfOutside(workspace, linksOf(workspace, list.files, state), contents),
    relative(workspace, folder),
    manifestAbove(source)?.type ?? "",
    variables,
    platforms
      .map(({ id }) => id)
      .sort()
      .join(),
    build ?? "",
    String(isStarted),
    packagesKey,
    repository === null ? "" : referencesOf(repository),
    await digestOfBuilders(),
  ];
  await contents.save();
  const prepared = { ...looked, list, state, modules, missing, packagesKey, builds, repository };
  return placedAt(join(builds, digestOfTexts(parts).slice(0, 16)), prepared);
}

/** Tells whether the sources are still those that the build is named by: an editor may save while they are copied. */
export function areAsRead({ source: { workspace }, list, state }: Prepared): boolean {
  const files = new Set(list.files.map(({ path }) => join(workspace, path)));
  return !changedBetween(state, stateOf(workspace)).some((path) => files.has(path));
}

/**
 * Refuses sources that are too many bytes, before any is read: a file with holes has all of its length in a copy.
 *
 * @throws {UserError} with the largest file.
 */
function assertCopyable(workspace: string, { files }: SourceList, state: FolderState): void {
  const sizes = files.map(({ path }) => ({ path, bytes: state.get(join(workspace, path))?.bytes ?? 0 }));
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total <= COPIED_BYTES) {
    return;
  }
  const largest = sizes.reduce((most, each) => (each.bytes > most.bytes ? each : most));
  throw new UserError(
    `${workspace} has more than 4 GB of files: ${largest.path} has ${largest.bytes} bytes. A private copy would have all of it. Let .gitignore leave out what the app is not built from, or move it away.`,
  );
}

/** Gives a build another folder. */
export function placedAt(place: string, prepared: Omit<Prepared, "place" | "copy" | "logFile">): Prepared {
  const { workspace, root, folder } = prepared.source;
  // Git works in the copy as in the user's folder: at the same depth below its root.
  const copied = join(place, "copy", relative(prepared.repository ?? workspace, workspace));
  const inCopy = (path: string) => join(copied, relative(workspace, path));
  const copy = { workspace: copied, root: inCopy(root), folder: inCopy(folder), last: place };
  return { ...prepared, place, copy, logFile: join(place, "build.log") };
}

function digestOfTexts(parts: readonly string[]): string {
  return createHash("sha256").update(parts.join("\n")).digest("hex");
}

/** The state of a link that was removed meanwhile. */
const GONE = { words: "", isLink: true, bytes: 0, sharedTime: null };

/** Gives the links among the sources, with their state. */
function linksOf(workspace: string, files: readonly SourceFile[], state: FolderState): FolderState {
  const links = files.filter(({ kind }) => kind === "link").map(({ path }) => join(workspace, path));
  return new Map(links.flatMap((path) => [[path, state.get(path) ?? GONE]]));
}

/** A path in a folder of installed packages, or that folder. */
const IN_MODULES = /[\\/]node_modules(?:[\\/]|$)/;

/** Name of the record of what was read of installed packages, beside an app's builds. */
const CONTENTS = "contents.json";

/** What the packages of a copy are made from, beside its files. */
interface PackageParts {
  readonly missing: readonly string[];
  readonly state: FolderState;
  readonly contents: SharedContents;
  /** The environment of an installation, as text. */
  readonly variables: string;
  readonly withPackages: readonly string[];
}

/** Makes a digest of what the packages of a copy are made from. */
async function packagesKeyOf(
  { workspace, packageManager }: OwnAppSource,
  { files }: SourceList,
  { missing, state, contents, variables, withPackages }: PackageParts,
): Promise<string> {
  const installed = new Map([...state].filter(([path]) => IN_MODULES.test(path)));
  const named = files.filter(({ path }) => OF_INSTALLS.test(path));
  const takesSources = named.some(({ path }) => isMadeOfSources(readOthersJson(join(workspace, path))));
  return digestOfTexts([
    digestOfState(workspace, await contents.addTo(installed)),
    await digestOfOutside(workspace, installed, contents),
    await digestOfFiles(workspace, missing.length > 0 && takesSources ? files : named),
    missing.join(),
    // Scripts of packages and settings of the manager read it.
    missing.length > 0 ? variables : "",
    await programVersion(packageManager),
    process.version,
    withPackages.join(),
  ]);
}

/** Says which program a name in PATH is: its file, and the version of the package that it lies in. */
async function programVersion(manager: PackageManager): Promise<string> {
  const found = await findProgram(manager);
  if (found === null) {
    return "";
  }
  const file = realpathSync(found);
  const { size, mtimeMs } = statSync(file);
  const versions = foldersUpFrom(dirname(file)).flatMap((folder) => versionIn(folder) ?? []);
  return [file, ...versions.slice(0, 1), size, mtimeMs].join(" ");
}

/** Makes a digest of files: SHA-256 over paths and contents, in hexadecimal. What may not be read is left out. */
async function digestOfFiles(workspace: string, files: readonly SourceFile[]): Promise<string> {
  const lines: string[] = [];
  await eachAtATime(files, async ({ path, kind }) => {
    const file = join(workspace, path);
    const content = kind === "link" ? readlinkSync(file) : await fileDigest(file);
    lines.push(`${kind} ${path} ${content}`);
  });
  return digestOfTexts(lines.sort());
}

let builders: Promise<string> | undefined;

/**
 * Gives a digest of the code that builds: another version of it makes something else of the same sources. It is made once,
 * of the code that this process runs.
 */
function digestOfBuilders(): Promise<string> {
  builders ??= makeDigestOfBuilders();
  return builders;
}

async function makeDigestOfBuilders(): Promise<string> {
  // The published package has no sources of its own, but a version, and tools that its user installs.
  const digests: string[] = [version, process.version, ...toolVersions()];
  for (const folder of ["apps", "packages/own-apps/src", "packages/bundle/src", "packages/core/src"]) {
    const path = join(repositoryRoot, folder);
    if (existsSync(path)) {
      const { files } = sourceFiles({ workspace: path, folder: path });
      digests.push(await digestOfFiles(path, files));
    }
  }
  return digests.join();
}
