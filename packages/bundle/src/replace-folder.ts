import { rename, rm } from "node:fs/promises";

/**
 * Puts a folder in the place of another of the file system, by two renames: nobody sees half of one.
 *
 * @param before the path that the other one is moved to until it is removed.
 */
export async function replaceFolder(from: string, place: string, before: string): Promise<void> {
  await rm(before, { recursive: true, force: true });
  await renameIfThere(place, before);
  await rename(from, place);
  await rm(before, { recursive: true, force: true });
}

/** Renames a file or a folder, or does nothing where there is none. */
export async function renameIfThere(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") {
      throw error;
    }
  }
}
