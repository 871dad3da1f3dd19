import { isPreciseEnough } from "@evenbench/stats";
import type { CaseWork } from "./case-work.ts";
import { runGeneration } from "./generation.ts";
import { isLook, WARMUP_SHARE } from "./plan.ts";

/**
 * Measures one case: generation after generation of fresh instances, each with an equal share of what is left of the
 * case's time, until all are done, a look finds it precise enough, or it cannot go on.
 */
export async function runCase(work: CaseWork, budgetMs: number, precision: number): Promise<void> {
  const { session } = work;
  const caseEndsAt = performance.now() + budgetMs;
  for (let generation = 0; generation < work.generations; generation++) {
    const shareMs = Math.max(0, caseEndsAt - performance.now()) / (work.generations - generation);
    const endsAt = performance.now() + shareMs;
    await runGeneration(work, { generation, warmupMs: shareMs * WARMUP_SHARE, endsAt });
    if (session.signal.aborted || work.failure !== null) break;
    if (work.samples !== null && isLook(generation + 1) && isPreciseEnough(work.samples, precision)) break;
  }
  work.summarise();
}
