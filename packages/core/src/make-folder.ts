import { mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Makes a folder and its parents, as `mkdir -p` does. Node.js's own never returns where a parent takes no folder, as in
 * /proc.
 *
 * @throws the error of the system.
 */
export function makeFolder(folder: string, mode = 0o777): void {
  const path = resolve(folder);
  try {
    ensureFolder(path, mode);
  } catch (error) {
    const parent = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || parent === path) {
      throw error;
    }
    makeFolder(parent, mode);
    ensureFolder(path, mode);
  }
}

function ensureFolder(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // What is there need not be writable: /home on a machine where it is mounted.
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
      throw error;
    }
  }
}
