import { lstatSync, type Stats, statSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { messageOf } from "@evenbench/core";
import { makeFolder } from "@evenbench/core/make-folder";
import { HostError } from "./loopback.ts";

/** Modes of files (inode(7)). */
const OWN = 0o700;
const WRITABLE_BY_OTHERS = 0o022;
const FOR_OTHERS = 0o002;
const STICKY = 0o1000;

/**
 * Makes a private folder (0700) for this tool: below the user's cache folder, or else below the folder for
 * temporary files.
 *
 * @throws {HostError} where neither can be had: nobody else may own it, or write where it lies.
 */
export function ownFolder(name: string): string {
  // Windows has none.
  const uid = process.getuid?.() ?? -1;
  const reasons: string[] = [];
  for (const placeOf of [
    () => join(cacheFolder(), "evenbench"),
    () => join(temporary(), `evenbench-${uid}`),
  ]) {
    try {
      const place = placeOf();
      makeFolder(dirname(place), OWN);
      assertNobodySwaps(dirname(place), uid);
      const folder = join(place, name);
      for (const path of [place, folder]) {
        assertOwn(path, uid);
      }
      return folder;
    } catch (error) {
      reasons.push(messageOf(error));
    }
  }
  throw new HostError(
    `There is no folder to keep ${name} in: ${reasons.join("; ")}. Remove what is there, or set XDG_CACHE_HOME to a folder of your own.`,
  );
}

/** Gives the user's cache folder. A relative XDG_CACHE_HOME is ignored (XDG Base Directory Specification). */
function cacheFolder(): string {
  const given = process.env.XDG_CACHE_HOME ?? "";
  if (isAbsolute(given)) {
    return given;
  }
  // A user whom the system does not know has no home, and this throws.
  return join(homedir(), process.platform === "darwin" ? "Library/Caches" : ".cache");
}

/**
 * Gives the folder for temporary files as an absolute path: to a process in another folder a relative TMPDIR is another
 * place.
 */
function temporary(): string {
  return resolve(tmpdir());
}

/**
 * Makes an empty folder for temporary files, which the caller removes.
 *
 * @param purpose a word for its name.
 * @throws {HostError} where none can be written.
 */
export async function scratchFolder(purpose: string): Promise<string> {
  const place = temporary();
  try {
    return await mkdtemp(join(place, `evenbench-${purpose}-`));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new HostError(
      `Temporary files cannot be written in ${place} (${code}). Set TMPDIR to a folder that can be written.`,
    );
  }
}

/** Refuses a folder that others can write in: they could put another one in the place of what lies there. */
function assertNobodySwaps(parent: string, uid: number): void {
  const stats = statSync(parent);
  refuseShared(parent, stats, [uid, 0], (stats.mode & STICKY) === 0 ? FOR_OTHERS : 0);
}

/** Makes a folder. @throws {HostError} where there is something else, or somebody else's. */
function assertOwn(folder: string, uid: number): void {
  makeFolder(folder, OWN);
  const stats = lstatSync(folder);
  if (!stats.isDirectory()) {
    throw new HostError(`${folder} is not a folder`);
  }
  refuseShared(folder, stats, [uid], WRITABLE_BY_OTHERS);
}

/** Refuses what others own or can write. Windows keeps others out of a user's folders itself. */
function refuseShared(
  path: string,
  { uid, mode }: Stats,
  owners: readonly number[],
  forbidden: number,
): void {
  if (process.platform === "win32") {
    return;
  }
  if (!owners.includes(uid)) {
    throw new HostError(`${path} belongs to another user (${uid})`);
  }
  if ((mode & forbidden) !== 0) {
    throw new HostError(`${path} can be written by other users`);
  }
}
