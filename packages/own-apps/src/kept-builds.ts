import { hash } from "node:crypto";
import { existsSync, lstatSync, readdirSync, statSync } from "node:fs";
import { mkdir, readFile, rename, rm, utimes, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type OwnAppSource, parseJson } from "@evenbench/core";
import { entriesBelow, ownVisibleFolder } from "@evenbench/host";
import { tryToHold } from "@evenbench/host/exclusively";
import { SCRATCH } from "./copy.ts";
import { digestOfState, stateOf } from "./folder-state.ts";

/** Bytes of all builds of users' apps that are kept, with the packages in them: 10 GB. */
const KEPT_BYTES = 10 * 1024 ** 3;

/** Name of the folder of all builds. */
const BUILDS = "apps";
/** Name of the lock of a build that somebody serves from: everybody holds it who does. */
const USED = "in-use";
/** Name of the lock of an app: whoever makes or removes a build of it holds it alone. */
const LOCK = "lock";
const BYTES = "bytes";
const PACKAGES = "packages.json";

/** Locks that this process holds until it ends. */
const held: Disposable[] = [];

/** Gives the folder of all builds of an app. */
export function buildsFolder({ workspace, folder }: Pick<OwnAppSource, "workspace" | "folder">): string {
  const key = hash("sha256", `${workspace}\n${folder}`).slice(0, 8);
  return join(ownVisibleFolder(BUILDS), `${basename(folder).replace(/[^\w.-]/g, "-")}-${key}`);
}

/** Gives the lock file of an app's builds. */
export function lockOf(builds: string): string {
  return join(builds, LOCK);
}

/** Notes that this process uses a build until it ends. Its app's lock is held. */
export async function holdBuild(place: string): Promise<void> {
  const lock = await tryToHold(join(place, USED), "with others");
  if (lock !== null) {
    held.push(lock);
  }
  const now = new Date();
  await utimes(place, now, now);
}

/** Removes a build that nobody uses. Its app's lock is held. @returns whether it was removed. */
export async function removeBuild(place: string): Promise<boolean> {
  if (!existsSync(place)) {
    return true;
  }
  const lock = await tryToHold(join(place, USED), "alone");
  if (lock === null) {
    return false;
  }
  using _ = lock;
  await rm(place, { recursive: true, force: true });
  return true;
}

/** What the packages of a private copy are. */
interface PackagesNote {
  /** Digest of what they were made from. */
  readonly key: string;
  /** Digest of what the file system says of them, so that a build's own writing is seen. */
  readonly state: string;
  /** Their folders, from the copy on. */
  readonly folders: readonly string[];
}

/** Notes what the packages of a copy are, so that a later build can have them. */
export async function notePackages(place: string, key: string, folders: readonly string[]): Promise<void> {
  const note: PackagesNote = { key, state: stateOfPackages(place, folders), folders };
  await writeFile(join(place, PACKAGES), JSON.stringify(note));
}

function stateOfPackages(place: string, folders: readonly string[]): string {
  const digests = folders.map((folder) => {
    const path = join(place, "copy", folder);
    const isScratch = (file: string) => dirname(file) === path && SCRATCH.has(basename(file));
    return digestOfState(path, stateOf(path, isScratch));
  });
  return digests.join();
}

/**
 * Moves the packages of an earlier build into a new one, and removes the earlier one: the file system copies nothing.
 * It must have been made from the same packages, nobody may use it, and no build may have written into them.
 *
 * @returns whether there was such a build.
 */
export async function takeOverPackages(place: string, key: string): Promise<boolean> {
  for (const earlier of buildsBelow(dirname(place))) {
    const note = earlier === place ? null : await readPackages(earlier);
    if (note === null || note.key !== key) {
      continue;
    }
    using lock = await tryToHold(join(earlier, USED), "alone");
    if (lock === null || stateOfPackages(earlier, note.folders) !== note.state) {
      continue;
    }
    for (const folder of note.folders) {
      const to = join(place, "copy", folder);
      await mkdir(dirname(to), { recursive: true });
      await rename(join(earlier, "copy", folder), to);
      for (const name of SCRATCH) {
        await rm(join(to, name), { recursive: true, force: true });
      }
    }
    await rm(earlier, { recursive: true, force: true });
    return true;
  }
  return false;
}

async function readPackages(place: string): Promise<PackagesNote | null> {
  const text = await readFile(join(place, PACKAGES), "utf8").catch(() => "");
  return (parseJson(text) as PackagesNote | undefined) ?? null;
}

function buildsBelow(builds: string): readonly string[] {
  const entries = readdirSync(builds, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(builds, name));
}

/**
 * Removes builds until all of them together have no more than a number of bytes: first those that were not used for
 * longest, and none that somebody uses.
 *
 * @param own the app whose lock is held.
 * @param limit in bytes. Default: 10 GB.
 */
export async function removeOldBuilds(own: string, limit: number = KEPT_BYTES): Promise<void> {
  const builds: KeptBuild[] = [];
  for (const app of buildsBelow(dirname(own))) {
    builds.push(...(await countedBuilds(app, own)));
  }
  let total = builds.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { app, place, bytes } of builds.toSorted((a, b) => a.usedAt - b.usedAt)) {
    if (total <= limit) {
      return;
    }
    using lock = app === own ? null : await tryToHold(lockOf(app), "alone");
    const mayRemove = app === own || lock !== null;
    if (mayRemove && (await removeBuild(place))) {
      total -= bytes;
    }
  }
}

/** A build that is kept. */
interface KeptBuild {
  /** The folder of its app's builds. */
  readonly app: string;
  readonly place: string;
  /** In milliseconds since 1970. */
  readonly usedAt: number;
  readonly bytes: number;
}

/**
 * Counts the builds of an app. One that another command is making changes meanwhile: that command counts it when it ends.
 *
 * @param own the app whose lock is held.
 * @returns none where another command holds the app's lock.
 */
async function countedBuilds(app: string, own: string): Promise<readonly KeptBuild[]> {
  using lock = app === own ? null : await tryToHold(lockOf(app), "alone");
  if (app !== own && lock === null) {
    return [];
  }
  const builds = buildsBelow(app).map(async (place) => {
    // Before the bytes are noted there.
    const usedAt = statSync(place).mtimeMs;
    return { app, place, usedAt, bytes: await bytesOf(place) };
  });
  return await Promise.all(builds);
}

/** Gives the bytes that a build takes, as they were counted when it ended. */
async function bytesOf(place: string): Promise<number> {
  const noted = Number(await readFile(join(place, BYTES), "utf8").catch(() => "0"));
  return noted > 0 ? noted : await noteBytes(place);
}

/** Counts the bytes that a build takes, and notes them. */
export async function noteBytes(place: string): Promise<number> {
  let bytes = 0;
  for (const entry of await entriesBelow(place)) {
    bytes += lstatSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0;
  }
  await writeFile(join(place, BYTES), String(bytes));
  return bytes;
}
