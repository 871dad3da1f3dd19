import { type Dirent, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { isWithin, slashed } from "@evenbench/bundle/deployable";
import { isObject } from "@evenbench/core";
import { isDenied, isThere, readOthersJson } from "@evenbench/core/user-file";
import { type Ignoring, ignoringIn } from "./ignored.ts";

/** Names of files and folders that tools make, and that no app is built from. */
const OUTPUTS: ReadonlySet<string> = new Set([
  ".next",
  ".open-next",
  ".vercel",
  ".svelte-kit",
  ".astro",
  ".wrangler",
  ".turbo",
  ".nuxt",
  ".nitro",
  ".output",
  ".react-router",
  ".tanstack",
  ".cache",
  ".nyc_output",
  ".DS_Store",
]);

/** Files that builds and installs read in the folder, and that repositories ignore for their secrets, or their size. */
const READ_THOUGH_IGNORED =
  /^(?:\.env|\.dev\.vars|\.npmrc$|\.yarnrc|wrangler\.(?:jsonc?|toml)$|package-lock\.json$|pnpm-lock\.yaml$|yarn\.lock$|bun\.lockb?$)/;

/** Name of the folders that hold installed packages. */
export const MODULES = "node_modules";

/** A file, or a symbolic link, that an app is built from. */
export interface SourceFile {
  /** Path from the workspace on, with slashes. */
  readonly path: string;
  readonly kind: "file" | "link";
}

/** What an app is built from, and what was left out of its workspace. */
export interface SourceList {
  readonly files: readonly SourceFile[];
  /** Paths that the repository ignores, from the workspace on: folders as a whole. */
  readonly ignored: readonly string[];
  /** Paths that this user may not read, from the workspace on. */
  readonly unreadable: readonly string[];
  /** Paths of pipes, sockets and devices, from the workspace on. */
  readonly special: readonly string[];
  /** The files whose patterns say what is ignored, from the workspace on. */
  readonly ignoreFiles: readonly string[];
}

/** The folders of an app whose files are listed. */
export interface ListedApp {
  readonly workspace: string;
  readonly folder: string;
}

/**
 * Lists what an app is built from: the files of its workspace that its repository keeps, but no installed packages and
 * nothing that builds of the app made. What was built of other members of the workspace stays: the app may be made of
 * it. A folder that is ignored is not entered.
 *
 * @param kept absolute paths of files and folders of which nothing is left out but .git.
 */
export function sourceFiles({ workspace, folder: app }: ListedApp, kept: readonly string[] = []): SourceList {
  const files: SourceFile[] = [];
  const ignored: string[] = [];
  const unreadable: string[] = [];
  const special: string[] = [];
  const ignoring = ignoringIn(workspace);
  walk(workspace, null);
  const fromWorkspace = (path: string) => slashed(relative(workspace, path));
  return {
    files: files.sort((a, b) => (a.path < b.path ? -1 : 1)),
    ignored: ignored.sort(),
    unreadable: unreadable.sort(),
    special: special.sort(),
    ignoreFiles: ignoring.files.map(fromWorkspace),
  };

  /** @param member the folder of another member of the workspace that it lies in; null in none. */
  function walk(folder: string, member: Member | null): void {
    const { entries, lost } = listed(folder);
    unreadable.push(...lost.map((path) => slashed(relative(workspace, path))));
    if (lost.includes(folder)) {
      return;
    }
    ignoring.enter(folder);
    const within = folder !== workspace && !isWithin(app, folder) ? (memberIn(folder) ?? member) : member;
    for (const entry of entries) {
      const path = join(folder, entry.name);
      const below = slashed(relative(workspace, path));
      const reason = whyLeftOut(path, entry, ignoring, within);
      if (reason === "ignored") {
        ignored.push(below);
      }
      if (reason !== null) {
        continue;
      }
      if (entry.isDirectory()) {
        walk(path, within);
      } else if (entry.isFile() || entry.isSymbolicLink()) {
        files.push({ path: below, kind: entry.isFile() ? "file" : "link" });
      } else {
        special.push(below);
      }
    }
  }

  function whyLeftOut(
    path: string,
    entry: Dirent,
    { isIgnored }: Ignoring,
    member: Member | null,
  ): "output" | "ignored" | null {
    const { name } = entry;
    if (name === ".git") {
      return "output";
    }
    // Packages in a finished output are a part of it.
    if (path !== join(app, MODULES) && kept.some((keep) => isWithin(keep, path))) {
      return null;
    }
    if (name === MODULES) {
      return "output";
    }
    if (kept.some((keep) => isWithin(path, keep))) {
      return null;
    }
    if (OUTPUTS.has(name)) {
      return "output";
    }
    if (READ_THOUGH_IGNORED.test(name) || member?.isBuilt(path) === true) {
      return null;
    }
    return isIgnored(path, entry.isDirectory()) ? "ignored" : null;
  }
}

/** The character that stands in a text for bytes which are no UTF-8: such a name finds no file. */
const NO_TEXT = "\uFFFD";

/** Lists a folder, and the paths that cannot be read: itself, where this user may not, and names that are no text. */
export function listed(folder: string): { readonly entries: readonly Dirent[]; readonly lost: string[] } {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    const isLost = ({ name }: Dirent) => name.includes(NO_TEXT) && !isThere(join(folder, name));
    const lost = entries.filter(isLost).map(({ name }) => join(folder, name));
    return { entries: lost.length === 0 ? entries : entries.filter((entry) => !isLost(entry)), lost };
  } catch (error) {
    if (isDenied(error)) {
      return { entries: [], lost: [folder] };
    }
    throw error;
  }
}

/** A member of a workspace that an app may be made of. */
interface Member {
  /** Tells whether a path lies in a folder that the member's package.json names: what was built of it. */
  isBuilt(path: string): boolean;
}

/** Reads the member of which a folder is the root; null where it is none. */
function memberIn(folder: string): Member | null {
  const manifest = readOthersJson(join(folder, "package.json"));
  if (manifest === undefined) {
    return null;
  }
  const named = pathsIn(manifest).map((path) => join(folder, path.split("/")[0] ?? path));
  return { isBuilt: (path) => named.some((built) => isWithin(built, path)) };
}

/** Keys of a package.json that name its files. */
const FILE_KEYS = ["main", "module", "browser", "types", "typings", "exports", "bin", "files"];

/** Lists the paths that keys of a package.json name, from its folder on. */
export function pathsIn(manifest: unknown, keys: readonly string[] = FILE_KEYS): readonly string[] {
  const fields = isObject(manifest) ? manifest : {};
  return keys
    .flatMap((key) => textsIn(fields[key]))
    .map((path) => path.replace(/^\.\//, ""))
    .filter((path) => path !== "" && !path.startsWith("*"));
}

/** Lists the texts in a value of JSON. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") {
    return [value];
  }
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** Lists the folders of installed packages: that of the workspace, and those of its members. None lies in another. */
export function modulesFolders({ files }: SourceList, workspace: string): readonly string[] {
  const folders = new Set([""]);
  for (const { path } of files) {
    const parts = path.split("/").slice(0, -1);
    parts.forEach((_, index) => void folders.add(parts.slice(0, index + 1).join("/")));
  }
  const found = [...folders].filter((folder) => !folder.split("/").includes(MODULES));
  return found.map((folder) => join(workspace, folder, MODULES)).filter(isThere);
}
