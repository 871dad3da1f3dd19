import { lstatSync, readdirSync, rmSync, type Stats, statSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { createServer } from "node:net";
import { homedir, tmpdir, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { messageOf } from "@evenbench/core";
import { makeFolder } from "@evenbench/core/make-folder";
import { HostError, LOOPBACK } from "./loopback.ts";

const OWN = 0o700;
const WRITABLE_BY_OTHERS = 0o022;
const FOR_OTHERS = 0o002;
const STICKY = 0o1000;

/** Below the user's cache folder, or where that cannot be written, below the one for temporary files. */
export function ownFolder(name: string): string {
  const { uid } = userInfo();
  const caches =
    process.env.XDG_CACHE_HOME ||
    join(homedir(), process.platform === "darwin" ? "Library/Caches" : ".cache");
  const reasons: string[] = [];
  for (const place of [join(caches, "evenbench"), join(tmpdir(), `evenbench-${uid}`)]) {
    try {
      makeFolder(dirname(place), OWN);
      assertNobodySwaps(dirname(place), uid);
      assertOwn(place, uid);
      const folder = join(place, name);
      assertOwn(folder, uid);
      return folder;
    } catch (error) {
      reasons.push(messageOf(error));
    }
  }
  throw new HostError(
    `There is no folder to keep ${name} in: ${reasons.join("; ")}. Remove what is there, or set XDG_CACHE_HOME to a folder of your own.`,
  );
}

export async function scratchFolder(purpose: string): Promise<string> {
  const place = tmpdir();
  try {
    return await mkdtemp(join(place, `evenbench-${purpose}-`));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new HostError(
      `Temporary files cannot be written in ${place} (${code}). Set TMPDIR to a folder that can be written.`,
    );
  }
}

/** Whoever can write in a folder can put another one in the place of what lies there. */
function assertNobodySwaps(parent: string, uid: number): void {
  if (process.platform === "win32") return;
  const { uid: owner, mode } = statSync(parent);
  if (owner !== uid && owner !== 0) throw new HostError(`${parent} belongs to another user (${owner})`);
  if ((mode & FOR_OTHERS) !== 0 && (mode & STICKY) === 0)
    throw new HostError(`${parent} can be written by other users`);
}

function assertOwn(folder: string, uid: number): void {
  makeFolder(folder, OWN);
  const fault = faultOf(lstatSync(folder), uid);
  if (fault !== null) throw new HostError(`${folder} ${fault}`);
}

/** Windows keeps others out of a user's folders itself. */
function faultOf(stats: Stats, uid: number): string | null {
  if (!stats.isDirectory()) return "is not a folder";
  if (process.platform === "win32") return null;
  if (stats.uid !== uid) return `belongs to another user (${stats.uid})`;
  return (stats.mode & WRITABLE_BY_OTHERS) === 0 ? null : "can be written by other users";
}

const LOOKS = 2000;

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

/** Nobody takes a killed process' port over at once: of two that do, one would delete what the other has just written. */
const LEFT_OVER_AFTER_MS = 5 * 60 * 1000;
const SWEEP_AFTER_MS = 60 * 1000;

const own = new Set<number>();
let sweptAt = Number.NEGATIVE_INFINITY;
process.once("exit", releaseAll);

/** A free port is nobody's until a server has bound it, and one that answers at it meanwhile would be taken for it. */
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
