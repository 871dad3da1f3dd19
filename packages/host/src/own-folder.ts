import { existsSync, lstatSync, type Stats, statSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { messageOf } from "@evenbench/core";
import { makeFolder } from "@evenbench/core/make-folder";
import { tryToHold } from "./exclusively.ts";
import { HostError } from "./loopback.ts";

/** Modes of files (inode(7)). */
const OWN = 0o700;
const WRITABLE_BY_OTHERS = 0o022;
const FOR_OTHERS = 0o002;
const STICKY = 0o1000;
const PERMISSIONS = 0o777;

/**
 * Makes a private folder (0700) for this tool: below the user's cache folder, or else below the folder for
 * temporary files.
 *
 * @throws {HostError} where neither can be had: nobody else may own it, or write where it lies.
 */
export function ownFolder(name: string): string {
  return firstOwn(name, [cachePlace, temporaryPlace]);
}

/**
 * Makes a private folder from which servers are started. Express's `sendFile` answers 404 for what lies below a folder
 * whose name begins with a dot, such as ~/.cache: where the cache folder does, a folder of the home takes its place. A
 * folder of all users, such as /var/tmp or that for temporary files, cannot: Node.js takes modules from each
 * node_modules above, whoever made it.
 *
 * @throws {HostError} where none can be had.
 */
export function ownVisibleFolder(name: string): string {
  return firstOwn(name, isHidden(cachePlace) ? [visiblePlace, cachePlace] : [cachePlace]);
}

/** Gives the absolute path of a folder for all that this tool keeps. It throws where the system has no such place. */
type Place = () => string;

const cachePlace: Place = () => join(cacheFolder(), "evenbench");
const visiblePlace: Place = () => join(homedir(), "evenbench-copies");
const temporaryPlace: Place = () => join(temporary(), `evenbench-${ownUid()}`);

/** Gives the id of this user; -1 on Windows, which has none. */
function ownUid(): number {
  return process.getuid?.() ?? -1;
}

function isHidden(placeOf: Place): boolean {
  try {
    return /[\\/]\./.test(placeOf());
  } catch {
    return false;
  }
}

/** Makes the folder in the first of some places that takes it. */
function firstOwn(name: string, places: readonly Place[]): string {
  const uid = ownUid();
  const reasons: string[] = [];
  for (const placeOf of places) {
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

/** A folder for temporary files, which is removed when it is disposed of. */
export interface ScratchFolder extends AsyncDisposable {
  /** Its absolute path. */
  readonly path: string;
}

/** Name of the lock in such a folder: the system frees it when the process that made the folder ends. */
const IN_USE = ".in-use";
/** Number of attempts to make one: another process may look at it, as at something left, before it is locked. */
const ATTEMPTS = 3;

/**
 * Makes an empty folder for temporary files. Those that processes left which were killed are removed before.
 *
 * @param purpose a word for its name.
 * @throws {HostError} where none can be written.
 */
export async function scratchFolder(purpose: string): Promise<ScratchFolder> {
  const place = temporary();
  await removeLeftovers(place);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const path = await makeTemporary(place, purpose);
    const lock = await tryToHold(join(path, IN_USE), "alone");
    if (lock === null || !existsSync(path)) {
      continue;
    }
    return {
      path,
      async [Symbol.asyncDispose]() {
        lock[Symbol.dispose]();
        await rm(path, { recursive: true, force: true, maxRetries: 5 });
      },
    };
  }
  throw new HostError(`Folders in ${place} are removed as soon as they are made. Set TMPDIR to another one.`);
}

async function makeTemporary(place: string, purpose: string): Promise<string> {
  try {
    return await mkdtemp(join(place, `evenbench-${purpose}-`));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new HostError(
      `Temporary files cannot be written in ${place} (${code}). Set TMPDIR to a folder that can be written.`,
    );
  }
}

/** Removes folders that nobody uses. Only those into which this user alone can write: others may be somebody else's. */
async function removeLeftovers(place: string): Promise<void> {
  const uid = ownUid();
  // Where there is no such folder, nothing was left in it, and what is written there next says so.
  for (const name of await readdir(place).catch(() => [])) {
    const path = join(place, name);
    const stats = name.startsWith("evenbench-") ? lstatSync(path, { throwIfNoEntry: false }) : undefined;
    const isOwn = stats?.isDirectory() && stats.uid === uid && (stats.mode & ~OWN & PERMISSIONS) === 0;
    if (!isOwn || !existsSync(join(path, IN_USE))) {
      continue;
    }
    using lock = await tryToHold(join(path, IN_USE), "alone").catch(() => null);
    if (lock !== null) {
      await rm(path, { recursive: true, force: true }).catch(() => {});
    }
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
