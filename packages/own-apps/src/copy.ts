import { constants, lstatSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { copyFile, mkdir, symlink } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { isWithin } from "@evenbench/bundle/deployable";
import { UserError } from "@evenbench/core";
import { isDenied } from "@evenbench/core/user-file";
import { eachAtATime } from "@evenbench/host";
import { listed, MODULES, type SourceFile } from "./files.ts";
import { type EndOutside, endOutside, type LostEnd } from "./outside.ts";

/** Folders beside installed packages in which tools keep what they made: no package is there. */
export const SCRATCH: ReadonlySet<string> = new Set([".cache", ".vite", ".vite-temp", ".tmp", ".astro"]);

/** Bytes of an app's own files in a private copy, and of what links lead to outside of its workspace: 4 GB of each. */
export const COPIED_BYTES: number = 4 * 1024 ** 3;

/** Milliseconds between two words on how far it is. */
const SAID_EVERY_MS = 5000;

/** The two places between which an app is copied. Paths are absolute. */
export interface Move {
  /** The user's workspace. */
  readonly workspace: string;
  /** Its copy. */
  readonly copy: string;
  /** The folder for what lies outside of the workspace, and that links in it lead to. */
  readonly outside: string;
}

/** A file or link that the copy has not. */
export interface LostPath extends LostEnd {
  /** Absolute path of the user's. */
  readonly path: string;
}

/** A file that is to be copied, as it is: the copy never has the inode of the user's file. */
interface FilePair {
  readonly from: string;
  readonly to: string;
}

/**
 * Makes a private copy of parts of a workspace: files as clones where the file system has these, else as copies, and
 * links to where they end in the copy. What a link outside of the workspace leads to is copied, too.
 */
export class Copier {
  /** Files and links that the copy has not. */
  readonly lost: LostPath[] = [];
  readonly #move: Move;
  readonly #files: FilePair[] = [];
  /** What was copied from outside, by its absolute path. */
  readonly #mirrored = new Map<string, string>();
  #outsideBytes = 0;

  constructor(move: Move) {
    this.#move = move;
  }

  /** Copies the files that `sourceFiles` lists. */
  async copySources(files: readonly SourceFile[], onProgress: (words: string) => void): Promise<void> {
    const { workspace, copy } = this.#move;
    for (const { path, kind } of files) {
      const from = join(workspace, path);
      const to = join(copy, path);
      await mkdir(dirname(to), { recursive: true });
      if (kind === "file") {
        this.#files.push({ from, to });
      } else {
        await this.#copyLink(from, to);
      }
    }
    await this.#copyFiles(onProgress);
  }

  /** Copies folders of installed packages, each a folder or a link. Bundlers look where a package really lies. */
  async copyModules(folders: readonly string[], onProgress: (words: string) => void): Promise<void> {
    const { workspace, copy } = this.#move;
    for (const folder of folders) {
      await this.#copyEntry(folder, join(copy, relative(workspace, folder)));
    }
    await this.#copyFiles(onProgress);
  }

  async #copyEntry(from: string, to: string): Promise<void> {
    const stats = lstatSync(from, { throwIfNoEntry: false });
    if (stats?.isSymbolicLink()) {
      await mkdir(dirname(to), { recursive: true });
      await this.#copyLink(from, to);
    } else if (stats?.isDirectory()) {
      await this.#copyFolder(from, to);
    } else if (stats?.isFile()) {
      this.#countOutside(from);
      await mkdir(dirname(to), { recursive: true });
      this.#files.push({ from, to });
    }
  }

  async #copyFolder(from: string, to: string): Promise<void> {
    await mkdir(to, { recursive: true });
    const { entries, lost } = listed(from);
    this.lost.push(...lost.map((path) => ({ path, why: "may not be read" as const })));
    for (const entry of entries) {
      const path = join(from, entry.name);
      if (entry.name === ".git" || (basename(from) === MODULES && SCRATCH.has(entry.name))) {
        continue;
      }
      if (entry.isDirectory()) {
        await this.#copyFolder(path, join(to, entry.name));
      } else if (entry.isSymbolicLink()) {
        await this.#copyLink(path, join(to, entry.name));
      } else if (entry.isFile()) {
        this.#countOutside(path);
        this.#files.push({ from: path, to: join(to, entry.name) });
      }
    }
  }

  /** Writes a link that ends in the copy, or in what is copied from outside. */
  async #copyLink(from: string, to: string): Promise<void> {
    const { workspace, copy } = this.#move;
    const found = endOutside(workspace, from);
    if (found === null) {
      const text = readlinkSync(from);
      const named = resolve(dirname(from), text);
      const end = isWithin(workspace, named) ? named : realpathSync(named);
      const isNear = !isAbsolute(text) && isWithin(copy, join(dirname(to), text));
      await symlink(isNear ? text : linkText(to, join(copy, relative(workspace, end))), to);
      return;
    }
    if ("why" in found) {
      this.lost.push({ path: from, why: found.why });
      return;
    }
    await symlink(linkText(to, await this.#mirror(found)), to);
  }

  /** Copies what lies outside of the workspace. @returns the path of its copy. */
  async #mirror({ end, root }: EndOutside): Promise<string> {
    const known = [...this.#mirrored].find(([path]) => isWithin(path, end));
    if (known !== undefined) {
      return join(known[1], relative(known[0], end));
    }
    const place = join(this.#move.outside, root);
    this.#mirrored.set(root, place);
    await this.#copyEntry(root, place);
    return join(place, relative(root, end));
  }

  #countOutside(path: string): void {
    if (isWithin(this.#move.workspace, path)) {
      return;
    }
    this.#outsideBytes += statSync(path).size;
    if (this.#outsideBytes > COPIED_BYTES) {
      throw new UserError(
        `Links in ${this.#move.workspace} lead to more than 4 GB outside of it, such as ${path}. A private copy would have all of it. Let the links lead to less, or give a folder without them.`,
      );
    }
  }

  /** Copies the files that were found. What this user may not read is no part of a copy. */
  async #copyFiles(onProgress: (words: string) => void): Promise<void> {
    const files = this.#files.splice(0);
    let done = 0;
    let saidAt = performance.now();
    await eachAtATime(files, async ({ from, to }) => {
      try {
        await copyFile(from, to, constants.COPYFILE_FICLONE);
      } catch (error) {
        if (!isDenied(error)) {
          throw error;
        }
        this.lost.push({ path: from, why: "may not be read" });
      }
      done += 1;
      if (performance.now() - saidAt > SAID_EVERY_MS) {
        saidAt = performance.now();
        onProgress(`${done} of ${files.length} files`);
      }
    });
  }
}

/** Gives the text of a link that leads to a path. No link may be empty: a folder leads to itself by a dot. */
function linkText(link: string, end: string): string {
  return relative(dirname(link), end) || ".";
}
