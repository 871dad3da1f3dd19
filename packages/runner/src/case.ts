import { analyseCase, isPreciseEnough, warmInstances } from "@evenbench/stats";
import type { CaseWork } from "./case-work.ts";
import { hasRoomForAnother, isInterimAnalysis } from "./plan.ts";
import { runTrial } from "./trial.ts";

/** The time of one case, in milliseconds. */
export interface CaseTime {
  /** What was asked for: it is divided over the trials, and filled. null: a trial takes what it takes to be warm, and to measure as usual. */
  readonly budgetMs: number | null;
  /** No further trial begins that would end later than this; three are measured in any case. */
  readonly mostMs: number;
}

/**
 * Measures one case: trial after trial, until all are done, an interim analysis finds it precise enough, its time
 * has no room for another warm one, or it cannot go on.
 */
export async function runCase(
  work: CaseWork,
  { budgetMs, mostMs }: CaseTime,
  precision: number,
): Promise<void> {
  const { session } = work;
  const begunAt = performance.now();
  const caseEndsAt = budgetMs === null ? Number.POSITIVE_INFINITY : begunAt + budgetMs;
  for (let trial = 0; trial < work.trials; trial++) {
    const trialBegunAt = performance.now();
    await runTrial(work, { trial, left: work.trials - trial, caseEndsAt });
    if (session.signal.aborted || work.failure !== null) break;
    if (isInterimAnalysis(trial + 1) && isKnown(work, precision)) break;
    if (work.rounds !== null) continue;
    const now = performance.now();
    const warmUpMs = work.warmUps.expectedMs(work.subjects);
    // A time that was asked for is filled: only the warm-up of another trial must find room in it.
    const nextMs = budgetMs === null ? now - trialBegunAt : warmUpMs;
    if (!hasRoomForAnother(trial + 1, { tookMs: now - begunAt, nextMs, mostMs })) break;
  }
  work.summarise();
}

/** Whether the case is known to the precision asked for, in the metric that is its headline. */
function isKnown(work: CaseWork, precision: number): boolean {
  const { samples, manifest, baseline, subjects, session } = work;
  if (samples === null) return false;
  const analysis = analyseCase(samples, {
    caseId: manifest.id,
    metric: manifest.headline,
    baseline,
    copy: subjects.find(({ copyOf }) => copyOf !== null)?.name ?? null,
    targets: subjects.map(({ name }) => name),
    precision,
    warm: warmInstances(samples, session.recorder.record.warmUps),
    seed: session.seed,
  });
  return isPreciseEnough(analysis, precision);
}
