import { join } from "node:path";
import { messageOf } from "@evenbench/core";
import { EXCHANGE_TIMEOUT_MS } from "@evenbench/probe";
import { profileTarget } from "@evenbench/profile";
import { WarmUpNeeds } from "@evenbench/runner";
import type { MeasureContext } from "./define.ts";

const START_MS = 1000;
const LEAST_SAMPLING_MS = 500;
/** Of what is left for a target: the first warm-up may have to find out what the others need. */
const WARM_UP_SHARE = 1 / 2;

/** What fresh instances of a target are profiled while they answer. */
export interface Profiled {
  readonly target: string;
  readonly caseId: string;
}

/** The collector's share of each profile's busy samples, or why there are fewer than asked for. */
export interface CollectorShares extends Profiled {
  readonly shares: readonly number[];
  readonly why: string | null;
}

/** Of the program's thread: the collector's helper threads are in no profile. */
export async function collectorShares(
  { folder, signal, timeMs, identities, targetOf, progress }: MeasureContext,
  all: readonly Profiled[],
  profiles: number,
): Promise<readonly CollectorShares[]> {
  const place = { logFolder: join(folder, "logs"), cores: null, workers: 1 };
  const instanceSettings = { ...place, exchangeTimeoutMs: EXCHANGE_TIMEOUT_MS, signal };
  const session = { signal, recorder: { event() {} }, instanceSettings };
  const results: CollectorShares[] = [];
  for (const { target: name, caseId } of all) {
    const endsAt = performance.now() + timeMs / all.length;
    const shares: number[] = [];
    const needs = new WarmUpNeeds();
    let why: string | null = null;
    try {
      const target = targetOf({ name, target: name });
      const manifest = (await target.app.cases()).find(({ id }) => id === caseId);
      if (manifest === undefined) throw new Error(`${name} serves no case "${caseId}".`);
      for (let left = profiles; left > 0 && !signal.aborted; left--) {
        progress(`profile of ${caseId} on ${name}`);
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
    results.push({ target: name, caseId, shares, why });
  }
  return results;
}
