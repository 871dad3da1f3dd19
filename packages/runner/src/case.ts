import { analyseCase, isPreciseEnough } from "@evenbench/stats";
import type { CaseWork } from "./case-work.ts";
import { runGeneration } from "./generation.ts";
import { isLook } from "./plan.ts";

/**
 * Measures one case: generation after generation of fresh instances, each with an equal share of what is left of the
 * case's time, until all are done, a look finds it precise enough, or it cannot go on.
 */
export async function runCase(work: CaseWork, budgetMs: number, precision: number): Promise<void> {
  const { session } = work;
  const caseEndsAt = performance.now() + budgetMs;
  for (let generation = 0; generation < work.generations; generation++) {
    const shareMs = Math.max(0, caseEndsAt - performance.now()) / (work.generations - generation);
    await runGeneration(work, { generation, endsAt: performance.now() + shareMs });
    if (session.signal.aborted || work.failure !== null) break;
    if (isLook(generation + 1) && isKnown(work, precision)) break;
  }
  work.summarise();
}

/** Whether the case is known to the precision asked for, in the metric that is its headline. */
function isKnown({ samples, manifest, baseline, contenders, session }: CaseWork, precision: number): boolean {
  if (samples === null) return false;
  const analysis = analyseCase(samples, {
    caseId: manifest.id,
    metric: manifest.headline,
    baseline,
    twin: contenders.find(({ twinOf }) => twinOf !== null)?.name ?? null,
    targets: contenders.map(({ name }) => name),
    precision,
    seed: session.seed,
  });
  return isPreciseEnough(analysis, precision);
}
