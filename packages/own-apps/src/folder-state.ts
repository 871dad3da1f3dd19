import { createHash } from "node:crypto";
import { type BigIntStats, createReadStream, lstatSync, readdirSync, readFileSync, statSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { isWithin } from "@evenbench/bundle/deployable";
import { parseJson } from "@evenbench/core";
import { codeOf, isDenied } from "@evenbench/core/user-file";
import { eachAtATime } from "@evenbench/host";
import { endOutside } from "./outside.ts";

/** What the file system says of a path. */
interface PathState {
  /** Kind, size, mode, owner, inode and times. */
  readonly words: string;
  readonly isLink: boolean;
  /** Length of a file; 0 for anything else. */
  readonly bytes: number;
  /** The time of the last change of a file's state where it has several names: another name sets that, too. null elsewhere. */
  readonly sharedTime: string | null;
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
      state.set(path, pathState(stats));
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
    if (isPassedBy(error)) {
      return [];
    }
    throw error;
  }
}

/** Tells whether an error says that this user may not read a path, or that its owner removed it meanwhile. */
function isPassedBy(error: unknown): boolean {
  return isDenied(error) || codeOf(error) === "ENOENT";
}

function pathState(stats: BigIntStats): PathState {
  const { mode, uid, gid, ino, size, mtimeNs, ctimeNs, nlink } = stats;
  const isLink = stats.isSymbolicLink();
  if (stats.isDirectory()) {
    return { words: `folder ${mode} ${uid} ${gid}`, isLink, bytes: 0, sharedTime: null };
  }
  const isShared = stats.isFile() && nlink > 1n;
  const words = [mode, uid, gid, ino, size, mtimeNs, isShared ? "" : ctimeNs].join(" ");
  const bytes = stats.isFile() ? Number(size) : 0;
  return { words, isLink, bytes, sharedTime: isShared ? String(ctimeNs) : null };
}

/** What was read of files with several names, by path: their state then, and the digest of their content. */
type ReadContents = Record<string, readonly [state: string, digest: string]>;

/**
 * The contents of files with several names, as a package manager's store makes them: no time tells what changed in them.
 * Each is read once, and again where its state is another one.
 */
export class SharedContents {
  readonly #file: string;
  readonly #known: Readonly<ReadContents>;
  readonly #seen: ReadContents = {};

  /** @param file path of the record of what was read before. */
  constructor(file: string) {
    this.#file = file;
    this.#known = (parseJson(textOf(file)) ?? {}) as ReadContents;
  }

  /** Adds their contents to a state. */
  async addTo(state: FolderState): Promise<FolderState> {
    const added = new Map(state);
    await eachAtATime([...state], async ([path, each]) => {
      added.set(path, await this.#withContent(path, each));
    });
    return added;
  }

  async #withContent(path: string, each: PathState): Promise<PathState> {
    if (each.sharedTime === null) {
      return each;
    }
    const now = `${each.words} ${each.sharedTime}`;
    const [then, known] = this.#known[path] ?? [];
    const digest = then === now && known !== undefined ? known : await fileDigest(path);
    this.#seen[path] = [now, digest];
    return { ...each, words: `${each.words} ${digest}` };
  }

  /** Writes the record, where there are such files. Another command, which reads it meanwhile, finds the one before. */
  async save(): Promise<void> {
    if (Object.keys(this.#seen).length > 0) {
      const written = `${this.#file}.${process.pid}`;
      await mkdir(dirname(this.#file), { recursive: true });
      await writeFile(written, JSON.stringify(this.#seen));
      await rename(written, this.#file);
    }
  }
}

/** Reads the record, of whatever size; empty without one. */
function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** The bits of a file's mode that say who may read, write and execute it. */
const PERMISSIONS = 0o777;
/** Bytes of a file from which on it is read in pieces: one of 2 GB and more does not fit into a buffer. */
const IN_PIECES = 16 * 1024 ** 2;

/**
 * Makes a digest of a file's content and permissions: SHA-256 in hexadecimal; "unreadable" where this user may not read
 * it, or its owner removed it meanwhile.
 */
export async function fileDigest(path: string): Promise<string> {
  try {
    const { size, mode } = statSync(path);
    const hash = createHash("sha256").update(`${mode & PERMISSIONS} `);
    if (size < IN_PIECES) {
      return hash.update(await readFile(path)).digest("hex");
    }
    for await (const piece of createReadStream(path)) {
      hash.update(piece);
    }
    return hash.digest("hex");
  } catch (error) {
    if (isPassedBy(error)) {
      return "unreadable";
    }
    throw error;
  }
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
export async function digestOfOutside(
  workspace: string,
  state: FolderState,
  contents: SharedContents,
): Promise<string> {
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
      const all = await contents.addTo(new Map([[found.root, pathState(stats)], ...below]));
      hash.update(`${found.root}\n${digestOfState(found.root, all)}\n`);
      ahead.push(below);
    }
  }
  return hash.digest("hex");
}
