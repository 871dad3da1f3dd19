import { join } from "node:path";
import { type Finding, measurePairs } from "@evenbench/cli/against";
import { chooseOfRepository } from "@evenbench/cli/cases";
import { ARTIFACT_APP } from "@evenbench/core";
import { formatRatio } from "@evenbench/report/parts";
import type { LocalTarget } from "@evenbench/runner";
import { buildSlowed } from "./slowed.ts";

export interface AgainstOptions {
  readonly runs: number;
  /** In percent. */
  readonly slowdown: number;
  readonly only?: "same" | "slower";
  readonly case?: readonly string[];
  readonly target?: readonly string[];
  readonly build: boolean;
}

/**
 * What `evenbench against` says of a commit that changes nothing, and of one that makes every case slower.
 *
 * @param folder takes builds and runs.
 */
export async function against(options: AgainstOptions, folder: string): Promise<void> {
  const { runs, slowdown, only } = options;
  const usual = { app: [ARTIFACT_APP], suite: "published", where: "local", deployments: "" } as const;
  const chosen = await chooseOfRepository({ ...usual, ...options });
  const cases = chosen.cases[ARTIFACT_APP] ?? [];
  const local = chosen.targets.filter((target): target is LocalTarget => target.place === "local");
  const built = async (name: string, percent: number) => {
    const slowdowns = Object.fromEntries(cases.map(({ id }) => [id, percent / 100]));
    const all: LocalTarget[] = [];
    for (const target of local) {
      const deployable = await buildSlowed(slowdowns, join(folder, name, target.name), target.platform.id);
      all.push({ ...target, deployable });
    }
    return all;
  };
  const bases = await built("base", 0);
  const heads = new Map<string, readonly LocalTarget[]>();
  if (only !== "slower") heads.set("nothing changed", await built("same", 0));
  if (only !== "same") heads.set(`${slowdown} % slower`, await built("slower", slowdown));

  const found = new Map<string, readonly Finding[]>();
  for (let index = 0; index < runs; index++)
    for (const [head, slowed] of heads) {
      const pairs = bases.map((base, at) => {
        const { name, deployable } = slowed[at] as LocalTarget;
        return {
          name,
          base: { ...base, name: `${name}.base` },
          head: { ...base, name: `${name}.head`, deployable },
          cases,
        };
      });
      const startedAt = performance.now();
      const { findings, left, unfinished } = await measurePairs(pairs, {
        out: join(folder, "runs"),
        otherCaseIds: chosen.otherCaseIds,
        signal: new AbortController().signal,
      });
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
      const said = findings.map(
        ({ target, caseId, verdict, ratio }) => `${target} ${caseId} ${verdict} ${formatRatio(ratio)}`,
      );
      console.log([`${index + 1}/${runs} ${head}, ${seconds} s`, ...said, ...left, ...unfinished].join("; "));
      found.set(head, [...(found.get(head) ?? []), ...findings]);
    }

  for (const [head, findings] of found) {
    const groups = Map.groupBy(findings, ({ target, caseId }) => `${head}: ${target}, ${caseId}`);
    for (const [name, group] of groups) {
      console.log(`${name}, time: ${counted(group.map(({ verdict }) => verdict))}`);
      console.log(`${name}, CPU time: ${counted(group.map(({ cpuVerdict }) => cpuVerdict ?? "none"))}`);
    }
    console.log(`${head}: all, time: ${counted(findings.map(({ verdict }) => verdict))}`);
  }
}

function counted(verdicts: readonly string[]): string {
  const groups = Map.groupBy(verdicts, (verdict) => verdict);
  return [...groups].map(([verdict, all]) => `${verdict} ${all.length}`).join(", ");
}
