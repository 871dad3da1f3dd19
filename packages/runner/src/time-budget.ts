import { sum } from "@evenbench/stats";

/**
 * A trial keeps at least this share of its planned time, however much longer than planned the ones before it
 * took.
 */
const MIN_PLANNED_TRIAL_SHARE = 0.75;

/**
 * Largest share of the time left in a trial that its warm-up may use, where even the smallest number of rounds is
 * short.
 */
const MAX_WARM_UP_TIME_SHARE = 0.9;
/** Share of the time left in a trial that its warm-up may always use. */
const SURE_WARM_UP_TIME_SHARE = 0.5;

/**
 * Smallest part of their usual time for which rounds are measured. The usual time is about that with which rounds and
 * instances scatter alike (Kalibera & Jones): with half of it an interval is at most 1.22 times as wide, the root of
 * (1 + 2) / 2.
 */
const LEAST_PACE = 0.5;

/** Expected times of the trials that a case has in any case and has not had yet, in milliseconds. */
export interface TrialsToCome {
  /** Time of their measured rounds, where it is not short. */
  readonly roundsMs: number;
  /** Time of all else: starts, warm-up and searches. */
  readonly besideMs: number;
}

/**
 * Measuring time that is left, in milliseconds. The cases of a run share it; a case with a time of its own
 * has one for itself.
 */
export class SharedTime {
  /** Milliseconds that are left; below 0 once more was used. */
  remainingMs: number;
  readonly #sharing: { readonly toCome: TrialsToCome }[] = [];

  /** @param totalMs milliseconds; Infinity where nothing bounds the time. */
  constructor(totalMs: number) {
    this.remainingMs = totalMs;
  }

  /** Adds a case that shares this time. */
  add(sharing: { readonly toCome: TrialsToCome }): void {
    this.#sharing.push(sharing);
  }

  /**
   * The part of their usual time for which the rounds of first trials are measured, from `LEAST_PACE` to 1: what
   * starts and warm-up leave is divided among them. A slower machine so has fewer rounds, and not a longer run.
   */
  get pace(): number {
    const toCome = this.#sharing.map((sharing) => sharing.toCome);
    const leftMs = this.remainingMs - sum(toCome.map(({ besideMs }) => besideMs));
    const usualMs = sum(toCome.map(({ roundsMs }) => roundsMs));
    return usualMs === 0 ? 1 : Math.min(1, Math.max(LEAST_PACE, leftMs / usualMs));
  }
}

/** All that a case's time budget depends on. */
export interface TimeBudgetTerms {
  /**
   * Time limit of the case in milliseconds, starts and warm-up included; null where nobody asked for a time.
   */
  readonly limitMs: number | null;
  /** The time that trials beyond the minimum are taken from. */
  readonly shared: SharedTime;
  /** How many trials a case has at least, and at most. */
  readonly trials: { readonly minimum: number; readonly maximum: number };
  /** Expected time of one trial without a search, in milliseconds, as known before the first one. */
  readonly plannedTrialMs: number;
  /**
   * Expected additional time of the first trial's warm-up search, in milliseconds; 0 where none is needed.
   */
  readonly plannedSearchMs: number;
  /** True if the user fixed the number of rounds: trials then end by it, and fill no time. */
  readonly hasFixedRounds: boolean;
}

/** The times of one trial. Moments are those of `performance.now()`. */
export interface TrialBudget {
  /** Number of the trial, from 0. */
  readonly trial: number;
  /** Moment until which it measures at least. */
  readonly atLeastUntil: number;
  /** Moment at which it ends at the latest; Infinity where nobody asked for a time. */
  readonly atMostUntil: number;
  /**
   * Best duration of its measured rounds in milliseconds, by the variances so far; null while these are
   * unknown.
   */
  readonly measureMs: number | null;
  /** The part of that duration, or of the usual one, for which it measures: from `LEAST_PACE` to 1. */
  readonly pace: number;
  /** Expected duration of the smallest number of rounds that it may have, in milliseconds. */
  readonly minMeasureMs: number;
}

/** A trial's expected times, in milliseconds. */
export interface TrialEstimate {
  /** Time to start the instances. */
  readonly startMs: number;
  /** Time of the whole trial where nothing bounds it, `startMs` included. */
  readonly totalMs: number;
  /** Time of the smallest number of rounds that a trial may have. */
  readonly minMeasureMs: number;
}

/**
 * The time budget of a case: how long each of its trials may and must take. It is the one place that knows of
 * `--time` and `--total` while a run measures. Its rules:
 *
 * 1. Where nobody asked for a time, nothing bounds a trial but what it needs: the rounds of the first trials, up to
 *    the minimum number, are as many as fit into the shared time (`SharedTime.pace`).
 * 2. The first trials, up to the minimum number, have equal shares of the case's limit. One exception: a
 *    first trial that has to search for its warm-up may take half of the limit, if that leaves the others
 *    enough time to be warm.
 * 3. A trial after longer ones has an equal share of what they left, but never less than 75 % of its planned
 *    share.
 * 4. A further trial may take all that is left of the shared time.
 * 5. A limit is used up: no trial ends before it has used the time left, divided by the largest number of
 *    trials that may still come. A case that is decided ends all the same.
 */
export class TimeBudget {
  /** The time that trials beyond the minimum are taken from. */
  readonly shared: SharedTime;
  readonly #terms: TimeBudgetTerms;
  #trialsDone = 0;
  #spentMs = 0;
  #measureMs: number | null = null;

  constructor(terms: TimeBudgetTerms) {
    this.shared = terms.shared;
    this.#terms = terms;
  }

  /** Number of trials that have ended. */
  get trialsDone(): number {
    return this.#trialsDone;
  }

