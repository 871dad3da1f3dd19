import { join } from "node:path";
import { type Finding, measurePairs } from "@evenbench/cli/against";
import { chooseOfRepository } from "@evenbench/cli/selection";
import { ARTIFACT_APP } from "@evenbench/core";
import { formatRatio } from "@evenbench/page";
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
  const built = async (state: "base" | "head", percent: number) => {
    const ids = cases.map(({ id }) => id);
    const all: LocalTarget[] = [];
    for (const target of local) {
      const place = join(folder, `${state}-${percent}`, target.name);
      const deployable = await buildSlowed(ids, percent / 100, place, target.platform.id);
      all.push({ ...target, name: `${target.name}.${state}`, deployable });
    }
    return all;
  };
  const bases = await built("base", 0);
  const heads = new Map<string, readonly LocalTarget[]>();
  if (only !== "slower") {
    heads.set("nothing changed", await built("head", 0));
  }
  if (only !== "same") {
    heads.set(`${slowdown} % slower`, await built("head", slowdown));
  }

  const found: (Finding & { readonly head: string })[] = [];
  for (let index = 0; index < runs; index++) {
    for (const [head, targets] of heads) {
      const pairs = local.map(({ name }, at) => {
        const [base, other] = [bases[at], targets[at]] as [LocalTarget, LocalTarget];
        return { name, base, head: other, cases };
      });
      const startedAt = performance.now();
      const {
        findings,
        casesOfOneState: oneSided,
        unfinished,
      } = await measurePairs(pairs, {
        out: join(folder, "runs"),
        otherCaseIds: chosen.otherCaseIds,
        signal: new AbortController().signal,
      });
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
      const verdicts = findings.map(
        ({ target, caseId, verdict, ratio }) => `${target} ${caseId} ${verdict} ${formatRatio(ratio)}`,
      );
      console.log(
        [`${index + 1}/${runs} ${head}, ${seconds} s`, ...verdicts, ...oneSided, ...unfinished].join("; "),
      );
      found.push(...findings.map((finding) => ({ ...finding, head })));
    }
  }

  const groups = [
    ...Map.groupBy(found, ({ head, target, caseId }) => `${head}: ${target}, ${caseId}`),
    ...Map.groupBy(found, ({ head }) => `${head}: all`),
  ];
  for (const [name, all] of groups) {
    console.log(`${name}, time: ${counted(all.map(({ verdict }) => verdict))}`);
    console.log(`${name}, CPU time: ${counted(all.map(({ cpuVerdict }) => cpuVerdict ?? "none"))}`);
  }
}

function counted(verdicts: readonly string[]): string {
  const groups = Map.groupBy(verdicts, (verdict) => verdict);
  return [...groups].map(([verdict, all]) => `${verdict} ${all.length}`).join(", ");
}
