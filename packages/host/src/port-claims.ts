import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";

/** A file for each port that a process has claimed, named by the port, with the process's pid in it. */
const FOLDER = join(tmpdir(), `evenbench-ports-${userInfo().uid}`);

/** The system picks at random among tens of thousands: a few remembered ports are enough. */
const MOST = 1000;

const own = new Set<number>();
process.once("exit", releaseAll);

/**
 * Notes that this process will have a server listen on a port, for all processes of this user on this machine: a port that was
 * found free is nobody's until the server has bound it, and one that answers at it in the meantime would be taken for it.
 *
 * @returns false when this or another living process has claimed it already.
 */
export function claim(port: number): boolean {
  if (own.size === MOST) releaseAll();
  if (own.has(port) || !note(port)) return false;
  own.add(port);
  return true;
}

function note(port: number): boolean {
  const file = join(FOLDER, String(port));
  try {
    mkdirSync(FOLDER, { recursive: true, mode: 0o700 });
    writeFileSync(file, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    // Where nothing can be written, each process knows of its own alone.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") return true;
  }
  if (!isLeftOver(file)) return false;
  rmSync(file, { force: true });
  return note(port);
}

/** Whether the process that wrote it is gone; it may have been killed. */
function isLeftOver(file: string): boolean {
  try {
    process.kill(Number(readFileSync(file, "utf8")), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

function releaseAll(): void {
  for (const port of own) rmSync(join(FOLDER, String(port)), { force: true });
  own.clear();
}
