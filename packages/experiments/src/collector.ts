import { join } from "node:path";
import { messageOf } from "@evenbench/core";
import { EXCHANGE_TIMEOUT_MS } from "@evenbench/probe";
import { profileTarget } from "@evenbench/profile";
import { WarmUpNeeds } from "@evenbench/runner";
import { sum } from "@evenbench/stats";
import type { Bench, CollectorShares, ProfilePlan } from "./define.ts";

const START_MS = 1000;
const LEAST_SAMPLING_MS = 500;
/** Of what is left for a question: the first warm-up may have to find out what the others need. */
const WARM_UP_SHARE = 1 / 2;

/** Of the program's thread: the collector's helper threads are in no profile. */
export async function collectorShares(
  bench: Bench,
  plans: readonly ProfilePlan[],
  timeMs: number,
): Promise<CollectorShares[]> {
  const { folder, signal, identities } = bench;
  const count = sum(plans.map(({ profiles }) => profiles));
  const place = { logFolder: join(folder, "logs"), cores: null, workers: 1 };
  const instanceSettings = { ...place, exchangeTimeoutMs: EXCHANGE_TIMEOUT_MS, signal };
  const session = { signal, recorder: { event() {} }, instanceSettings };
  const results: CollectorShares[] = [];
  for (const plan of plans) {
    const { target: name, caseId, profiles } = plan;
    const endsAt = performance.now() + (timeMs * profiles) / count;
    const shares: number[] = [];
    const needs = new WarmUpNeeds();
    let why: string | null = null;
    try {
      const target = bench.targetOf({ name, target: name });
      const manifest = (await target.app.cases()).find(({ id }) => id === caseId);
      if (manifest === undefined) throw new Error(`${name} serves no case "${caseId}".`);
      for (let left = profiles; left > 0 && !signal.aborted; left--) {
        bench.progress(`profile of ${caseId} on ${name}`);
        const leftMs = endsAt - performance.now();
        const { identity, collectorShare } = await profileTarget(session, target, manifest, {
          timeMs: Math.max(LEAST_SAMPLING_MS, (leftMs / left - START_MS) / 2),
          mostWarmUpMs: Math.max(LEAST_SAMPLING_MS, leftMs * WARM_UP_SHARE),
          needs,
        });
        identities.push(identity);
        shares.push(collectorShare);
      }
    } catch (error) {
      why = messageOf(error);
    }
    results.push({ ...plan, shares, why });
  }
  return results;
}
