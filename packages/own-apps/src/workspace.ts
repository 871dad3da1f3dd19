import { existsSync, globSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, matchesGlob, relative } from "node:path";
import { slashed } from "@evenbench/bundle/deployable";
import { messageOf, type OwnAppRead, type PackageManager } from "@evenbench/core";
import { inTime } from "@evenbench/core/in-time";
import { type RootPackageJson, readRootPackageJson } from "@evenbench/core/package-json";
import { isThere, readIfThere, UserFileError } from "@evenbench/core/user-file";
import { valid } from "semver";
import { parse } from "yaml";
import { MODULES } from "./files.ts";

/** Package managers by the name of their lock file; the first file that is there counts. */
const LOCK_FILES: readonly (readonly [file: string, manager: PackageManager])[] = [
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["package-lock.json", "npm"],
  ["npm-shrinkwrap.json", "npm"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
];

/** The files of an app, and of the folders above it, that say which workspace it belongs to. */
export class FilesUpwards {
  readonly #folder: string;
  readonly #passedOver = new Map<string, OwnAppRead>();

  /** @param folder absolute path of the app's. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Reads one of them. A broken one above the app is passed over: it may be anybody's.
   *
   * @param none what is taken in its place.
   * @throws {UserFileError} where the app's own is broken.
   */
  read<T>(file: string, read: () => T, none: T): T {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof UserFileError) || dirname(file) === this.#folder) {
        throw error;
      }
      const notApplied = [{ what: "all of it", why: `it ${error.why}` }];
      this.#passedOver.set(file, { file: relative(this.#folder, file), applied: [], notApplied });
      return none;
    }
  }

  /** Lists those that were passed over. */
  passedOver(): readonly OwnAppRead[] {
    return [...this.#passedOver.values()];
  }
}

/**
 * Finds the folder in which an app's packages are installed: that of a package manager's workspace which names it as a
 * member, unless it has a lock file of its own.
 */
export function rootOf(folder: string, upwards: FilesUpwards): string {
  return lockFilesIn(folder).length === 0 ? (rootAbove(folder, upwards) ?? folder) : folder;
}

/** Finds the nearest folder above an app whose workspace names it as a member; null where there is none. */
function rootAbove(folder: string, upwards: FilesUpwards): string | null {
  const owner = statSync(folder).uid;
  for (let above = dirname(folder); above !== dirname(above); above = dirname(above)) {
    // Another user's folder, and a home, are no part of an app: nothing there is read.
    const mayName = above !== homedir() && statSync(above).uid === owner;
    if (mayName && namesAsMember(above, folder, upwards)) {
      return above;
    }
    // A folder above the repository is no part of it.
    if (existsSync(join(above, ".git"))) {
      return null;
    }
  }
  return null;
}

/** Name of the file of pnpm's workspaces. */
const PNPM_WORKSPACE = "pnpm-workspace.yaml";

/** Readers of the globs of members in a folder, by the name of the file that has them. */
const MEMBER_GLOBS: Readonly<Record<string, (folder: string) => readonly string[]>> = {
  [PNPM_WORKSPACE]: pnpmGlobs,
  "package.json": npmGlobs,
};

/** Tells whether the workspace of a folder above an app names it as a member. */
function namesAsMember(workspace: string, app: string, upwards: FilesUpwards): boolean {
  const member = slashed(relative(workspace, app));
  return Object.entries(MEMBER_GLOBS).some(([name, globsIn]) => {
    const file = join(workspace, name);
    return upwards.read(file, () => isMember(member, globsIn(workspace), file), false);
  });
}

/** Lists the folders of a workspace's members, from its own on, in the order of their names; none of another folder. */
export function memberFolders(folder: string): readonly string[] {
  const globs = Object.values(MEMBER_GLOBS).flatMap((globsIn) => globsIn(folder));
  const named = globs.filter((glob) => !glob.startsWith("!"));
  const find = () => globSync(named, { cwd: folder, exclude: (path) => basename(path) === MODULES });
  return inTime(FOUND_WITHIN_MS, find, () => tooSlow(folder))
    .map(slashed)
    .filter((path) => isMember(path, globs, folder) && existsSync(join(folder, path, "package.json")))
    .sort();
}

