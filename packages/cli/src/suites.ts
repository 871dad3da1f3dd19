// Suites: cases that are measured together.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { UsageError } from "@evenbench/core";
import { readUserFileSync } from "@evenbench/core/user-file";
import { repositoryRoot } from "@evenbench/host/repository";
import * as z from "zod";
import type { NamedCase, OfApp } from "./app-cases.ts";
import { ALL_CASES, DEFAULT_SUITE, type SelectionOptions } from "./options.ts";

const CASE_SOURCES_FOLDER = join(repositoryRoot, "packages", "cases");
const ENDING = ".suite.json";

/** The file of cases that are measured together: `packages/cases/<name>.suite.json`. */
const suiteFile = z.strictObject({
  title: z.string(),
  description: z.string(),
  cases: z.array(z.string()).nonempty(),
});

async function suiteNames(folder: string): Promise<readonly string[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith(ENDING)).sort();
  return files.map((file) => file.slice(0, -ENDING.length));
}

/** Gives the ids of a suite's cases. @throws {UsageError} for a file that is no suite. */
export async function casesOfSuite(name: string, folder = CASE_SOURCES_FOLDER): Promise<readonly string[]> {
  const path = join(folder, name + ENDING);
  try {
    return suiteFile.parse(JSON.parse(readUserFileSync(path))).cases;
  } catch (error) {
    const why = error instanceof z.ZodError ? (error.issues[0]?.message ?? "") : String(error);
    throw new UsageError(
      `${path} is not a suite: ${why}. Write { "title", "description", "cases": [ids] }, as in published${ENDING}.`,
    );
  }
}

interface WantedCases {
  /** Their ids; none stands for all. */
  readonly ids: readonly string[];
  /** True where each of them was named. */
  readonly areNamed: boolean;
}

/** Gives the wanted cases: named by themselves or a suite; else all of the apps named; else the default suite's. */
export async function casesAskedFor(
  { case: named, app }: SelectionOptions,
  sources: readonly OfApp<NamedCase>[],
): Promise<WantedCases> {
  const words = named ?? [app === undefined ? DEFAULT_SUITE : ALL_CASES];
  if (words.includes(ALL_CASES)) {
    return { ids: [], areNamed: false };
  }
  const served = sources.map(({ manifest }) => manifest.id);
  const known = await suiteNames(CASE_SOURCES_FOLDER);
  const suites = words.filter((word) => known.includes(word) && !served.includes(word));
  const ids = words.filter((word) => !suites.includes(word));
  for (const suite of suites) {
    const ofSuite = (await casesOfSuite(suite)).filter((id) => served.includes(id));
    if (ofSuite.length === 0) {
      throw new UsageError(
        `These targets serve no case of the suite "${suite}". Name cases with --case, or take all with --case ${ALL_CASES}.`,
      );
    }
    ids.push(...ofSuite);
  }
  return { ids, areNamed: suites.length === 0 };
}
