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

/** Copies what an app is built from. Links that lead out of the workspace lead to the same place from the copy. */
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

interface Move {
  readonly workspace: string;
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

function linkFolder(from: string, to: string, move: Move): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const source = join(from, entry.name);
    const target = join(to, entry.name);
    if (entry.isDirectory()) {
      if (!isScratch(from, entry.name)) {
        linkFolder(source, target, move);
      }
    } else if (entry.isSymbolicLink()) {
      symlinkSync(movedLink(readlinkSync(source), source, move), target);
    } else if (entry.isFile()) {
      linkFile(source, target);
    }
  }
}

/** Folders in which tools keep what they made, and write in place: a hard link would change the user's file. */
function isScratch(parent: string, name: string): boolean {
  if (basename(parent) !== MODULES) {
    return false;
  }
  return [".cache", ".vite", ".vite-temp", ".tmp", ".astro"].includes(name);
}

function linkFile(source: string, target: string): void {
  if (!isWrittenInPlace(source)) {
    try {
      linkSync(source, target);
      return;
    } catch {
      // Another file system, too many links, or a system that keeps users from linking others' files.
    }
  }
  copyFileSync(source, target, constants.COPYFILE_FICLONE);
}

/**
 * Notes of package managers, such as .package-lock.json and .modules.yaml, their commands, and generated
 * clients of databases.
 */
function isWrittenInPlace(file: string): boolean {
  const parent = basename(dirname(file));
  if ((parent === MODULES || parent === ".pnpm") && basename(file).startsWith(".")) {
    return true;
  }
  return parent === ".bin" || basename(file) === "lock.yaml" || file.includes("/.prisma/");
}
