import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";
import { timeOf } from "./time-of-file.ts";

const KEPT = new URL("test-times.json", import.meta.url);
const ROOT = new URL("../../", import.meta.url);

/** Whole seconds by a file's path from the root. Only the order counts, so nobody has to keep them exact. */
export function readTimes(): Readonly<Record<string, number>> {
  return JSON.parse(readFileSync(KEPT, "utf8"));
}

/** What takes less may come in any order. */
const SHORTEST_S = 5;

/**
 * Writes how long the files of a run took, for the order in which a new clone runs them. It is no part of `npm test`:
 * `npm test -- --reporter=default --reporter=./packages/setup/keep-times.ts` writes the list anew. Files that
 * were not run keep their time; those that are gone lose it.
 */
export default class KeepTimes implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const now = modules.map((module) => [module.relativeModuleId, Math.round(timeOf(module))] as const);
    const all = Object.entries({ ...readTimes(), ...Object.fromEntries(now) });
    const long = all.filter(([path, seconds]) => seconds >= SHORTEST_S && existsSync(new URL(path, ROOT)));
    const sorted = long.toSorted(([one], [other]) => (one < other ? -1 : 1));
    writeFileSync(KEPT, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
  }
}
