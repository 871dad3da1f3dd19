import { createHash } from "node:crypto";

/** Fresh instances of every target: at least; one look at the data after each so many; at most. */
const GENERATIONS_A_LOOK = 5;
const MAXIMUM_LOOKS = 3;

/** A generation that is to be one of more than the least must be worth its start: so long, and so many times its least. */
const WORTHWHILE_GENERATION_MS = 4000;
const WORTHWHILE_TIMES_LEAST = 1.5;

/** A run without a time of its own gets so much for each case; cases then share it by what they cost. */
export const TIME_FOR_A_CASE_MS = 14_000;

/** A case gets this much beyond its least rounds, even where the asked total would leave less. */
const LEAST_MEASURING_MS = 1000;

/** Warm-up ends at this share of what a generation has left after its start, steady or not. */
export const WARMUP_SHARE = 1 / 2;
/** And after this time, however long the generation. */
export const MOST_WARMUP_MS = 10_000;
export const LEAST_WARMUP_EXCHANGES = 1;
export const LEAST_ROUNDS = 3;

/** Every n-th round's bodies are checked by digest, the first one's always. */
export const DIGEST_EVERY = 20;

export interface CaseCost {
  /** One exchange with every contender, in milliseconds, as preflight saw it. */
  readonly roundMs: number;
  /** Start of one set of instances, in milliseconds. */
  readonly startMs: number;
}

/**
 * Divides a run's time over its cases. Each gets what its least number of instances and rounds takes, and a share of the
 * rest by the square root of its round's time: slow cases get more time, fast ones more rounds.
 *
 * @returns milliseconds by case id; together more than `totalMs` where that is too short for all cases.
 */
export function divideTime(
  costs: Readonly<Record<string, CaseCost>>,
  totalMs: number,
  generations = GENERATIONS_A_LOOK,
): Record<string, number> {
  const entries = Object.entries(costs).map(([id, { roundMs, startMs }]) => ({
    id,
    leastMs: generations * leastGenerationMs({ roundMs, startMs }),
    weight: Math.sqrt(roundMs),
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
 * How many sets of fresh instances a case may get: 15, 10 or 5, the most for which each still has 4 s and half as much again as
 * its start and least rounds take. With more than 5 the data are looked at after 5 and 10, and the case ends there if it is
 * precise enough. With a fixed number of rounds it is 5.
 */
export function mostGenerations(budgetMs: number, rounds: number | null, cost: CaseCost): number {
  if (rounds !== null) return GENERATIONS_A_LOOK;
  const affordable = Math.floor(budgetMs / worthwhileGenerationMs(cost) / GENERATIONS_A_LOOK);
  return GENERATIONS_A_LOOK * Math.min(Math.max(affordable, 1), MAXIMUM_LOOKS);
}

/** What a generation must have to be one of more than the least. */
export function worthwhileGenerationMs(cost: CaseCost): number {
  return Math.max(WORTHWHILE_GENERATION_MS, WORTHWHILE_TIMES_LEAST * leastGenerationMs(cost));
}

function leastGenerationMs({ startMs, roundMs }: CaseCost): number {
  return startMs + (LEAST_WARMUP_EXCHANGES + LEAST_ROUNDS) * roundMs;
}

export const LEAST_GENERATIONS = GENERATIONS_A_LOOK;

/** Whether the data are looked at after so many generations. */
export function isLook(generationsDone: number): boolean {
  return generationsDone % GENERATIONS_A_LOOK === 0;
}

/** A seed of its own for each purpose, from the run's seed. */
export function deriveSeed(seed: number, ...purpose: readonly (string | number)[]): number {
  return createHash("sha256")
    .update([seed, ...purpose].join("/"))
    .digest()
    .readUInt32BE(0);
}
