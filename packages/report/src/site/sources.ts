import { existsSync, lstatSync } from "node:fs";
import { readdir, realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import { ENTRY_FILE, ResultsError, RUN_FILE, systemReason } from "@evenbench/results";

/** In a gallery: a folder for each run. */
export const RUNS = "runs";

/** A folder that something is known of a run from: all that it measured, or what a gallery keeps. */
export interface Source {
  readonly folder: string;
  readonly kind: "run" | "entry";
}

/**
 * What is in given folders, in the order of names: a run's own folder, a folder of runs, or a gallery that
 * was made earlier.
 *
 * @throws {ResultsError} when a folder cannot be read, or has none of these.
 */
export async function sourcesIn(given: string): Promise<readonly Source[]> {
  // Whoever names a link means what it leads to; links within it are another's.
  const folder = await realpath(given).catch(() => resolve(given));
  if (existsSync(join(folder, RUN_FILE))) return [{ folder, kind: "run" }];
  const found = [...(await foldersWith(RUN_FILE, folder, "run")), ...(await entriesIn(folder))];
  if (found.length > 0) return found;
  throw new ResultsError(
    `No run in ${given}. Give a results folder, a run's own folder, or a gallery that was made earlier.`,
  );
}

/** Those of a gallery; none where a folder is none. */
export function entriesIn(gallery: string): Promise<readonly Source[]> {
  const runs = join(gallery, RUNS);
  return lstatSync(runs, { throwIfNoEntry: false })?.isDirectory()
    ? foldersWith(ENTRY_FILE, runs, "entry")
    : Promise.resolve([]);
}

async function foldersWith(file: string, parent: string, kind: Source["kind"]): Promise<readonly Source[]> {
  let names: string[];
  try {
    names = await readdir(parent);
  } catch (error) {
    throw new ResultsError(`${parent} cannot be read (${systemReason(error)}). Give a results folder.`);
  }
  const folders = names.sort().map((name) => join(parent, name));
  return folders.filter((folder) => existsSync(join(folder, file))).map((folder) => ({ folder, kind }));
}
