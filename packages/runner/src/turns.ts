import {
  analyseFit,
  answeredByCpuTime,
  type CaseAnalysis,
  type CaseFit,
  countControls,
  openTargets,
  priorOfCases,
  trialsToNext,
} from "@evenbench/stats";
import { bestMeasureMs, fitMeasuredCase, type TrialTook } from "./case-fit.ts";
import type { CaseState } from "./case-state.ts";
import type { MeasuredCase } from "./measured-case.ts";
import type { RunOptions } from "./options.ts";
import { MIN_TRIALS } from "./plan.ts";
import type { SharedTime, TimeBudget, TrialBudget, TrialsToCome } from "./time-budget.ts";
import { MIN_ROUNDS, roundsMs } from "./trial-time.ts";

/** The part of a case that a schedule needs. */
export type ScheduledCase = Pick<
  CaseState,
  "mayGoOn" | "warmTrials" | "cost" | "measured" | "restrictTo" | "summarise"
>;

/** The trials of one case: which are done, what the next one takes, and whether there is one. */
export class CaseSchedule {
  readonly budget: TimeBudget;
  readonly #state: ScheduledCase;
  readonly #playTrial: (budget: TrialBudget) => Promise<TrialTook>;
  readonly #roundsPerTrial: number | null;
  #last: TrialTook | null = null;
  #begunAt: number | null = null;
  #isKnown = false;
  #fit: CaseFit | null = null;
  #bestMeasureMs: number | null = null;

  /**
   * @param roundsPerTrial the number that the user fixed; null where the time decides.
   * @param playTrial measures one trial within its budget.
   */
  constructor(
    state: ScheduledCase,
    budget: TimeBudget,
    roundsPerTrial: number | null,
    playTrial: (budget: TrialBudget) => Promise<TrialTook>,
  ) {
    this.budget = budget;
    this.#state = state;
    this.#roundsPerTrial = roundsPerTrial;
    this.#playTrial = playTrial;
    budget.shared.add(this);
  }

  /** What the trials take that come in any case. */
  get toCome(): TrialsToCome {
    const trials = this.hasEnded ? 0 : Math.max(0, this.minTrials - this.trialsDone);
    const { searchMs } = this.#state.cost();
    const { instanceMs, roundsMs } = this.#trialTimes;
    return { roundsMs: trials * roundsMs, besideMs: trials * instanceMs + (trials > 0 ? searchMs : 0) };
  }

  /** The time that further trials are taken from: one object for all cases that share it. */
  get shared(): SharedTime {
    return this.budget.shared;
  }

  /** Number of trials that have ended. */
  get trialsDone(): number {
    return this.budget.trialsDone;
  }

  /** Number of trials that come in any case. */
  get minTrials(): number {
    return this.budget.minTrials;
  }

  /** Number of trials after which none comes any more. */
  get maxTrials(): number {
    return this.budget.maxTrials;
  }

  /** The moment at which the present trial began, by `performance.now()`; null between trials. */
  get begunAt(): number | null {
    return this.#begunAt;
  }

  /** The fit of what was measured so far; null before the first trial's end, or without samples. */
  get fit(): CaseFit | null {
    return this.#fit;
  }

  get warmTrials(): number {
    return this.#state.warmTrials;
  }

  /** All that was measured of the case so far. */
  get measured(): MeasuredCase {
    return this.#state.measured();
  }

  /** True if no trial comes any more. */
  get hasEnded(): boolean {
    return !this.#state.mayGoOn || this.#isKnown || this.trialsDone >= this.maxTrials;
  }

  /** True if the next trial fits into the time. */
  get hasRoom(): boolean {
    return this.budget.hasRoomFor(this.expectedMs);
  }

  /** Expected time of the present trial, or else of the next one, in milliseconds. */
  get expectedMs(): number {
    return this.#expectedMs(this.trialsDone, this.#last === null ? this.#state.cost().searchMs : 0);
  }

  /** Expected time of each trial after that, in milliseconds. */
  get laterMs(): number {
    return this.#expectedMs(Math.max(1, this.trialsDone), 0);
  }

