import { join } from "node:path";
import { measurePairs, type Pair } from "@evenbench/cli/against";
import { chooseOfRepository } from "@evenbench/cli/selection";
import { ARTIFACT_APP, type CaseManifest } from "@evenbench/core";
import { type Change, cell } from "@evenbench/report";
import type { LocalTarget } from "@evenbench/runner";
import { buildSlowed } from "./slowed.ts";

/** Options of the study. */
export interface AgainstStudyOptions {
  /** Number of runs of each of the two commits. */
  readonly runs: number;
  /** How much slower the second commit is, in percent. */
  readonly slowdown: number;
  /** The one commit that is studied: the one that changes nothing, or the slower one. Not there: both. */
  readonly only?: "same" | "slower";
  /** Ids of the cases; not there: those of the published suite. */
  readonly case?: readonly string[];
  /** Names of the targets; not there: all on this machine. */
  readonly target?: readonly string[];
  /** True where the apps are built first. */
  readonly build: boolean;
}

/** A change of a target, with the name of the commit that was measured. */
interface FoundChange {
  readonly head: string;
  readonly target: string;
  readonly change: Change;
}

/**
 * Measures the verdicts of `evenbench against` on a commit that changes nothing, and on one that makes every case
 * slower, and prints how often each verdict was found.
 *
 * @param folder absolute path of a folder for builds and runs.
 */
export async function against(options: AgainstStudyOptions, folder: string): Promise<void> {
  const usual = { app: [ARTIFACT_APP], suite: "published", where: "local", deployments: "" } as const;
  const chosen = await chooseOfRepository({ ...usual, ...options });
  const cases = chosen.cases[ARTIFACT_APP] ?? [];
  const local = chosen.targets.filter((target): target is LocalTarget => target.place === "local");
  const heads = await buildHeads(options, local, cases, folder);
  const found: FoundChange[] = [];
  for (let index = 0; index < options.runs; index++) {
    for (const [head, pairs] of heads) {
      const startedAt = performance.now();
      const {
        pairs: measured,
        otherWork,
        unfinished,
      } = await measurePairs(pairs, {
        out: join(folder, "runs"),
        otherCaseIds: chosen.otherCaseIds,
        signal: new AbortController().signal,
      });
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
      const changes = measured.flatMap(({ name: target, facts }) =>
        facts.changes.filter(({ role }) => role === "main").map((change) => ({ head, target, change })),
      );
      const ofTime = changes.filter(({ change }) => change.metric === "lastByteMs");
      const verdicts = ofTime.map(({ target, change }) => `${target} ${change.case} ${cell(change)}`);
      const others = otherWork.map(({ target, case: { id }, quote }) => `${id} on ${target.name}: ${quote}`);
      const begin = `${index + 1}/${options.runs} ${head}, ${seconds} s`;
      console.log([begin, ...verdicts, ...others, ...unfinished].join("; "));
      found.push(...changes);
    }
  }
  printCounts(found);
}

/**
 * Builds the commits that are studied, and one that they are compared with.
 *
 * @returns the pairs to measure, by commit.
 */
async function buildHeads(
  { slowdown, only }: AgainstStudyOptions,
  targets: readonly LocalTarget[],
  cases: readonly CaseManifest[],
  folder: string,
): Promise<ReadonlyMap<string, readonly Pair[]>> {
  const ids = cases.map(({ id }) => id);
  const build = async (
    target: LocalTarget,
    state: "base" | "head",
    percent: number,
  ): Promise<LocalTarget> => {
    const place = join(folder, `${state}-${percent}`, target.name);
    const deployable = await buildSlowed(ids, percent / 100, place, target.platform.id);
    return { ...target, name: `${target.name}.${state}`, deployable };
  };
  const percents = new Map<string, number>();
  if (only !== "slower") {
    percents.set("nothing changed", 0);
  }
  if (only !== "same") {
    percents.set(`${slowdown} % slower`, slowdown);
  }
  const heads = new Map([...percents.keys()].map((head) => [head, [] as Pair[]]));
  for (const target of targets) {
    const base = await build(target, "base", 0);
    for (const [head, percent] of percents) {
      heads.get(head)?.push({ name: target.name, base, head: await build(target, "head", percent), cases });
    }
  }
  return heads;
}

/** Prints how often each verdict was found: by commit, target and case, and by commit alone. */
function printCounts(found: readonly FoundChange[]): void {
  const groups = [
    ...Map.groupBy(found, ({ head, target, change }) => `${head}: ${target}, ${change.case}`),
    ...Map.groupBy(found, ({ head }) => `${head}: all`),
  ];
  for (const [name, all] of groups) {
    const by = (metric: Change["metric"]) =>
      verdictCounts(all.flatMap(({ change }) => (change.metric === metric ? [change.verdict] : [])));
    console.log(`${name}, time: ${by("lastByteMs")}`);
    console.log(`${name}, CPU time: ${by("cpuMs")}`);
  }
}

/** Counts verdicts, and writes them: "same 9, slower 1". */
function verdictCounts(verdicts: readonly string[]): string {
  const groups = Map.groupBy(verdicts, (verdict) => verdict);
  return [...groups].map(([verdict, all]) => `${verdict} ${all.length}`).join(", ");
}
