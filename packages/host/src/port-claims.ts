import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";

/** An empty file for each port that a process has claimed, named by the port. */
const FOLDER = join(tmpdir(), `evenbench-ports-${userInfo().uid}`);

/** The system picks at random among tens of thousands: a few remembered ports are enough. */
const MOST = 1000;

/**
 * Processes that are killed leave theirs, and nobody takes a port over at once: of two that do so, one would
 * delete what the other has just written. A server has bound its port long before this, and the system gives
 * nobody a port that is bound.
 */
const LEFT_OVER_AFTER_MS = 5 * 60 * 1000;
const SWEEP_AFTER_MS = 60 * 1000;

const own = new Set<number>();
let sweptAt = Number.NEGATIVE_INFINITY;
process.once("exit", releaseAll);

/**
 * Notes that this process will have a server listen on a port, for all processes of this user on this
 * machine: a port that was found free is nobody's until the server has bound it, and one that answers at it
 * in the meantime would be taken for it.
 *
 * @returns false when this or another process has claimed it already.
 */
export function claim(port: number): boolean {
  if (Date.now() - sweptAt > SWEEP_AFTER_MS) sweep();
  if (own.size === MOST) releaseAll();
  if (own.has(port) || !note(port)) return false;
  own.add(port);
  return true;
}

function note(port: number): boolean {
  try {
    mkdirSync(FOLDER, { recursive: true, mode: 0o700 });
    writeFileSync(join(FOLDER, String(port)), "", { flag: "wx" });
    return true;
  } catch (error) {
    // Where nothing can be written, each process knows of its own alone.
    return (error as NodeJS.ErrnoException).code !== "EEXIST";
  }
}

function sweep(): void {
  sweptAt = Date.now();
  try {
    for (const name of readdirSync(FOLDER)) {
      const file = join(FOLDER, name);
      if (Date.now() - statSync(file).mtimeMs > LEFT_OVER_AFTER_MS) rmSync(file, { force: true });
    }
  } catch {
    // There is none yet, or another process sweeps as well.
  }
}

function releaseAll(): void {
  for (const port of own) rmSync(join(FOLDER, String(port)), { force: true });
  own.clear();
}
