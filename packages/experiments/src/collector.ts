import { join } from "node:path";
import { messageOf } from "@evenbench/core";
import { type ProfileTargetOptions, profileTarget } from "@evenbench/profile";
import { describeMachine, rememberNeeds, WarmUpStore } from "@evenbench/runner/engine";
import type { MeasureContext } from "./define.ts";

export interface CollectorQuestion {
  readonly target: string;
  readonly caseId: string;
  readonly v8Flags?: readonly string[];
  readonly profiles: number;
}

/** The collector's share of each profile's busy samples, or why there are fewer than asked for. */
export interface CollectorShares extends CollectorQuestion {
  readonly shares: readonly number[];
  readonly why: string | null;
}

const START_MS = 1000;
const LEAST_SAMPLING_MS = 500;
/** Of what is left for a question: the first warm-up may have to find out what the others need. */
const WARM_UP_SHARE = 1 / 2;

/** Of the program's thread: the collector's helper threads are in no profile. */
export async function collectorShares(
  context: MeasureContext,
  questions: readonly CollectorQuestion[],
): Promise<CollectorShares[]> {
  const count = questions.reduce((sum, { profiles }) => sum + profiles, 0);
  const results: CollectorShares[] = [];
  for (const question of questions) {
    const endsAt = performance.now() + (context.timeMs * question.profiles) / count;
    const shares: number[] = [];
    let why: string | null = null;
    for (let left = question.profiles; left > 0 && why === null && !context.signal.aborted; left--) {
      context.progress(`profile of ${question.caseId} on ${question.target}`);
      const leftMs = endsAt - performance.now();
      const time = {
        timeMs: Math.max(LEAST_SAMPLING_MS, (leftMs / left - START_MS) / 2),
        mostWarmUpMs: Math.max(LEAST_SAMPLING_MS, leftMs * WARM_UP_SHARE),
      };
      await profiledShare(context, question, time).then(
        (share) => shares.push(share),
        (error: unknown) => {
          why = messageOf(error);
        },
      );
    }
    results.push({ ...question, shares, why });
  }
  return results;
}

async function profiledShare(
  context: MeasureContext,
  { target: name, caseId, v8Flags = [] }: CollectorQuestion,
  time: Pick<ProfileTargetOptions, "timeMs" | "mostWarmUpMs">,
): Promise<number> {
  const target = context.targetOf({ name, target: name });
  const manifest = (await target.app.cases()).find(({ id }) => id === caseId);
  if (manifest === undefined) throw new Error(`${name} serves no case "${caseId}".`);
  const { identity, collectorShare } = await profileTarget(target, manifest, {
    ...time,
    logFolder: join(context.folder, "logs"),
    cores: null,
    v8Flags,
    needsOf: (target) => rememberNeeds(new WarmUpStore(context.warmUpFile), describeMachine(null), [target]),
    signal: context.signal,
  });
  context.identities.push(identity);
  return collectorShare;
}