  /** How many more trials there is time for, if it all went to this case. */
  get trialsLeft(): number {
    const inTime = Math.floor(this.shared.remainingMs / this.laterMs);
    return Math.max(0, Math.min(this.maxTrials - this.trialsDone, inTime));
  }

  /** Restricts further trials to the undecided targets, and ends the case if there are none. */
  restrictTo(undecided: readonly string[]): void {
    if (undecided.length === 0) {
      this.#isKnown = true;
    } else {
      this.#state.restrictTo(undecided);
    }
  }

  /** Measures the next trial, and fits the case anew. */
  async measureTrial(): Promise<void> {
    const begunAt = performance.now();
    this.#begunAt = begunAt;
    const budget = this.budget.forTrial(this.trialsDone, begunAt, this.#minMeasureMs);
    const took = await this.#playTrial(budget);
    this.#last = took;
    this.budget.endTrial(performance.now() - begunAt);
    this.#begunAt = null;
    this.#refit(took);
  }

  summarise(): void {
    this.#state.summarise();
  }

  #expectedMs(trial: number, searchMs: number): number {
    const { startMs, instanceMs, roundsMs } = this.#trialTimes;
    const measureMs = Math.max(this.#minMeasureMs, this.budget.paceOf(trial) * roundsMs);
    return this.budget.expectedMs(trial, {
      startMs,
      totalMs: instanceMs + measureMs + searchMs,
      minMeasureMs: this.#minMeasureMs,
    });
  }

  /** Expected times of the next trial without a search, in milliseconds. `instanceMs` contains `startMs`. */
  get #trialTimes() {
    const last = this.#last;
    const cost = this.#state.cost();
    const warmUpMs = last === null || cost.searchMs === 0 ? cost.warmUpMs : last.warmUpMs;
    const { startMs } = last ?? cost;
    const overMs = last?.overMs ?? cost.roundMs;
    const usualMs = roundsMs(cost, this.#roundsPerTrial);
    return { startMs, instanceMs: startMs + warmUpMs + overMs, roundsMs: this.#bestMeasureMs ?? usualMs };
  }

  get #minMeasureMs(): number {
    return roundsMs(this.#state.cost(), this.#roundsPerTrial ?? MIN_ROUNDS);
  }

  /** Fits the case with all its samples, and chooses how long the next trial measures. */
  #refit(took: TrialTook): void {
    const measured = this.#state.measured();
    const fit = fitMeasuredCase(measured);
    if (fit === null) {
      return;
    }
    this.#fit = fit;
    const bestMs = bestMeasureMs(measured, fit, took);
    if (bestMs !== null) {
      this.#bestMeasureMs = bestMs;
      this.budget.planMeasureMs(bestMs);
    }
  }
}

/** When cases end, and what is done between their trials. */
export interface RotationOptions {
  /**
   * Relative half-width of an interval at which a case ends, as a fraction. Default, and with null: it ends when
   * it is decided.
   */
  readonly precision?: number | null | undefined;
  /** Overrides `precision`: see `RunOptions`. */
  readonly openTargets?: RunOptions["openTargets"] | undefined;
  /** Default: true. See `RunOptions`. */
  readonly endsOnCpuTime?: boolean | undefined;
  /** Runs before each trial. */
  beforeTrial?(): Promise<void>;
  /** Runs after each turn but the last, with the fits of all cases that have one. */
  afterTurn?(fits: readonly CaseFit[]): void;
}

/**
 * Measures the trials of all cases in rotation, so that a slow spell of the machine hits one or two trials of
 * every case, and not all trials of one. Once each has its minimum number, the case whose next comparison is
 * nearest to a verdict goes first.
 */
export async function measureRoundRobin(
  schedules: readonly CaseSchedule[],
  options: RotationOptions = {},
): Promise<void> {
  const { precision = null, beforeTrial, afterTurn } = options;
  for (;;) {
    const due = schedules.filter(canGoOn);
    if (due.length === 0) {
      break;
    }
    const haveMinimum = due.every(({ trialsDone, minTrials }) => trialsDone >= minTrials);
    const order = haveMinimum && precision === null ? nearestToVerdictFirst(due) : due;
    for (const schedule of order) {
      // The trials before it may have taken its time.
      if (canGoOn(schedule)) {
        await beforeTrial?.();
        await schedule.measureTrial();
      }
    }
    endDecided(schedules, options);
    if (schedules.some(canGoOn)) {
      afterTurn?.(schedules.map(({ fit }) => fit).filter((fit) => fit !== null));
    }
  }
  for (const schedule of schedules) {
    schedule.summarise();
  }
}

function canGoOn(schedule: CaseSchedule): boolean {
  return !schedule.hasEnded && schedule.hasRoom;
}

/** A case with the fit of what was measured of it. */
interface FittedSchedule {
  readonly schedule: CaseSchedule;
  readonly fit: CaseFit;
}

/** Gives the cases that have a fit, with it. */
function fittedOf(schedules: readonly CaseSchedule[]): readonly FittedSchedule[] {
  return schedules.flatMap((schedule) => (schedule.fit === null ? [] : [{ schedule, fit: schedule.fit }]));
}

/**
 * Orders cases by how near they are to a verdict. Cases that the time left cannot decide are left out, unless
 * there are no others.
 */
function nearestToVerdictFirst(schedules: readonly CaseSchedule[]): readonly CaseSchedule[] {
  const fitted = fittedOf(schedules);
  const trials = trialsToNext(fitted.map(({ fit }) => fit));
  const msToNext = new Map(
    fitted.map(({ schedule }, index) => [schedule, Math.ceil(trials[index] as number) * schedule.laterMs]),
  );
  const msOf = (schedule: CaseSchedule) => msToNext.get(schedule) ?? Number.POSITIVE_INFINITY;
  const inReach = schedules.filter((schedule) => msOf(schedule) <= schedule.shared.remainingMs);
  const likely = inReach.some((schedule) => msOf(schedule) < Number.POSITIVE_INFINITY) ? inReach : schedules;
  return likely.toSorted((a, b) => msOf(a) - msOf(b) || a.warmTrials - b.warmTrials);
}

/** Ends the cases that are decided, and restricts the others to what is not. */
function endDecided(
  schedules: readonly CaseSchedule[],
  { precision = null, endsOnCpuTime = true, openTargets: openTargetsOf }: RotationOptions,
): void {
  const judged = fittedOf(schedules).filter(
    ({ schedule }) => schedule.trialsDone >= MIN_TRIALS && schedule.minTrials < schedule.maxTrials,
  );
  const undecided =
    openTargetsOf === undefined
      ? undecidedTargets(judged, precision, endsOnCpuTime)
      : judged.map(({ schedule }) => openTargetsOf(schedule.measured));
  for (const [index, { schedule }] of judged.entries()) {
    schedule.restrictTo(undecided[index] as readonly string[]);
  }
}

/**
 * Names the targets of each case that are still open. One whose CPU time is decided is not, where the trials that are
 * left cannot decide its time either.
 */
function undecidedTargets(
  judged: readonly FittedSchedule[],
  precision: number | null,
  endsOnCpuTime: boolean,
): readonly (readonly string[])[] {
  const open = openTargets(
    judged.map(({ fit }) => fit),
    precision,
  );
  if (precision !== null || !endsOnCpuTime) {
    return open;
  }
  const answered = answeredByCpuTime(
    judged.map(({ schedule, fit }) => ({
      time: fit,
      cpuTime: fitMeasuredCase(schedule.measured, "cpuMs"),
      trialsLeft: schedule.trialsLeft,
    })),
  );
  return open.map((names, index) => names.filter((name) => !answered[index]?.includes(name)));
}

/** Compares all cases as a report does. @returns an analysis for each fit, in their order. */
export function analysesOf(fits: readonly CaseFit[]): readonly CaseAnalysis[] {
  const prior = priorOfCases(fits);
  const controls = countControls(fits);
  return fits.map((fit) => analyseFit(fit, prior, { controls }));
}
