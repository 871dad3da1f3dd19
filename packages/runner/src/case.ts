import { analyseFit, type CaseFit, fitCase, isPreciseEnough, warmInstances } from "@evenbench/stats";
import type { CaseWork } from "./case-work.ts";
import { hasRoomForAnother, isInterimAnalysis } from "./plan.ts";
import { runTrial } from "./trial.ts";

/** At which a case with a time of its own ends, where none was asked for. */
const USUAL_PRECISION = 0.02;

/**
 * One case on its way: trial after trial, until all are done, an interim analysis finds it precise enough, or
 * it cannot go on.
 */
export class CaseCourse {
  readonly work: CaseWork;
  #done = 0;
  #lastTrialMs = 0;
  #isKnown = false;

  constructor(work: CaseWork) {
    this.work = work;
  }

  /** Trials that were measured. */
  get done(): number {
    return this.#done;
  }

  /** Those of them in which every instance was warm. */
  get warm(): number {
    return this.work.warmTrials;
  }

  /** What the last trial took, in milliseconds. */
  get lastTrialMs(): number {
    return this.#lastTrialMs;
  }

  /**
   * What is still to come of the trials that are measured in any case, in milliseconds.
   *
   * @param least so many trials.
   * @param expectedMs of a trial, before there was one.
   */
  leastLeftMs(least: number, expectedMs: number): number {
    const left = this.hasEnded ? 0 : Math.max(0, least - this.#done);
    return left * (this.#done > 0 ? this.#lastTrialMs : expectedMs);
  }

  /** What its trials say so far, in its headline's metric; null where samples are not kept. */
  fit(): CaseFit | null {
    const { samples, manifest, baseline, subjects, session } = this.work;
    if (samples === null) return null;
    return fitCase(samples, {
      caseId: manifest.id,
      metric: manifest.headline,
      baseline,
      copy: subjects.find(({ copyOf }) => copyOf !== null)?.name ?? null,
      targets: subjects.map(({ name }) => name),
      warm: warmInstances(samples, session.recorder.record.warmUps).times,
    });
  }

  /** It needs no more trials. */
  end(): void {
    this.#isKnown = true;
  }

  get hasEnded(): boolean {
    const { session, failure, trials } = this.work;
    return session.signal.aborted || failure !== null || this.#isKnown || this.#done >= trials;
  }

  /**
   * @param caseEndsAt when the case's time is over, as `performance.now()` has it; default: nobody asked for
   *   a time.
   */
  async measureTrial(caseEndsAt = Number.POSITIVE_INFINITY): Promise<void> {
    const begunAt = performance.now();
    const { work } = this;
    await runTrial(work, { trial: this.#done, left: work.trials - this.#done, caseEndsAt });
    this.#done += 1;
    this.#lastTrialMs = performance.now() - begunAt;
  }
}

/**
 * Measures one case in a time that was asked for. It is divided over the trials and filled; no further trial
 * begins that could not be warm by its end, but three are measured in any case.
 */
export async function runCase(work: CaseWork, budgetMs: number, precision: number | null): Promise<void> {
  const begunAt = performance.now();
  const course = new CaseCourse(work);
  while (!course.hasEnded) {
    await course.measureTrial(begunAt + budgetMs);
    const fit = !course.hasEnded && isInterimAnalysis(course.done) ? course.fit() : null;
    if (fit !== null && isPreciseEnough(analyseFit(fit), precision ?? USUAL_PRECISION)) course.end();
    const tookMs = performance.now() - begunAt;
    const nextMs = work.warmUps.expectedMs(work.subjects);
    if (work.rounds === null && !hasRoomForAnother(course.done, { tookMs, nextMs, mostMs: budgetMs })) break;
  }
  work.summarise();
}
