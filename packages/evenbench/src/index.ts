// What types/index.d.ts declares: the build puts that file, which is written by hand, beside the code.
import { version as ownVersion } from "@evenbench/host/repository";
import { compareRuns, type Facts, failing, readFacts } from "@evenbench/report";
import { readRun } from "@evenbench/results";
import type * as declared from "../types/index.d.ts";

export const version: string = ownVersion;

/** Gives what a run found. @throws {ResultsError} where there is no run that can be read. */
async function report(folder: string): Promise<Facts> {
  const { facts } = await readFacts(folder);
  return facts;
}

export { compareRuns as compare, failing, readRun, report };

// The declarations are held against the code. Of facts the package has types alone.
({ version, compare: compareRuns, failing, readRun, report }) satisfies Omit<typeof declared, "RULES">;
