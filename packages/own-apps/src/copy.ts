import {
  constants,
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
} from "node:fs";
import { copyFile, mkdir, readlink, symlink } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { MODULES, modulesFolders, type SourceFile } from "./files.ts";

/** Folders in which tools keep what they made, and write in place: a hard link would change the user's file. */
const SCRATCH: ReadonlySet<string> = new Set([".cache", ".vite", ".vite-temp", ".tmp", ".astro"]);

/**
 * Copies what an app is built from: the files that `sourceFiles` lists. Links that lead out of the workspace lead to
 * the same place from the copy.
 */
export async function copySources(
  workspace: string,
  files: readonly SourceFile[],
  copy: string,
): Promise<void> {
  for (const { path, kind } of files) {
    const from = join(workspace, path);
    const to = join(copy, path);
    await mkdir(dirname(to), { recursive: true });
    if (kind === "file") {
      await copyFile(from, to, constants.COPYFILE_FICLONE);
    } else {
      await symlink(movedLink(await readlink(from), from, { workspace, copy }), to);
    }
  }
}

/** The two places between which an app is copied. */
interface Move {
  /** The absolute path of the user's workspace. */
  readonly workspace: string;
  /** The absolute path of its copy. */
  readonly copy: string;
}

/** A link's text in the copy: relative ones stay where they end within the workspace. */
function movedLink(text: string, link: string, { workspace, copy }: Move): string {
  const end = resolve(dirname(link), text);
  const within = relative(workspace, end);
  const isWithin = within === "" || (!within.startsWith("..") && !isAbsolute(within));
  if (!isWithin) {
    return end;
  }
  return isAbsolute(text) ? join(copy, within) : text;
}

/**
 * Gives the copy the packages that are installed in the user's workspace: by hard links where both lie on one
 * file system, else by copies. Links to folders are not enough: bundlers look where a package really lies.
 */
export async function linkModules(workspace: string, copy: string): Promise<void> {
  for (const folder of await modulesFolders(workspace)) {
    linkFolder(folder, join(copy, relative(workspace, folder)), { workspace, copy });
  }
}

function linkFolder(folder: string, copied: string, move: Move): void {
  mkdirSync(copied, { recursive: true });
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const from = join(folder, entry.name);
    const to = join(copied, entry.name);
    if (entry.isDirectory()) {
      if (!isScratch(folder, entry.name)) {
        linkFolder(from, to, move);
      }
    } else if (entry.isSymbolicLink()) {
      symlinkSync(movedLink(readlinkSync(from), from, move), to);
    } else if (entry.isFile()) {
      linkFile(from, to);
    }
  }
}

/** Tells whether a folder is left out: one of `SCRATCH` beside the installed packages. */
function isScratch(parent: string, name: string): boolean {
  return basename(parent) === MODULES && SCRATCH.has(name);
}

/** Gives the copy a file: by a hard link where that is allowed, else as a copy. */
function linkFile(from: string, to: string): void {
  if (isWrittenInPlace(from) || !hasLinked(from, to)) {
    copyFileSync(from, to, constants.COPYFILE_FICLONE);
  }
}

/** Makes a hard link. @returns whether it could be made. */
function hasLinked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch {
    // Another file system, too many links, or a system that keeps users from linking others' files.
    return false;
  }
}

/**
 * Tells whether tools write a file in place, so that a hard link would change the user's: notes of package managers,
 * such as .package-lock.json and .modules.yaml, their commands, and generated clients of databases.
 */
function isWrittenInPlace(file: string): boolean {
  const parent = basename(dirname(file));
  if ((parent === MODULES || parent === ".pnpm") && basename(file).startsWith(".")) {
    return true;
  }
  return parent === ".bin" || basename(file) === "lock.yaml" || file.includes("/.prisma/");
}
