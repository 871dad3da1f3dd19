import { existsSync, globSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, matchesGlob, relative, resolve } from "node:path";
import { isWithin, slashed } from "@evenbench/bundle/deployable";
import {
  messageOf,
  type OwnAppSource,
  type OwnPackageJson,
  type PackageManager,
  parseJson,
  UserError,
} from "@evenbench/core";
import { inTime } from "@evenbench/core/in-time";
import { isThere, readIfThere } from "@evenbench/core/user-file";
import { valid } from "semver";
import { parseDocument } from "yaml";
import { MODULES, sourceFiles } from "./files.ts";
import { repositoryAbove } from "./ignored.ts";

/** Package managers by the name of their lock file; the first file that is there counts. */
const LOCK_FILES: readonly (readonly [file: string, manager: PackageManager])[] = [
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["package-lock.json", "npm"],
  ["npm-shrinkwrap.json", "npm"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
];

/**
 * Finds the folder in which an app's packages are installed: that of a package manager's workspace which names it as a
 * member, unless it has a lock file of its own.
 */
export function rootOf(folder: string): string {
  return lockFilesIn(folder).length === 0 ? (rootAbove(folder) ?? folder) : folder;
}

/** How far an app reaches. Paths are absolute. */
type Reach = Pick<OwnAppSource, "workspace" | "unreached">;

/**
 * Finds how far an app reaches beyond its root: to its repository, where it reads files outside of the root. Nothing else
 * above it is taken. All of its modules are read for that.
 */
export function reachOf({ folder, root }: Pick<OwnAppSource, "folder" | "root">): Reach {
  const repository = repositoryAbove(folder);
  const read = firstReadOutside(folder, root);
  if (read === null) {
    return { workspace: root, unreached: null };
  }
  const hasBoth = repository !== null && isWithin(repository, read) && isWithin(repository, root);
  return hasBoth && repository !== homedir()
    ? { workspace: repository, unreached: null }
    : { workspace: root, unreached: read };
}

/** Finds the nearest folder above an app whose workspace names it as a member; null where there is none. */
function rootAbove(folder: string): string | null {
  const owner = statSync(folder).uid;
  for (let above = dirname(folder); above !== dirname(above); above = dirname(above)) {
    const member = slashed(relative(above, folder));
    // Another user's folder, and a home, are no part of an app: nothing there is read.
    const mayName = above !== homedir() && statSync(above).uid === owner;
    if (mayName && [pnpmGlobs(above), npmGlobs(above)].some((globs) => isMember(member, globs, above))) {
      return above;
    }
    // A folder above the repository is no part of it.
    if (existsSync(join(above, ".git"))) {
      return null;
    }
  }
  return null;
}

/** Lists the folders of a workspace's members, from its own on, in the order of their names; none of another folder. */
export function memberFolders(folder: string): readonly string[] {
  const globs = [...pnpmGlobs(folder), ...npmGlobs(folder)];
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

function tooSlow(folder: string): UserError {
  return new UserError(
    `The workspace ${folder} names its members by patterns that take too long. Write them without so many alternatives and stars.`,
  );
}

/** Reads the globs of members in a pnpm-workspace.yaml. A file without any, such as one of settings, names nothing. */
function pnpmGlobs(folder: string): readonly string[] {
  const file = join(folder, "pnpm-workspace.yaml");
  try {
    const content = parseDocument(textOf(file)).toJS() as { readonly packages?: unknown } | null;
    return globsIn(content?.packages);
  } catch (error) {
    throw new UserError(`${file} cannot be read: ${messageOf(error)}. Correct it, or move it away.`);
  }
}

/** Reads the globs of members in a package.json: `workspaces`, or its `packages`. */
function npmGlobs(folder: string): readonly string[] {
  const { workspaces } = (parseJson(textOf(join(folder, "package.json"))) ?? {}) as {
    readonly workspaces?: unknown;
  };
  const { packages = workspaces } = (workspaces ?? {}) as { readonly packages?: unknown };
  return globsIn(packages);
}

function globsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((glob) => typeof glob === "string") : [];
}

/**
 * Tells whether globs have a path. One with an exclamation mark takes what others have out of them.
 *
 * @param folder the workspace whose globs they are.
 * @throws {UserError} where they take too long.
 */
function isMember(path: string, globs: readonly string[], folder: string): boolean {
  const fits = (glob: string) => matchesGlob(path, glob.replace(/^\.\/|\/$/g, ""));
  const isNamed = () => {
    if (globs.some(({ length }) => length > GLOB_LETTERS)) {
      throw tooSlow(folder);
    }
    const isExcluded = globs.some((glob) => glob.startsWith("!") && fits(glob.slice(1)));
    return !isExcluded && globs.some((glob) => !glob.startsWith("!") && fits(glob));
  };
  return globs.length > 0 && inTime(MATCHED_WITHIN_MS, isNamed, () => tooSlow(folder));
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
export function packageManagerOf(root: string, manifests: readonly (OwnPackageJson | null)[]): PinnedManager {
  const [text = ""] = manifests.flatMap(pinsOf);
  const [name = "", version = ""] = text.split("@");
  const byName = LOCK_FILES.find(([, manager]) => manager === name)?.[1];
  const [lockFile] = lockFilesIn(root, byName);
  const byLock = LOCK_FILES.find(([file]) => file === lockFile)?.[1];
  const byWorkspace = pnpmGlobs(root).length > 0 ? "pnpm" : undefined;
  const manager = byLock ?? byWorkspace ?? byName ?? "npm";
  // A digest of the program may stand behind the version.
  return [manager, manager === byName ? valid(version.split("+")[0]) : null];
}

/** Lists what a package.json says of its package manager, such as "pnpm@10.1.0". */
function pinsOf(manifest: OwnPackageJson | null): readonly string[] {
  const { packageManager, devEngines } = manifest ?? {};
  const engines = [devEngines?.packageManager ?? []].flat();
  return [packageManager ?? [], engines.map(({ name, version }) => `${name}@${version}`)].flat();
}

/** Files that may read others by a relative path. */
const READERS =
  /\.(?:[cm]?[jt]sx?|svelte|astro|vue|s?css|less|mdx?)$|(?:^|\/)(?:[jt]sconfig[\w.]*|package|wrangler)\.jsonc?$/;
/** A text that is a path leading upwards, with what a package manager writes before it. */
const UPWARD = /["'`](?:(?:file|link|portal):)?(\.\.\/[^"'`\n]*)["'`]/g;
/** Endings that a path may lack. */
const ENDINGS = ["", ".ts", ".tsx", ".mts", ".js", ".jsx", ".mjs", ".cjs", ".json", ".css", ".svelte"];
/** Letters of a file beyond which it is data. */
const LARGEST_READER = 1_000_000;

/** Finds a file or folder outside of a root that the app's own files name by a relative path; null where there is none. */
function firstReadOutside(folder: string, root: string): string | null {
  const { files } = sourceFiles({ workspace: folder, folder });
  for (const { path, kind } of files) {
    const file = join(folder, path);
    if (kind !== "file" || !READERS.test(path) || statSync(file).size > LARGEST_READER) {
      continue;
    }
    for (const [, named = ""] of textOf(file).matchAll(UPWARD)) {
      const target = resolve(dirname(file), named);
      const isOutside = !isWithin(root, target) && !isWithin(target, root);
      if (isOutside && ENDINGS.some((ending) => existsSync(target + ending))) {
        return target;
      }
    }
  }
  return null;
}

/** Reads a file for what it names; "" where it is no text, or may not be read. */
function textOf(file: string): string {
  try {
    return readIfThere(file) ?? "";
  } catch {
    return "";
  }
}
