import { join } from "node:path";
import { profileTarget } from "@evenbench/profile";
import type { MeasureContext } from "./define.ts";

/** A start of a target that is to be profiled. */
export interface CollectorQuestion {
  readonly target: string;
  readonly caseId: string;
  readonly v8Flags?: readonly string[];
  /** Fresh instances, each with a profile of its own. */
  readonly profiles: number;
}

/** The collector's share of each profile's busy samples, or why there are fewer than asked for. */
export interface CollectorShares extends CollectorQuestion {
  readonly shares: readonly number[];
  readonly why: string | null;
}

/** Of one profile, beside its samples: the instance's start, and its warm-up, which is as long as the sampling. */
const START_MS = 1000;
const LEAST_SAMPLING_MS = 500;

/**
 * Takes CPU profiles of fresh instances and reads the collector's share from each: the part of the program's thread that went to
 * the garbage collector. Its helper threads are in no profile.
 *
 * @param timeMs for all questions together, shared equally; what cannot be profiled is told and the others go on.
 */
export async function collectorShares(
  context: MeasureContext,
  questions: readonly CollectorQuestion[],
  timeMs: number,
): Promise<CollectorShares[]> {
  const count = questions.reduce((sum, { profiles }) => sum + profiles, 0);
  const samplingMs = Math.max(LEAST_SAMPLING_MS, (timeMs / count - START_MS) / 2);
  const results: CollectorShares[] = [];
  for (const question of questions) {
    const shares: number[] = [];
    let why: string | null = null;
    for (let index = 0; index < question.profiles && why === null && !context.signal.aborted; index++) {
      context.progress(`profile of ${question.caseId} on ${question.target}`);
      try {
        shares.push(await profiledShare(context, question, samplingMs));
      } catch (error) {
        why = error instanceof Error ? error.message : String(error);
      }
    }
    results.push({ ...question, shares, why });
  }
  return results;
}

async function profiledShare(
  context: MeasureContext,
  { target: name, caseId, v8Flags = [] }: CollectorQuestion,
  timeMs: number,
): Promise<number> {
  const target = context.target(name);
  const manifest = (await target.app.cases()).find(({ id }) => id === caseId);
  if (manifest === undefined) throw new Error(`${name} serves no case "${caseId}".`);
  const { identity, collectorShare } = await profileTarget(target, manifest, {
    timeMs,
    logFolder: join(context.folder, "logs"),
    cores: context.cores.split?.servers ?? null,
    v8Flags,
    signal: context.signal,
  });
  context.noteIdentity(identity);
  return collectorShare;
}
