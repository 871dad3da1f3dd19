import { createHash } from "node:crypto";
import { type BigIntStats, lstatSync, readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { isDenied } from "./files.ts";
import { endOutside } from "./outside.ts";
import { isWithin } from "./paths.ts";

/** What the file system says of a path. */
interface PathState {
  /** Kind, size, mode, owner, inode and times. */
  readonly words: string;
  readonly isLink: boolean;
}

/** What the file system says of each file and folder, by path. */
export type FolderState = ReadonlyMap<string, PathState>;

/**
 * Reads the state of a folder. Content that changes sets a file's times; and whoever sets these back cannot set the time
 * of the last change of its state (ctime). No content is read. What this user may not list counts as one path. `.git` is
 * left out: editors and background fetches write there.
 *
 * @param isLeftOut tells which paths do not count. Default: none.
 */
export function stateOf(folder: string, isLeftOut: (path: string) => boolean = () => false): FolderState {
  const state = new Map<string, PathState>();
  const ahead = [folder];
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    for (const name of namesIn(next)) {
      const path = join(next, name);
      if (name === ".git" || isLeftOut(path)) {
        continue;
      }
      // A file may be removed by its owner meanwhile.
      const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
      if (stats === undefined) {
        continue;
      }
      state.set(path, { words: wordsOf(stats), isLink: stats.isSymbolicLink() });
      if (stats.isDirectory()) {
        ahead.push(path);
      }
    }
  }
  return state;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (isDenied(error) || code === "ENOENT") {
      return [];
    }
    throw error;
  }
}

/** Writes what counts of a path. Another link to a file, such as a package manager's, sets its ctime, too. */
function wordsOf(stats: BigIntStats): string {
  const { mode, uid, gid, ino, size, mtimeNs, ctimeNs, nlink } = stats;
  if (stats.isDirectory()) {
    return `folder ${mode} ${uid} ${gid}`;
  }
  return [mode, uid, gid, ino, size, mtimeNs, nlink > 1n ? "" : ctimeNs].join(" ");
}

/** Lists the paths of which two states differ, or that one of them has alone. */
export function changedBetween(before: FolderState, after: FolderState): readonly string[] {
  const changed = [...before]
    .filter(([path, { words }]) => after.get(path)?.words !== words)
    .map(([path]) => path);
  const added = [...after.keys()].filter((path) => !before.has(path));
  return [...changed, ...added].sort();
}

/** Makes a digest of the state of a folder, wherever it lies: SHA-256 in hexadecimal. */
export function digestOfState(folder: string, state: FolderState): string {
  const hash = createHash("sha256");
  for (const [path, { words }] of [...state].sort(([a], [b]) => (a < b ? -1 : 1))) {
    hash.update(`${relative(folder, path)}\n${words}\n`);
  }
  return hash.digest("hex");
}

/**
 * Makes a digest of all that links in a workspace lead to outside of it, and of what links there lead to: SHA-256 in
 * hexadecimal.
 *
 * @param state of the workspace, or of a part of it.
 */
export function digestOfOutside(workspace: string, state: FolderState): string {
  const hash = createHash("sha256");
  const known: string[] = [];
  const ahead = [state];
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    const links = [...next].filter(([, { isLink }]) => isLink).map(([path]) => path);
    for (const link of links) {
      const found = endOutside(workspace, link);
      if (found === null || "why" in found || known.some((root) => isWithin(root, found.root))) {
        continue;
      }
      known.push(found.root);
      const stats = statSync(found.root, { bigint: true });
      const below = stats.isDirectory() ? stateOf(found.root) : new Map<string, PathState>();
      hash.update(`${found.root}\n${wordsOf(stats)}\n${digestOfState(found.root, below)}\n`);
      ahead.push(below);
    }
  }
  return hash.digest("hex");
}
