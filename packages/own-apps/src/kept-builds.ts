import { existsSync } from "node:fs";
import { readdir, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { ownFolder } from "@evenbench/host";

/** A copy of a large app has gigabytes where its packages could not be linked. */
const KEPT = 6;
/** Who measures may still serve from a copy. */
const IN_USE_MS = 6 * 3600 * 1000;

/** The folder of all private copies, below the user's cache folder. */
export function copiesFolder(): string {
  return ownFolder("apps");
}

/** Says that a copy was used now: those that were not used for longest go first. */
export async function markUsed(folder: string): Promise<void> {
  const now = new Date();
  await utimes(folder, now, now);
}

/** Removes private copies but the most recently used ones, and all that another command may be serving from. */
export async function removeOldCopies(
  folder: string = copiesFolder(),
  now: number = Date.now(),
): Promise<void> {
  if (!existsSync(folder)) {
    return;
  }
  const entries = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  const used = await Promise.all(
    entries.map(async ({ name }) => ({ name, at: (await stat(join(folder, name))).mtimeMs })),
  );
  used.sort((a, b) => b.at - a.at);
  for (const { name, at } of used.slice(KEPT)) {
    if (now - at > IN_USE_MS) {
      await rm(join(folder, name), { recursive: true, force: true });
    }
  }
}
