import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

const POLL_MS = 200;
const MOST_POLLS = 3000;

/**
 * Does some work while no other process does its own under the same lock file. Frameworks build in their
 * app's folder, and two builds there at once would overwrite each other's files.
 *
 * @throws {Error} after ten minutes of waiting.
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
  const holder = Number(await readFile(lockFile, "utf8").catch(() => ""));
  // Empty: just made, or just gone.
  if (holder > 0 && !isRunning(holder)) await rm(lockFile, { force: true });
  return false;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
