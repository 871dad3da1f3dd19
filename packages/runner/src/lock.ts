import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The mark that a measuring process leaves in the results folder: ".measuring-<pid>". */
const PREFIX = ".measuring-";

/** This process's mark, and which other processes measure with the same results folder. */
export interface MeasuringLock {
  readonly others: readonly number[];
  release(): void;
}

/**
 * Marks this process as measuring, and looks for others that do. Nobody is kept out: two runs on one machine disturb one
 * another, but lose nothing. Marks of processes that are gone are removed.
 *
 * @param folder the results folder; made if it does not exist.
 * @throws {Error} of the file system, when the folder cannot be written.
 */
export function markMeasuring(folder: string): MeasuringLock {
  mkdirSync(folder, { recursive: true });
  const others: number[] = [];
  for (const name of readdirSync(folder)) {
    const pid = name.startsWith(PREFIX) ? Number(name.slice(PREFIX.length)) : Number.NaN;
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    if (isAlive(pid)) others.push(pid);
    else rmSync(join(folder, name), { force: true });
  }
  const mark = join(folder, PREFIX + process.pid);
  writeFileSync(mark, "");
  return { others, release: () => rmSync(mark, { force: true }) };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives, but is another user's.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
