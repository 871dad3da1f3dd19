import {
  analyseFit,
  type CaseAnalysis,
  type CaseFit,
  fitCase,
  instancesOf,
  oneProcessTargets,
  openTargets,
  priorOfCases,
  trialsToNext,
  varianceOfRounds,
  warmInstances,
} from "@evenbench/stats";
import type { CaseState } from "./case-work.ts";
import { LEAST_ROUNDS, LEAST_TRIALS, optimalMeasureMs, roundsMs, trialMs } from "./plan.ts";
import { runTrial, type TrialTook } from "./trial.ts";
import type { CaseCost } from "./warm-up-needs.ts";

/** A case's own where one was asked for, else one for all. */
export interface TimeBudget {
  remainingMs: number;
}

/** Of the time that was meant for a trial: so much is left to it, however long those before it took. */
const KEPT_TRIAL_SHARE = 0.75;

export class CaseSchedule {
  readonly work: CaseState;
  readonly purse: TimeBudget;
  readonly least: number;
  readonly most: number;
  /** What it is to cost, before the first trial. */
  readonly planned: CaseCost;
  done = 0;
  tookMs = 0;
  last: TrialTook | null = null;
  /** By `performance.now()`; null while no trial is under way. */
  begunAt: number | null = null;
  isKnown = false;
  fit: CaseFit | null = null;
  #bestRoundsMs: number | null = null;
  readonly #play: typeof runTrial;

  constructor(work: CaseState, purse: TimeBudget, play = runTrial) {
    this.work = work;
    this.purse = purse;
    ({ minimum: this.least, maximum: this.most } = work.plan.trials);
    this.planned = work.cost();
    this.#play = play;
  }

  /** null where nobody asked for a time: then its warm-up takes what it takes. */
  get #budgetMs(): number | null {
    return this.work.plan.caseBudgetMs[this.work.manifest.id] ?? null;
  }

  /** What is decided rests, and costs no more time. */
  restrictTo(open: readonly string[]): void {
    if (open.length === 0) {
      this.isKnown = true;
    } else {
      this.work.open = open;
    }
  }

  get hasEnded(): boolean {
    return !this.work.mayGoOn || this.isKnown || this.done >= this.most;
  }

  get hasRoom(): boolean {
    return this.done < this.least || this.expectedMs <= this.purse.remainingMs;
  }

  get expectedMs(): number {
    return this.#expected(this.done, this.last === null ? this.work.cost().searchMs : 0);
  }

  get laterMs(): number {
    return this.#expected(Math.max(1, this.done), 0);
  }

  #expected(trial: number, searchMs: number): number {
    const { work, last } = this;
    const { roundsPerTrial } = work.plan;
    const cost = work.cost();
    const warmUpMs = last === null || cost.searchMs === 0 ? cost.warmUpMs : last.warmUpMs;
    const restMs = last === null ? roundsMs(cost, roundsPerTrial) : (this.#bestRoundsMs ?? last.restMs);
    const usualMs = (last ?? cost).startMs + warmUpMs + restMs + searchMs;
    const ms = roundsPerTrial === null ? Math.max(usualMs, this.#minTrialMs) : usualMs;
    if (trial >= this.least) {
      return ms;
    }
    // Trials that come in any case are cut to what they may take, but for their least rounds; a further one has to fit.
    const { startMs } = last ?? cost;
    const remainingMs = Math.max(0, this.#maxTrialMs(trial) - startMs);
    return Math.min(ms, startMs + Math.max(remainingMs, remainingMs / 2 + this.#minMeasureMs));
  }

  /** Time that was asked for is used: no trial ends before its equal share, were there as many as there can be. */
  get #minTrialMs(): number {
    const budgetMs = this.#budgetMs;
    return budgetMs === null ? 0 : (budgetMs - this.tookMs) / (this.most - this.done);
  }

  /** Infinity where nobody asked for a time. What trials before it took too long is not all taken from the last. */
  #maxTrialMs(trial: number): number {
    const { least, purse } = this;
    const budgetMs = this.#budgetMs;
    if (budgetMs === null) {
      return Number.POSITIVE_INFINITY;
    }
    if (trial >= least) {
      return purse.remainingMs;
    }
    const meantMs = this.#plannedTrialMs(budgetMs, trial);
    if (trial === 0 || trial > this.done) {
      return meantMs;
    }
    return Math.max((budgetMs - this.tookMs) / (least - trial), KEPT_TRIAL_SHARE * meantMs);
  }

  /** A first trial with a search may take half of all, where that leaves the others room to be warm. */
  #plannedTrialMs(budgetMs: number, trial: number): number {
    const { least, planned, work } = this;
    const othersMs = (least - 1) * trialMs(planned, work.plan.roundsPerTrial);
    const searchMs = planned.searchMs > 0 ? Math.min(budgetMs / 2, budgetMs - othersMs) : 0;
    const firstMs = Math.max(budgetMs / least, searchMs);
    return trial === 0 ? firstMs : (budgetMs - firstMs) / (least - 1);
  }

  get #minMeasureMs(): number {
    return roundsMs(this.work.cost(), this.work.plan.roundsPerTrial ?? LEAST_ROUNDS);
  }

  async measureTrial(): Promise<void> {
    this.begunAt = performance.now();
    this.last = await this.#play(this.work, {
      trial: this.done,
      endsAt: this.begunAt + this.#maxTrialMs(this.done),
      minMeasureMs: this.#minMeasureMs,
      leastUntil: this.begunAt + this.#minTrialMs,
      bestRoundsMs: this.#bestRoundsMs,
    });
    this.done += 1;
    const ms = performance.now() - this.begunAt;
    this.begunAt = null;
    this.tookMs += ms;
    this.purse.remainingMs -= ms;
    this.#refit(this.last);
  }

  /** At what its trials say so far, and how long the rounds of the next one are best. */
  #refit({ startMs, warmUpMs, restMs }: TrialTook): void {
    const { samples, manifest, baseline, measuredTargets, session, plan } = this.work;
    if (samples.length === 0) {
      return;
    }
    const names = measuredTargets.map(({ name }) => name);
    const lasting = oneProcessTargets(plan.targets, samples);
    this.fit = fitCase(samples, {
      caseId: manifest.id,
      metric: manifest.headline,
      baseline,
      copy: measuredTargets.find(({ copyOf }) => copyOf !== null)?.name ?? null,
      targets: names,
      scatter: manifest.scatter,
      warm: warmInstances(samples, session.recorder.record.warmUps, lasting).times,
      lasting,
    });
    const { freedom, variance: ofAll } = this.fit.fit;
    if (plan.roundsPerTrial !== null || manifest.rounds !== undefined || freedom === 0) {
      return;
    }
    const ofRounds = varianceOfRounds(instancesOf(samples, manifest.id, manifest.headline), names);
    if (ofRounds === null) {
      return;
    }
    this.#bestRoundsMs = optimalMeasureMs({
      instanceMs: startMs + warmUpMs,
      roundsMs: restMs,
      ofRounds,
      ofAll,
    });
  }
}

