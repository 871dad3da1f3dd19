import { createHash } from "node:crypto";

/** Fresh instances of every target: at least; an interim analysis after each so many; at most. */
const TRIALS_BETWEEN_ANALYSES = 5;
const MOST_ANALYSES = 3;

/** A trial that is to be one of more than the least must be worth its start: so long, and so many times its least. */
const WORTHWHILE_TRIAL_MS = 4000;
const WORTHWHILE_TIMES_LEAST = 1.5;

/** Rounds that a trial is measured for where nobody asked for a time: so many, within these times. */
const USUAL_ROUNDS = 24;
const SHORTEST_ROUNDS_MS = 2000;
const LONGEST_ROUNDS_MS = 5000;
/** And where warm-up takes long, for this part of its time: instances that cost so much are worth measuring better. */
const LEAST_SHARE_OF_WARM_UP = 0.25;

/** A case gets this much beyond its least rounds, even where the asked total would leave less. */
const LEAST_MEASURING_MS = 1000;

/**
 * An even number: where a collector runs in every second exchange, the median of an odd number lies on one
 * level or the other.
 */
export const LEAST_ROUNDS = 6;
/** Where the time does not warm up more, fewer warm trials say more than many cold ones; but not fewer than this. */
export const LEAST_TRIALS = 3;

/** Where nobody asks for a time, a case takes so long in the mean: seven of them five minutes. */
const USUAL_CASE_MS = 43_000;
/** And no more trials than this. */
const USUAL_MAXIMUM = 2 * TRIALS_BETWEEN_ANALYSES;

/** What so many cases may take together where nobody asks for a time, in milliseconds. */
export function usualTotal(cases: number): number {
  return cases * USUAL_CASE_MS;
}

/**
 * Whether there is room for another trial of a case after those that are done.
 *
 * @param tookMs of `mostMs`, and `nextMs` what the next trial is expected to take.
 */
export function hasRoomForAnother(
  done: number,
  { tookMs, nextMs, mostMs }: { tookMs: number; nextMs: number; mostMs: number },
): boolean {
  return done < LEAST_TRIALS || tookMs + nextMs <= mostMs;
}

/** Every n-th round's bodies are checked by digest, the first one's always. */
export const DIGEST_EVERY = 20;

/** What a case takes, in milliseconds. */
export interface CaseCost {
  /** One exchange with every subject. */
  readonly roundMs: number;
  /** Start of one trial. */
  readonly startMs: number;
  /** Warm-up of one trial. */
  readonly warmUpMs: number;
  /** What the first trial takes beyond that, because it is still to be found out what the instances need. */
  readonly searchMs: number;
}

/** For how long a trial is measured where nobody asked for a time, in milliseconds. */
export function usualRoundsMs({ roundMs, warmUpMs }: Pick<CaseCost, "roundMs" | "warmUpMs">): number {
  const roundsMs = Math.min(Math.max(USUAL_ROUNDS * roundMs, SHORTEST_ROUNDS_MS), LONGEST_ROUNDS_MS);
  return Math.max(roundsMs, LEAST_ROUNDS * roundMs, LEAST_SHARE_OF_WARM_UP * warmUpMs);
}

/**
 * What a case takes for so many trials where nobody asked for a time, in milliseconds: its warm-up, whatever
 * that takes, and rounds enough for a median.
 */
export function usualTime(cost: CaseCost, trials = USUAL_MAXIMUM): number {
  return timeOfTrials(cost, trials, usualRoundsMs(cost));
}

/** What a case is expected to take in so many trials, each measured for so long, in milliseconds. */
export function timeOfTrials(
  { startMs, warmUpMs, searchMs }: CaseCost,
  trials: number,
  roundsMs: number,
): number {
  return Math.round(searchMs + trials * (startMs + warmUpMs + roundsMs));
}

/**
 * Divides a run's time over its cases. Each gets what its least number of instances and rounds takes, and a
 * share of the rest by the square root of its round's time: slow cases get more time, fast ones more rounds.
 *
 * @returns milliseconds by case id; together more than `totalMs` where that is too short for all cases.
 */
export function divideTime(
  costs: Readonly<Record<string, CaseCost>>,
  totalMs: number,
  trials = TRIALS_BETWEEN_ANALYSES,
): Record<string, number> {
  const entries = Object.entries(costs).map(([id, cost]) => ({
    id,
    leastMs: cost.searchMs + trials * leastTrialMs(cost),
    weight: Math.sqrt(cost.roundMs),
  }));
  const rest = totalMs - entries.reduce((sum, { leastMs }) => sum + leastMs, 0);
  const weights = entries.reduce((sum, { weight }) => sum + weight, 0);
  return Object.fromEntries(
    entries.map(({ id, leastMs, weight }) => {
      const shareMs = weights > 0 ? (rest * weight) / weights : 0;
      return [id, Math.round(leastMs + Math.max(shareMs, LEAST_MEASURING_MS))];
    }),
  );
}

/**
 * How many trials a case may get: 15, 10 or 5, the most for which each still has 4 s and half as much again as
 * its start and least rounds take. With more than 5 there are interim analyses after 5 and 10, and the case
 * ends there if it is precise enough. With a fixed number of rounds it is 5.
 *
 * @param budgetMs null where nobody asked for a time: 10 then, as far as the time of all cases has room for them.
 */
export function mostTrials(budgetMs: number | null, rounds: number | null, cost: CaseCost): number {
  if (rounds !== null) return TRIALS_BETWEEN_ANALYSES;
  if (budgetMs === null) return USUAL_MAXIMUM;
  const affordable = Math.floor(
    (budgetMs - cost.searchMs) / worthwhileTrialMs(cost) / TRIALS_BETWEEN_ANALYSES,
  );
  return TRIALS_BETWEEN_ANALYSES * Math.min(Math.max(affordable, 1), MOST_ANALYSES);
}

/** What a trial must have to be one of more than the least. */
export function worthwhileTrialMs(cost: CaseCost): number {
  return Math.max(WORTHWHILE_TRIAL_MS, WORTHWHILE_TIMES_LEAST * leastTrialMs(cost));
}

function leastTrialMs({ startMs, warmUpMs, roundMs }: CaseCost): number {
  return startMs + warmUpMs + LEAST_ROUNDS * roundMs;
}

/** Trials of a case where its rounds are given, and those that its time is planned for. */
export const USUAL_TRIALS = TRIALS_BETWEEN_ANALYSES;

/** Whether there is an interim analysis after so many trials. */
export function isInterimAnalysis(trialsDone: number): boolean {
  return trialsDone % TRIALS_BETWEEN_ANALYSES === 0;
}

/** A seed of its own for each purpose, from the run's seed. */
export function deriveSeed(seed: number, ...purpose: readonly (string | number)[]): number {
  return createHash("sha256")
    .update([seed, ...purpose].join("/"))
    .digest()
    .readUInt32BE(0);
}
