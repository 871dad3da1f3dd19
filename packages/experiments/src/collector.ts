import { join } from "node:path";
import { messageOf } from "@evenbench/core";
import { EXCHANGE_TIMEOUT_MS } from "@evenbench/probe";
import { type ProfileTargetOptions, profileTarget } from "@evenbench/profile";
import { WarmUpNeeds } from "@evenbench/runner";
import { sum } from "@evenbench/stats";
import type { Bench, CollectorShares, ProfilePlan } from "./define.ts";

const START_MS = 1000;
const LEAST_SAMPLING_MS = 500;
/** Of what is left for a question: the first warm-up may have to find out what the others need. */
const WARM_UP_SHARE = 1 / 2;

/** Of the program's thread: the collector's helper threads are in no profile. */
export async function collectorShares(
  context: Bench,
  plans: readonly ProfilePlan[],
  timeMs: number,
): Promise<CollectorShares[]> {
  const count = sum(plans.map(({ profiles }) => profiles));
  const results: CollectorShares[] = [];
  for (const plan of plans) {
    const endsAt = performance.now() + (timeMs * plan.profiles) / count;
    const shares: number[] = [];
    const needs = new WarmUpNeeds();
    let why: string | null = null;
    try {
      for (let left = plan.profiles; left > 0 && !context.signal.aborted; left--) {
        context.progress(`profile of ${plan.caseId} on ${plan.target}`);
        const leftMs = endsAt - performance.now();
        const samplingMs = Math.max(LEAST_SAMPLING_MS, (leftMs / left - START_MS) / 2);
        const mostWarmUpMs = Math.max(LEAST_SAMPLING_MS, leftMs * WARM_UP_SHARE);
        shares.push(await profiledShare(context, plan, { timeMs: samplingMs, mostWarmUpMs, needs }));
      }
    } catch (error) {
      why = messageOf(error);
    }
    results.push({ ...plan, shares, why });
  }
  return results;
}

async function profiledShare(
  context: Bench,
  { target: name, caseId, v8Flags = [] }: ProfilePlan,
  time: Pick<ProfileTargetOptions, "timeMs" | "mostWarmUpMs" | "needs">,
): Promise<number> {
  const target = context.targetOf({ name, target: name });
  const manifest = (await target.app.cases()).find(({ id }) => id === caseId);
  if (manifest === undefined) throw new Error(`${name} serves no case "${caseId}".`);
  const { folder, signal } = context;
  const place = { logFolder: join(folder, "logs"), cores: null, workers: 1 };
  const session = {
    ...{ signal, recorder: { event() {} } },
    instanceSettings: { ...place, exchangeTimeoutMs: EXCHANGE_TIMEOUT_MS, signal },
  };
  const { identity, collectorShare } = await profileTarget(session, target, manifest, {
    ...{ ...time, v8Flags },
  });
  context.identities.push(identity);
  return collectorShare;
}
