import { existsSync } from "node:fs";
import { readdir, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { ownFolder } from "@evenbench/host";

/** Number of copies that are kept: that of a large app has gigabytes where its packages could not be linked. */
const COPIES_KEPT = 6;
/** Milliseconds for which a copy is kept in any case: a measurement may still serve from it. */
const IN_USE_MS = 6 * 3600 * 1000;

/** Gives the folder of all private copies, below the user's cache folder. */
export function copiesFolder(): string {
  return ownFolder("apps");
}

/** Notes that a copy is used now: those that were not used for longest are removed first. */
export async function markUsed(folder: string): Promise<void> {
  const now = new Date();
  await utimes(folder, now, now);
}

/**
 * Removes private copies, but not the last ones that were used (`COPIES_KEPT`), and none that may be in use
 * (`IN_USE_MS`).
 *
 * @param now milliseconds as of `Date.now()`.
 */
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
  for (const { name, at } of used.slice(COPIES_KEPT)) {
    if (now - at > IN_USE_MS) {
      await rm(join(folder, name), { recursive: true, force: true });
    }
  }
}
