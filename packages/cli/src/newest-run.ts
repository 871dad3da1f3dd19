import { existsSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { EVENBENCH } from "@evenbench/core/called";
import { LOAD_FILE, RUN_FILE, SAMPLES_FILE } from "@evenbench/results";
import { UsageError } from "./nearest.ts";

/**
 * The newest folder of a run that measured something, be it one of loads: runs are named by the time of their
 * start. One that preflight stopped has no sample and is passed over.
 *
 * @throws {UsageError} when there is none.
 */
export async function newestRun(results: string): Promise<string> {
  const entries = await readdir(results, { withFileTypes: true }).catch(() => []);
  const newest = entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .map((entry) => entry.name)
    // Experiments have folders here, too.
    .filter((name) => [RUN_FILE, LOAD_FILE].some((file) => existsSync(join(results, name, file))))
    .filter((name) => hasSamples(join(results, name)))
    .sort()
    .at(-1);
  if (newest === undefined)
    throw new UsageError(
      `There is no run in ${results} that has a sample. Measure one with \`${EVENBENCH} run\`.`,
    );
  return join(results, newest);
}

function hasSamples(folder: string): boolean {
  return (statSync(join(folder, SAMPLES_FILE), { throwIfNoEntry: false })?.size ?? 0) > 0;
}
