import { lstatSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { HostError, LOOPBACK } from "./loopback.ts";
import { ownFolder } from "./own-folder.ts";

/** Looks for a free port that nobody has claimed: more than enough where any are left. */
const LOOKS = 2000;

/**
 * Finds the loopback port for a host: the given one if nothing listens there, for 0 any free one that no
 * other process has found.
 */
export async function claimPort(port: number): Promise<number> {
  for (let look = 0; look < LOOKS; look++) {
    const found = await tryListening(port);
    if (port !== 0 || claim(found)) return found;
  }
  throw new HostError(
    `No free port on ${LOOPBACK}: other processes have just claimed all that the system gives. Try again in five minutes.`,
  );
}

function tryListening(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => reject(portError(port, error)));
    server.listen({ host: LOOPBACK, port, exclusive: true }, () => {
      const address = server.address();
      const found = typeof address === "object" && address !== null ? address.port : port;
      server.close(() => resolve(found));
    });
  });
}

function portError(port: number, error: NodeJS.ErrnoException): HostError {
  const why =
    error.code === "EADDRINUSE"
      ? "is taken: another server listens there"
      : error.code === "EACCES"
        ? "may not be used by this user"
        : `cannot be used (${error.message})`;
  return new HostError(`Port ${port} on ${LOOPBACK} ${why}. Choose another port, or 0 for a free one.`);
}

/** Has an empty file for each port that a process has claimed, named by the port. */
const folder = () => ownFolder("ports");
const PORT = /^\d{1,5}$/;

/** The system picks at random among tens of thousands: a few remembered ports are enough. */
const MOST = 1000;

/**
 * Processes that are killed leave theirs, and nobody takes a port over at once: of two that do so, one would
 * delete what the other has just written.
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
 */
function claim(port: number): boolean {
  if (Date.now() - sweptAt > SWEEP_AFTER_MS) sweep();
  if (own.size === MOST) releaseAll();
  if (own.has(port) || !note(port)) return false;
  own.add(port);
  return true;
}

function note(port: number): boolean {
  try {
    writeFileSync(join(folder(), String(port)), "", { flag: "wx" });
    return true;
  } catch (error) {
    // Where nothing can be written, each process knows of its own alone.
    return (error as NodeJS.ErrnoException).code !== "EEXIST";
  }
}

function sweep(): void {
  sweptAt = Date.now();
  try {
    const claims = folder();
    for (const name of readdirSync(claims).filter((name) => PORT.test(name))) {
      const file = join(claims, name);
      const stats = lstatSync(file);
      const isClaim = stats.isFile() && stats.size === 0;
      if (isClaim && Date.now() - stats.mtimeMs > LEFT_OVER_AFTER_MS) rmSync(file, { force: true });
    }
  } catch {
    // There is none yet, or another process sweeps as well.
  }
}

function releaseAll(): void {
  if (own.size === 0) return;
  const claims = folder();
  for (const port of own) rmSync(join(claims, String(port)), { force: true });
  own.clear();
}
