import type { CaseManifest } from "@evenbench/core";
import { preflight } from "@evenbench/probe/preflight";
import { startTargets } from "@evenbench/runner";
import type { Pair } from "./pairs.ts";

export interface Comparable {
  readonly cases: readonly CaseManifest[];
  readonly left: readonly string[];
}

/**
 * Asks both states of a target for all cases: one that sends another body than before is other work, and no
 * change of speed.
 */
export async function comparableCases(
  { base, head, cases, name }: Pair,
  { allow, otherIds, signal }: { allow: readonly string[]; otherIds: readonly string[]; signal: AbortSignal },
): Promise<Comparable> {
  const services = cases.flatMap((one) => one.services);
  const served = await startTargets([base, head], { services });
  try {
    const { problems } = await preflight({
      targets: served.targets().map(({ name: state, url }) => ({ name: state, url })),
      // Held against one another: what the working copy sends is its own affair.
      cases: cases.map((one) => ({ ...one, golden: null })),
      otherCaseIds: otherIds,
      allow,
      signal,
    });
    const of = (id: string) => problems.find(({ caseId }) => caseId === id);
    return {
      cases: cases.filter(({ id }) => of(id) === undefined),
      left: cases.flatMap(({ id }) => {
        const problem = of(id);
        return problem === undefined ? [] : [`${id} on ${name} is not compared: ${problem.what}`];
      }),
    };
  } finally {
    await served.stop();
  }
}
