import { type Exchange, type ExchangeError, type Position, runRound } from "@evenbench/probe";
import { costOf } from "./running-position.ts";
import type { Subject } from "./targets.ts";
import { reachNeed } from "./warm-up.ts";
import type { WarmUpNeeds } from "./warm-up-needs.ts";

/** How an instance was warmed up over one connection. */
export interface ConnectionWarmUp {
  readonly exchanges: number;
  readonly elapsedMs: number;
  /** Exchanges that such an instance has to get; null where nobody knows. */
  readonly needed: number | null;
  /** Whether it got them. */
  readonly warm: boolean;
  /** Why it ended before, where an exchange failed. */
  readonly error: ExchangeError | null;
}

/** What a warm-up needs to know beside its connection. */
export interface WarmUpTerms {
  readonly needs: WarmUpNeeds;
  readonly subject: Subject;
  /** As `performance.now()` has it: later it is given up. */
  readonly endsAt: number;
  readonly signal: AbortSignal;
  /** Whether it is to go on after an exchange. Default: it is. */
  goOn?(exchange: Exchange): boolean;
}

/**
 * Warms up what answers on a connection, alone and back to back, to what its target needs; the first body is
 * checked by digest. It ends with the first exchange that fails.
 */
export async function warmConnection(position: Position, terms: WarmUpTerms): Promise<ConnectionWarmUp> {
  const { needs, subject, endsAt, signal } = terms;
  const begunAt = performance.now();
  const series = { costs: [] as number[], times: [] as number[] };
  let error: ExchangeError | null = null;
  // The start is no exchange's cost.
  position.readCost?.();
  await reachNeed(needs, subject, series, endsAt, async (index) => {
    const [exchange] = await runRound([position], { body: index === 0 }, signal);
    if (exchange === undefined) return false;
    error = exchange.error;
    const cost = costOf(exchange);
    if (cost === null) return false;
    series.costs.push(cost);
    series.times.push(exchange.lastByteMs ?? cost);
    return terms.goOn?.(exchange) ?? true;
  });
  const needed = needs.neededBy(subject);
  const exchanges = series.costs.length;
  const warm = needed !== null && exchanges >= needed;
  return { exchanges, elapsedMs: performance.now() - begunAt, needed, warm, error };
}
