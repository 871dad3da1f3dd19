// What a caller with the token can ask of an instance at most: every parameter at its maximum, accounted by
// the operating system.
import type { CaseManifest, ParameterDeclarations } from "@evenbench/core";
import { accountant } from "@evenbench/host";
import { beforeAll, expect, test } from "vitest";
import { exchange } from "./exchange.ts";
import { discoverTargets, type ServedTarget, useTargets } from "./targets.ts";

const targets = (await discoverTargets()).filter(({ app }) => app === "bundle");
// Without its service a case does nothing.
const alone = targets.flatMap((target) => target.cases).filter(({ services }) => services.length === 0);
const cases = new Map(alone.map((one) => [one.id, one]));
const requests = [...cases.values()].flatMap((one) =>
  largest(one.parameters).map((query) => [`${one.path}${query}`, one] as const),
);

/** What the bounds of a case's parameters may let one request take on any platform. */
const MOST_CPU_MS = 10_000;

/**
 * A plain `/math` takes this much CPU time on the machine that `MOST_CPU_MS` was chosen on. Slower machines
 * get more, faster ones less.
 */
const MATH_THERE_MS = 340;

const served = useTargets(() => targets);
const boundMs = new Map<string, number>();
beforeAll(async () => {
  for (const target of served) {
    const mathMs = await cpuMsOf(target, "/math");
    boundMs.set(target.name, (mathMs * MOST_CPU_MS) / MATH_THERE_MS);
  }
});

test.runIf(process.platform === "linux").each(requests)(
  `%s takes less CPU time than ${Math.round(MOST_CPU_MS / MATH_THERE_MS)} requests for /math everywhere`,
  async (path, one: CaseManifest) => {
    for (const target of served) {
      if (!target.cases.some(({ id }) => id === one.id)) continue;
      expect(await cpuMsOf(target, path), target.name).toBeLessThan(boundMs.get(target.name) ?? 0);
    }
  },
);

async function cpuMsOf({ host }: ServedTarget, path: string): Promise<number> {
  const account = async () => (await accountant.read(host.pids()))?.cpuMs ?? Number.NaN;
  const before = await account();
  expect((await exchange(host.url, path)).status).toBeLessThan(300);
  return (await account()) - before;
}

/** All integers at their maximum, with each word of each choice. */
function largest(parameters: ParameterDeclarations): string[] {
  let queries = [""];
  for (const [name, parameter] of Object.entries(parameters)) {
    const values = parameter.type === "integer" ? [parameter.maximum] : parameter.choices;
    queries = queries.flatMap((query) =>
      values.map((value) => `${query}${query === "" ? "?" : "&"}${name}=${value}`),
    );
  }
  return queries;
}
