import { lstatSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { homedir, tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { messageOf } from "@evenbench/core";
import { makeFolder } from "@evenbench/core/make-folder";
import { HostError } from "./loopback.ts";

const OWN = 0o700;
const WRITABLE_BY_OTHERS = 0o022;

/** Below the user's cache folder, or that for temporary files. */
export function ownFolder(name: string): string {
  const { uid } = userInfo();
  const caches =
    process.env.XDG_CACHE_HOME ||
    join(homedir(), process.platform === "darwin" ? "Library/Caches" : ".cache");
  const reasons: string[] = [];
  for (const place of [join(caches, "evenbench"), join(tmpdir(), `evenbench-${uid}`)]) {
    try {
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

function assertOwn(folder: string, uid: number): void {
  makeFolder(folder, OWN);
  const stats = lstatSync(folder);
  if (!stats.isDirectory()) throw new HostError(`${folder} is not a folder`);
  // Windows keeps others out of a user's folders itself.
  if (process.platform === "win32") return;
  if (stats.uid !== uid) throw new HostError(`${folder} belongs to another user (${stats.uid})`);
  if ((stats.mode & WRITABLE_BY_OTHERS) !== 0) throw new HostError(`${folder} can be written by other users`);
}
