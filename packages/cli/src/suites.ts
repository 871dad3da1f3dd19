import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { repositoryRoot } from "@evenbench/host/repository";
import type { Target } from "@evenbench/runner";
import { z } from "zod";
import { casesInSources } from "./cases.ts";
import { pick, UsageError } from "./nearest.ts";
import { ALL_CASES, type CaseOptions, DEFAULT_SUITE } from "./suite-options.ts";

/**
 * A set of cases that are measured together, beside the cases in a file of its own:
 * `packages/cases/<name>.suite.json`.
 */
export interface Suite {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly cases: readonly string[];
}

const FOLDER = join(repositoryRoot, "packages", "cases");
const ENDING = ".suite.json";

const suiteFile = z.strictObject({
  title: z.string(),
  description: z.string(),
  cases: z.array(z.string()).nonempty(),
});

/** All suites, by name. @throws {UsageError} for a file that is no suite. */
export async function listSuites(folder = FOLDER): Promise<readonly Suite[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith(ENDING)).sort();
  return Promise.all(files.map((file) => readSuite(join(folder, file), file.slice(0, -ENDING.length))));
}

/**
 * The ids of a suite's cases; none for "all", which stands for every case.
 *
 * @throws {UsageError} when there is no suite of that name.
 */
export async function casesOfSuite(name: string, folder = FOLDER): Promise<readonly string[]> {
  if (name === ALL_CASES) return [];
  const suites = await listSuites(folder);
  pick("suite", [name], [...suites.map((suite) => suite.name), ALL_CASES]);
  return suites.find((suite) => suite.name === name)?.cases ?? [];
}

/**
 * The cases that options ask of targets: those named; else the suite's; else all of the apps named; else the
 * default suite's. None stands for all.
 *
 * @throws {UsageError} for an unknown suite, or one of which the targets serve nothing.
 */
export async function casesAskedFor(
  { case: named, suite, app }: CaseOptions,
  targets: readonly Target[],
): Promise<readonly string[]> {
  if (named !== undefined) return named;
  const name = suite ?? (app === undefined ? DEFAULT_SUITE : ALL_CASES);
  const ids = await casesOfSuite(name);
  if (ids.length === 0) return [];
  const served = await casesInSources(targets);
  const asked = ids.filter((id) => served.includes(id));
  if (asked.length > 0) return asked;
  throw new UsageError(
    `These targets serve no case of the suite "${name}". Name cases with --case, or take all with --suite ${ALL_CASES}.`,
  );
}

async function readSuite(path: string, name: string): Promise<Suite> {
  try {
    return { name, ...suiteFile.parse(JSON.parse(await readFile(path, "utf8"))) };
  } catch (error) {
    const why = error instanceof z.ZodError ? (error.issues[0]?.message ?? "") : String(error);
    throw new UsageError(
      `${path} is no suite: ${why}. Write { "title", "description", "cases": [ids] }, as in published${ENDING}.`,
    );
  }
}
