import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, readdir, readlink } from "node:fs/promises";
import { join, relative } from "node:path";
import { readUserFile } from "@evenbench/core/user-file";
import { entriesBelow } from "@evenbench/host";
import { slashed } from "./source.ts";

/** Names of files and folders that tools make, and that no app is built from. */
const OUTPUTS: ReadonlySet<string> = new Set([
  ".git",
  ".next",
  ".open-next",
  ".vercel",
  ".svelte-kit",
  ".astro",
  ".wrangler",
  ".turbo",
  ".nuxt",
  ".output",
  ".cache",
  ".nyc_output",
  ".DS_Store",
]);

/** Names under which builds write, but also people: they are the app's outputs where a .gitignore has them. */
const OUTPUTS_IF_IGNORED = ["dist", "build", "out", "coverage"];

/** Name of the folders that hold installed packages. */
export const MODULES = "node_modules";

/** A file, or a symbolic link, that an app is built from. */
export interface SourceFile {
  /** Path from the workspace on, with slashes. */
  readonly path: string;
  readonly kind: "file" | "link";
}

/**
 * Lists what an app is built from: all files of its workspace but packages that were installed and what builds of the
 * app made. What was built of other members of the workspace stays: the app may be made of it.
 *
 * @param kept absolute paths of files and folders of which nothing is left out but installed packages and .git.
 */
export async function sourceFiles(
  workspace: string,
  app: string,
  kept: readonly string[] = [],
): Promise<SourceFile[]> {
  const files: SourceFile[] = [];
  await walk(workspace, []);
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));

  async function walk(folder: string, ignoredAbove: readonly string[]): Promise<void> {
    const entries = await readdir(folder, { withFileTypes: true });
    const isOfApp = folder === app || folder.startsWith(`${app}/`);
    const ignored = [...ignoredAbove, ...(await ignoredIn(folder))];
    for (const entry of entries) {
      const path = join(folder, entry.name);
      const isKept = kept.some(
        (keep) => keep === path || keep.startsWith(`${path}/`) || path.startsWith(`${keep}/`),
      );
      if (entry.name === MODULES || entry.name === ".git") {
        continue;
      }
      if (!isKept && (OUTPUTS.has(entry.name) || (isOfApp && ignored.includes(entry.name)))) {
        continue;
      }
      if (entry.isDirectory()) {
        await walk(path, ignored);
      } else if (entry.isFile() || entry.isSymbolicLink()) {
        const kind = entry.isFile() ? "file" : "link";
        files.push({ path: slashed(relative(workspace, path)), kind });
      }
    }
  }
}

/** Lists the names of `OUTPUTS_IF_IGNORED` that a folder's .gitignore has. */
async function ignoredIn(folder: string): Promise<readonly string[]> {
  const text = await readUserFile(join(folder, ".gitignore")).catch(() => "");
  const lines = text.split("\n").map((line) => line.trim().replace(/^\/|\/$/g, ""));
  return OUTPUTS_IF_IGNORED.filter((name) => lines.includes(name));
}

/** The folders of installed packages: that of the workspace, and those of its members. None lies in another. */
export async function modulesFolders(workspace: string): Promise<string[]> {
  const found: string[] = [];
  await walk(workspace);
  return found;

  async function walk(folder: string): Promise<void> {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (!entry.isDirectory() || OUTPUTS.has(entry.name)) {
        continue;
      }
      const path = join(folder, entry.name);
      if (entry.name === MODULES) {
        found.push(path);
      } else {
        await walk(path);
      }
    }
  }
}

/** Makes a digest of files: SHA-256 over paths and contents, in hexadecimal. */
export async function digestOf(workspace: string, files: readonly SourceFile[]): Promise<string> {
  const hash = createHash("sha256");
  for (const { path, kind } of files) {
    const file = join(workspace, path);
    if (kind === "link") {
      const content = await readlink(file);
      hash.update(`link ${path} ${content.length}\n`).update(content);
      continue;
    }
    const { size } = await lstat(file);
    hash.update(`file ${path} ${size}\n`);
    // Read in pieces: a file of 2 GB and more does not fit into a buffer.
    for await (const piece of createReadStream(file)) {
      hash.update(piece);
    }
  }
  return hash.digest("hex");
}

/** Size and time of the last change of each file, of installed packages too, by path. */
export type FolderState = ReadonlyMap<string, string>;

/** Reads the state of a folder. No content is read: a file that is written in place has another time. */
export async function stateOf(folder: string): Promise<FolderState> {
  const state = new Map<string, string>();
  for (const entry of await entriesBelow(folder)) {
    const file = join(entry.parentPath, entry.name);
    // Editors and background fetches write into a repository's own folder at any time.
    if (file.startsWith(join(folder, ".git", "/"))) {
      continue;
    }
    if (entry.isDirectory()) {
      state.set(file, "folder");
      continue;
    }
    // A file may be removed by its owner meanwhile.
    const stats = await lstat(file).catch(() => null);
    if (stats !== null) {
      state.set(file, `${stats.size} ${stats.mtimeMs}`);
    }
  }
  return state;
}

/** Lists the paths of which two states differ, or that one of them has alone. */
export function changedBetween(before: FolderState, after: FolderState): readonly string[] {
  const changed = [...before].filter(([path, value]) => after.get(path) !== value).map(([path]) => path);
  const added = [...after.keys()].filter((path) => !before.has(path));
  return [...changed, ...added].sort();
}