  /** Time of all trials that have ended, in milliseconds. */
  get spentMs(): number {
    return this.#spentMs;
  }

  /** Number of trials that the case has in any case. */
  get minTrials(): number {
    return this.#terms.trials.minimum;
  }

  /** Number of trials that the case has at most. */
  get maxTrials(): number {
    return this.#terms.trials.maximum;
  }

  /**
   * Gives the times of a trial that begins now.
   *
   * @param now the moment, by `performance.now()`.
   * @param minMeasureMs expected duration of the smallest number of rounds that it may have, in milliseconds.
   */
  forTrial(trial: number, now: number, minMeasureMs: number): TrialBudget {
    return {
      trial,
      atLeastUntil: now + this.#minTrialMs(),
      atMostUntil: now + this.#maxTrialMs(trial),
      measureMs: this.#measureMs,
      pace: this.paceOf(trial),
      minMeasureMs,
    };
  }

  /** Gives the part of its best duration for which a trial's rounds are measured: all of it where the user fixed one. */
  paceOf(trial: number): number {
    const { limitMs, hasFixedRounds, trials } = this.#terms;
    const isFixed = limitMs !== null || hasFixedRounds || trials.minimum === trials.maximum;
    return isFixed || trial >= trials.minimum ? 1 : this.shared.pace;
  }

  /** Takes the time of a trial that has ended from what is left. */
  endTrial(ms: number): void {
    this.#trialsDone += 1;
    this.#spentMs += ms;
    this.shared.remainingMs -= ms;
  }

  /** Sets how long the rounds of further trials are best measured, in milliseconds. */
  planMeasureMs(ms: number): void {
    this.#measureMs = ms;
  }

  /**
   * Estimates the milliseconds that a trial will take within its limits. The smallest number of rounds is measured
   * even beyond them, behind a warm-up that takes half of what is left (`SURE_WARM_UP_TIME_SHARE`).
   */
  expectedMs(trial: number, { startMs, totalMs, minMeasureMs }: TrialEstimate): number {
    const wantedMs = Math.max(totalMs, this.#minTrialMs());
    if (trial >= this.minTrials) {
      return wantedMs;
    }
    const allowedMs = Math.max(0, this.#maxTrialMs(trial) - startMs);
    const shortestMs = SURE_WARM_UP_TIME_SHARE * allowedMs + minMeasureMs;
    return Math.min(wantedMs, startMs + Math.max(allowedMs, shortestMs));
  }

  /** Tells whether a next trial of this length may begin: the minimum number of trials comes in any case. */
  hasRoomFor(expectedMs: number): boolean {
    return this.#trialsDone < this.minTrials || expectedMs <= this.shared.remainingMs;
  }

  /** Rule 5. */
  #minTrialMs(): number {
    const { limitMs, hasFixedRounds } = this.#terms;
    if (limitMs === null || hasFixedRounds) {
      return 0;
    }
    return (limitMs - this.#spentMs) / (this.maxTrials - this.#trialsDone);
  }

  /** Rules 1 to 4; Infinity where nobody asked for a time. */
  #maxTrialMs(trial: number): number {
    const { limitMs } = this.#terms;
    if (limitMs === null) {
      return Number.POSITIVE_INFINITY;
    }
    if (trial >= this.minTrials) {
      return this.shared.remainingMs;
    }
    const plannedMs = this.#plannedTrialMs(limitMs, trial);
    // Of a trial after the next one nobody knows yet what those before it take.
    if (trial === 0 || trial > this.#trialsDone) {
      return plannedMs;
    }
    const leftMs = (limitMs - this.#spentMs) / (this.minTrials - trial);
    return Math.max(leftMs, MIN_PLANNED_TRIAL_SHARE * plannedMs);
  }

  /** Rule 2. */
  #plannedTrialMs(limitMs: number, trial: number): number {
    const { plannedTrialMs, plannedSearchMs } = this.#terms;
    const othersMs = (this.minTrials - 1) * plannedTrialMs;
    const searchingMs = plannedSearchMs > 0 ? Math.min(limitMs / 2, limitMs - othersMs) : 0;
    const firstMs = Math.max(limitMs / this.minTrials, searchingMs);
    return trial === 0 ? firstMs : (limitMs - firstMs) / (this.minTrials - 1);
  }
}

/**
 * Gives the moment at which a trial's warm-up ends at the latest: it leaves the time of the smallest number of
 * rounds, but may have half of what is left in any case, and never more than 90 % of it. An instance that
 * replaces another is given a share of what is then left. Infinity where nothing bounds the trial.
 */
export function warmUpEnd(
  { atMostUntil, minMeasureMs }: Pick<TrialBudget, "atMostUntil" | "minMeasureMs">,
  now: number,
): number {
  const leftMs = atMostUntil - now;
  const besideRoundsMs = leftMs - minMeasureMs;
  const sureMs = SURE_WARM_UP_TIME_SHARE * leftMs;
  const maxMs = MAX_WARM_UP_TIME_SHARE * leftMs;
  return now + Math.min(maxMs, Math.max(sureMs, besideRoundsMs));
}

/**
 * Gives the moment at which a trial's measured rounds end: after their best duration, but not before the trial's
 * minimum and not after its maximum.
 *
 * @param usualMs their duration while the best one is unknown, in milliseconds.
 * @param now the moment at which the first of them begins.
 */
export function measureEnd(
  { atLeastUntil, atMostUntil, measureMs, pace }: TrialBudget,
  usualMs: number,
  now: number,
): number {
  const wantedMs = Math.max(pace * (measureMs ?? usualMs), atLeastUntil - now);
  return now + Math.max(0, Math.min(wantedMs, atMostUntil - now));
}