/**
 * What the machine does for some minutes reaches one or two trials of every case. Once each has its least,
 * time goes to what is open, and is nearest to a decision. @param precision ends a case instead of a decision.
 */
export async function measureRoundRobin(
  courses: readonly CaseSchedule[],
  precision: number | null,
  beforeTrial = async () => {},
  afterTurn = (_fits: readonly CaseFit[]) => {},
): Promise<void> {
  const canGoOn = (course: CaseSchedule) => !course.hasEnded && course.hasRoom;
  for (;;) {
    const due = courses.filter(canGoOn);
    if (due.length === 0) {
      break;
    }
    const areBeyondLeast = due.every(({ done, least }) => done >= least);
    for (const course of areBeyondLeast && precision === null ? nearestFirst(due) : due) {
      if (!canGoOn(course)) {
        continue;
      }
      await beforeTrial();
      await course.measureTrial();
    }
    endKnown(courses, precision);
    if (courses.some(canGoOn)) {
      afterTurn(courses.flatMap((course) => course.fit ?? []));
    }
  }
  for (const { work } of courses) {
    work.summarise();
  }
}

/** Without those that the time left cannot decide, unless there are no others. */
function nearestFirst(courses: readonly CaseSchedule[]): readonly CaseSchedule[] {
  const known = courses.flatMap((course) => (course.fit === null ? [] : [{ course, fit: course.fit }]));
  const trials = trialsToNext(known.map(({ fit }) => fit));
  const msToNext = new Map(
    known.map(({ course }, index) => [course, Math.ceil(trials[index] as number) * course.laterMs]),
  );
  const msOf = (course: CaseSchedule) => msToNext.get(course) ?? Number.POSITIVE_INFINITY;
  const inReach = courses.filter((course) => msOf(course) <= course.purse.remainingMs);
  const likely = inReach.some((course) => msOf(course) < Number.POSITIVE_INFINITY) ? inReach : courses;
  return likely.toSorted((a, b) => msOf(a) - msOf(b) || a.work.warmTrials - b.work.warmTrials);
}

function endKnown(courses: readonly CaseSchedule[], precision: number | null): void {
  const known = courses.flatMap((course) => {
    const { done, least, fit } = course;
    const isLookedAt = done >= LEAST_TRIALS && least < course.most;
    return isLookedAt && fit !== null ? [{ course, fit }] : [];
  });
  const open = openTargets(
    known.map(({ fit }) => fit),
    precision,
  );
  for (const [index, { course }] of known.entries()) {
    course.restrictTo(open[index] as readonly string[]);
  }
}

export function analysesOf(fits: readonly CaseFit[]): readonly CaseAnalysis[] {
  const prior = priorOfCases(fits);
  return fits.map((fit) => analyseFit(fit, prior));
}
