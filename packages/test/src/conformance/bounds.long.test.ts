// What a caller with the token can ask of an instance at most: every parameter at its maximum, by the system's account.
import type { ParameterDeclarations } from "@evenbench/core";
import { accountant } from "@evenbench/host";
import { expect, test } from "vitest";
import { type ExchangeOptions, exchange, requestOf } from "./exchange.ts";
import { discoverTargets, type ServedTarget, useTargets } from "./targets.ts";

const targets = (await discoverTargets()).filter(({ app }) => app === "bundle");
// Without its service a case does nothing.
const cases = (targets[0]?.cases ?? []).filter(({ services }) => services.length === 0);
const requests = cases.flatMap((manifest) =>
  largest(manifest.parameters).map((query) => [manifest.path + query, requestOf(manifest)] as const),
);

/** CPU time that one request may take on any platform, as a multiple of `/math`: ten seconds where that takes a tenth of one. */
const MOST_OF_MATH = 100;

const served = useTargets(() => targets);
const boundMs = new Map<string, number>();

test.runIf(process.platform === "linux").each(requests)(
  `%s takes less CPU time than ${MOST_OF_MATH} requests for /math everywhere`,
  async (path, request) => {
    for (const target of served) {
      const bound = boundMs.get(target.name) ?? MOST_OF_MATH * (await cpuMsOf(target, "/math"));
      boundMs.set(target.name, bound);
      expect(await cpuMsOf(target, path, request), target.name).toBeLessThan(bound);
    }
  },
);

async function cpuMsOf({ host }: ServedTarget, path: string, request: ExchangeOptions = {}): Promise<number> {
  const account = async () => (await accountant.read(host.pids()))?.cpuMs ?? Number.NaN;
  const before = await account();
  expect((await exchange(host.url, path, request)).status).toBeLessThan(300);
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
