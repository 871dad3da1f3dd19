import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { LOAD_FILE, RUN_FILE } from "@evenbench/results";
import { UsageError } from "./nearest.ts";

/**
 * The newest run's folder, be it one of loads: runs are named by the time of their start.
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
    .sort()
    .at(-1);
  if (newest === undefined)
    throw new UsageError(`There is no run in ${results}. Measure one with \`npm run bench\`.`);
  return join(results, newest);
}
