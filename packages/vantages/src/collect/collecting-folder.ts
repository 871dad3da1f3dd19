import { mkdtemp, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { makeFolder } from "@evenbench/core/make-folder";
import {
  createRunFolder,
  ResultsError,
  type RunFolder,
  SAMPLES_FILE,
  systemReason,
} from "@evenbench/results";

/** A run that is not made yet: its samples wait here until all logs were found to be good. */
export interface CollectingFolder {
  /** Takes the samples. */
  readonly folder: string;
  /** Makes the run's own folder, by the time of its start, and moves the samples there. */
  become(startedAt: Date): Promise<RunFolder>;
}

/**
 * Works with a folder that is gone afterwards, whatever comes.
 *
 * @throws {ResultsError} when it cannot be written to.
 */
export async function collecting<T>(out: string, work: (folder: CollectingFolder) => Promise<T>): Promise<T> {
  const folder = await makeDraft(out);
  try {
    return await work({
      folder,
      async become(startedAt) {
        const made = await createRunFolder(out, startedAt);
        await rename(join(folder, SAMPLES_FILE), join(made.folder, SAMPLES_FILE));
        return made;
      },
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function makeDraft(out: string): Promise<string> {
  try {
    makeFolder(out);
    return await mkdtemp(join(resolve(out), ".collect-"));
  } catch (error) {
    throw new ResultsError(
      `Cannot write results to ${out}: ${systemReason(error)}. Give a folder that can be written to: --out <folder>.`,
    );
  }
}
