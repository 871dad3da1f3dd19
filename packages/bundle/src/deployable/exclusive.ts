import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isAlive } from "@evenbench/host";

const POLL_MS = 200;
const MOST_POLLS = 3000;
const TAKING_MS = 60_000;

/**
 * Does some work while no other process does its own under the same lock file. Frameworks build in their
 * app's folder, and two builds there at once would overwrite each other's files.
 */
export async function exclusively<T>(lockFile: string, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(lockFile), { recursive: true });
  for (let poll = 0; !(await take(lockFile)); poll++) {
    if (poll === MOST_POLLS) throw new Error(`Another build has held ${lockFile} for ten minutes. End it.`);
    await delay(POLL_MS);
  }
  try {
    return await work();
  } finally {
    await rm(lockFile, { force: true });
  }
}

async function take(lockFile: string): Promise<boolean> {
  try {
    await writeFile(lockFile, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  if (isLeftBehind(lockFile)) removeLeftBehind(lockFile);
  return false;
}

/** Of several that wait one alone looks again and removes it: the others might remove a new holder's. */
function removeLeftBehind(lockFile: string): void {
  const taking = `${lockFile}.taking`;
  try {
    writeFileSync(taking, "", { flag: "wx" });
  } catch {
    // Held for less than a millisecond, but by a process that was killed just then.
    const made = statSync(taking, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
    if (Date.now() - made > TAKING_MS) rmSync(taking, { force: true });
    return;
  }
  try {
    if (isLeftBehind(lockFile)) rmSync(lockFile, { force: true });
  } finally {
    rmSync(taking, { force: true });
  }
}

/** An empty one was just made. */
function isLeftBehind(lockFile: string): boolean {
  try {
    const holder = Number(readFileSync(lockFile, "utf8"));
    return holder > 0 && !isAlive(holder);
  } catch {
    return false;
  }
}