/** Milliseconds in which a workspace's folders are found, whatever its patterns are; and in which a path is held against them. */
const FOUND_WITHIN_MS = 60_000;
const MATCHED_WITHIN_MS = 1000;
/** Letters of the longest pattern that Node.js takes. */
const GLOB_LETTERS = 65_536;

/** @param place the file with the patterns, or the folder of their workspace. */
function tooSlow(place: string): UserFileError {
  const why = "names members by patterns that take too long";
  return new UserFileError(place, why, "Write them without so many alternatives and stars.");
}

/** Reads the globs of members in a pnpm-workspace.yaml. A file without any, such as one of settings, names nothing. */
function pnpmGlobs(folder: string): readonly string[] {
  const file = join(folder, PNPM_WORKSPACE);
  const text = readIfThere(file) ?? "";
  try {
    const content = parse(text, { logLevel: "error" }) as { readonly packages?: unknown } | null;
    const globs = content?.packages;
    return Array.isArray(globs) ? globs.filter((glob) => typeof glob === "string") : [];
  } catch (error) {
    // Lines of the file stand below what is wrong with it.
    throw new UserFileError(file, `cannot be read: ${messageOf(error).split(":\n")[0]}`);
  }
}

/** Reads the globs of members in a package.json. */
function npmGlobs(folder: string): readonly string[] {
  return readRootPackageJson(folder)?.workspaces ?? [];
}

/**
 * Tells whether globs have a path. One with an exclamation mark takes what others have out of them.
 *
 * @param place the file whose globs they are, or the folder of their workspace.
 * @throws {UserFileError} where they take too long.
 */
function isMember(path: string, globs: readonly string[], place: string): boolean {
  const fits = (glob: string) => matchesGlob(path, glob.replace(/^\.\/|\/$/g, ""));
  const isNamed = () => {
    if (globs.some(({ length }) => length > GLOB_LETTERS)) {
      throw tooSlow(place);
    }
    const isExcluded = globs.some((glob) => glob.startsWith("!") && fits(glob.slice(1)));
    return !isExcluded && globs.some((glob) => !glob.startsWith("!") && fits(glob));
  };
  return globs.length > 0 && inTime(MATCHED_WITHIN_MS, isNamed, () => tooSlow(place));
}

/** Lists the names of the lock files in a folder: the first one counts. @param preferred whose are the first. */
export function lockFilesIn(folder: string, preferred?: PackageManager): readonly string[] {
  const found = LOCK_FILES.filter(([file]) => isThere(join(folder, file)));
  const sorted = found.toSorted(([, a], [, b]) => Number(b === preferred) - Number(a === preferred));
  return sorted.map(([file]) => file);
}

/** A package manager, and the version of it that a package.json pins; null where none is pinned. */
type PinnedManager = readonly [manager: PackageManager, version: string | null];

/**
 * Finds an app's package manager: by the lock file, then by `packageManager`, else npm. Of several lock files that of
 * `packageManager` counts.
 */
export function packageManagerOf(
  root: string,
  packageJson: RootPackageJson | null,
  upwards: FilesUpwards,
): PinnedManager {
  const ofRoot = upwards.read(join(root, "package.json"), () => readRootPackageJson(root), null);
  const [text = ""] = [ofRoot, packageJson].flatMap(pinsOf);
  const [name = "", version = ""] = text.split("@");
  const byName = LOCK_FILES.find(([, manager]) => manager === name)?.[1];
  const [lockFile] = lockFilesIn(root, byName);
  const byLock = LOCK_FILES.find(([file]) => file === lockFile)?.[1];
  const byWorkspace = isThere(join(root, PNPM_WORKSPACE)) ? "pnpm" : undefined;
  const manager = byLock ?? byWorkspace ?? byName ?? "npm";
  // A digest of the program may stand behind the version.
  return [manager, manager === byName ? valid(version.split("+")[0]) : null];
}

/** Lists what a package.json says of its package manager, such as "pnpm@10.1.0". */
function pinsOf(manifest: RootPackageJson | null): readonly string[] {
  const { packageManager, devEngines } = manifest ?? {};
  const engines = [devEngines?.packageManager ?? []].flat();
  return [packageManager ?? [], engines.map(({ name, version }) => `${name}@${version}`)].flat();
}
