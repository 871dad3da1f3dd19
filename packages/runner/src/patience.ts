import { EXCHANGE_TIMEOUT_MS, type Exchange } from "@evenbench/probe";
import { sum } from "@evenbench/stats";
import { RunError, type RunOptions } from "./options.ts";
import { LEAST_ROUNDS } from "./plan.ts";
import type { CaseCost } from "./warm-up-needs.ts";

/** What a case may lose where nobody gave a time: some times what most take as a whole. */
const MOST_CASE_MS = 120_000;
/** However short the time given: the first answer of a deployed function, or of a busy machine, can take seconds. */
const LEAST_FIRST_MS = 10_000;
const LEAST_EXCHANGE_MS = 2000;
/** A limit must be far from what is usual: so many times the longest round that preflight saw. */
const TIMES_SEEN = 4;

type TimeGiven = Pick<RunOptions, "exchangeTimeoutMs" | "timeMs" | "totalMs">;

export function preflightLimitMs(options: TimeGiven, cases: number): number {
  if (options.exchangeTimeoutMs !== undefined) return options.exchangeTimeoutMs;
  const givenMs = givenFor(options, cases) ?? EXCHANGE_TIMEOUT_MS;
  return Math.ceil(Math.min(Math.max(givenMs, LEAST_FIRST_MS), EXCHANGE_TIMEOUT_MS));
}

/**
 * Where a time was given: a case's mean share of it, by the least exchanges of an instance, but some times
 * what preflight saw.
 */
export function exchangeLimitMs(options: TimeGiven, costs: Readonly<Record<string, CaseCost>>): number {
  if (options.exchangeTimeoutMs !== undefined) return options.exchangeTimeoutMs;
  const rounds = Object.values(costs).map(({ roundMs }) => roundMs);
  const givenMs = givenFor(options, rounds.length) ?? Number.POSITIVE_INFINITY;
  const shareMs = givenMs / rounds.length / (1 + LEAST_ROUNDS);
  const leastMs = Math.max(TIMES_SEEN * Math.max(...rounds), LEAST_EXCHANGE_MS);
  return Math.ceil(Math.min(Math.max(shareMs, leastMs), EXCHANGE_TIMEOUT_MS));
}

function givenFor({ timeMs = null, totalMs }: TimeGiven, cases: number): number | null {
  if (timeMs === null) return totalMs ?? null;
  return typeof timeMs === "number" ? timeMs * cases : sum([...timeMs.values()]);
}

/** None may cost more than the time of the whole run. */
export class Patience {
  readonly #mostMs: number;
  readonly #limitMs: number;
  readonly #lostMs = new Map<string, number>();

  constructor(options: TimeGiven, cases: number, limitMs: number) {
    this.#mostMs = givenFor(options, cases) ?? MOST_CASE_MS * cases;
    this.#limitMs = limitMs;
  }

  note(target: string, { error }: Pick<Exchange, "error">): void {
    if (error?.kind === "timeout") this.lose(target, this.#limitMs);
  }

  lose(target: string, ms: number): void {
    this.#lostMs.set(target, (this.#lostMs.get(target) ?? 0) + ms);
  }

  /** @throws {RunError} when the target is not to be waited for any more. */
  check(target: string): void {
    const lostMs = this.#lostMs.get(target);
    if (lostMs === undefined || lostMs < this.#mostMs) return;
    throw new RunError(
      `the run waited ${Math.round(lostMs / 1000)} s for it in vain, which is the time planned for all of its cases.`,
    );
  }
}
