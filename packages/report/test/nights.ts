import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { RUN_FILE, type Run } from "@evenbench/results";
import { createReport } from "../src/index.ts";
import { type SyntheticOptions, writeSyntheticRun } from "./synthetic.ts";

/**
 * Writes a synthetic run as if it had been made at 3 o'clock of a day in November 2026; its id is that time.
 *
 * @returns its folder.
 */
export async function writeNight(
  results: string,
  day: number,
  change: (run: Run) => Run = (run) => run,
  options: SyntheticOptions = {},
): Promise<string> {
  const written = await writeSyntheticRun(results, { rounds: 10, ...options });
  const date = String(day).padStart(2, "0");
  const id = `202611${date}-030000`;
  const run: Run = JSON.parse(await readFile(join(written, RUN_FILE), "utf8"));
  const night = change({ ...run, id, startedAt: `2026-11-${date}T03:00:00.000Z` });
  await writeFile(join(written, RUN_FILE), JSON.stringify(night));
  const folder = join(results, id);
  await rename(written, folder);
  await createReport(folder);
  return folder;
}

/** The same run with another runtime of a target. */
export function withRuntime(target: string, runtime: string): (run: Run) => Run {
  return (run) => {
    const identity = run.identities[target];
    if (identity === undefined) throw new Error(`no target ${target}`);
    const facts = { ...identity.facts, runtime };
    return { ...run, identities: { ...run.identities, [target]: { ...identity, facts } } };
  };
}

/** The same run on another machine. */
export function onMachine(cpuModel: string): (run: Run) => Run {
  return (run) => ({ ...run, machine: run.machine && { ...run.machine, cpuModel } });
}
