import { type Exchange, type ExchangeError, type Position, runRound } from "@evenbench/probe";
import { sum, warmUpNeed } from "@evenbench/stats";
import type { CaseWork } from "./case-work.ts";
import { watchOtherWork } from "./machine.ts";
import { costOf, playBlock, type RunningPosition } from "./play.ts";
import type { Subject } from "./targets.ts";
import {
  LEAST_SEARCH_EXCHANGES,
  LONGEST_SEARCH,
  SHORTEST_SEARCH,
  type WarmUpNeeds,
} from "./warm-up-needs.ts";

/** Requests that an instance is asked for until it has answered what it needs, at most: so many times that. */
const MOST_TURNS = 3;
/** However fast they are answered. */
const MOST_SEARCH_EXCHANGES = 50_000;
/** A search asks again whether it is proven when its series has grown by this. */
const LONGER = 1.5;

/**
 * Back to back and, unless the run says otherwise, alone: a compiler needs a core (docs/method.md). Copies
 * come after their originals, whose need they share. One more each at the end: meanwhile connections may
 * have been closed and caches taken.
 */
export async function warmUpAll(
  work: CaseWork,
  trial: number,
  positions: readonly RunningPosition[],
  endsAt: number,
): Promise<void> {
  const ownCostMs = () => sum(positions.map(({ costs }) => sum(costs)));
  let left = positions.length;
  const warmUp = async (position: RunningPosition) => {
    const from = performance.now();
    const shareMs = (endsAt - from) / Math.max(1, left / work.session.warmTogether);
    left -= 1;
    await reachNeed(
      work.warmUps,
      position.subject,
      position,
      { endsAt: from + shareMs, ownCostMs },
      async (roundIndex) => {
        if (!mayGoOn(work, position)) return false;
        await warmUpExchange(work, trial, position, roundIndex);
        return true;
      },
    );
  };
  for (const own of [positions.filter(isOriginal), positions.filter((one) => !isOriginal(one))])
    await inLanes(own, work.session.warmTogether, warmUp);
  if (work.warmUps.isFixed || positions.length < 2) return;
  for (const position of positions)
    if (mayGoOn(work, position)) await warmUpExchange(work, trial, position, position.costs.length);
}

async function inLanes<T>(items: readonly T[], lanes: number, work: (item: T) => Promise<void>) {
  const queue = [...items];
  await Promise.all(
    Array.from({ length: Math.min(lanes, items.length) }, async () => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
    }),
  );
}

async function warmUpExchange(work: CaseWork, trial: number, position: RunningPosition, roundIndex: number) {
  await playBlock(work, trial, { phase: "warmup", order: [position], roundIndex, times: 1 });
}

function mayGoOn(work: CaseWork, { name }: RunningPosition): boolean {
  return !work.session.signal.aborted && work.failure === null && !work.isDropped(name);
}

function isOriginal({ subject }: RunningPosition): boolean {
  return subject.copyOf === null;
}

/** Exchanges of an instance, from its first on. It grows. Milliseconds. */
export type WarmUpSeries = Pick<RunningPosition, "costs" | "times">;

interface WarmUpTime {
  /** As `performance.now()` has it; one exchange is sent in any case. */
  readonly endsAt: number;
  /** What all that are warmed up meanwhile have used. Default: the series alone. */
  ownCostMs?(): number;
}

/** @param exchange sends the n-th, from 0, and adds it to the series; false where there can be no more. */
export async function reachNeed(
  needs: WarmUpNeeds,
  subject: Subject,
  series: WarmUpSeries,
  { endsAt, ownCostMs = () => sum(series.costs) }: WarmUpTime,
  exchange: (index: number) => Promise<boolean>,
): Promise<void> {
  const { exchanges, isSearch } = needs.of(subject);
  const isQuiet = watchOtherWork();
  const ownBefore = ownCostMs();
  const search = searchOf(series);
  // A server that answers each request with another process begins its series again and again.
  const mostTurns = MOST_TURNS * (isSearch ? MOST_SEARCH_EXCHANGES : exchanges);
  for (let index = 0; series.costs.length < exchanges && index < mostTurns; index++) {
    if (isSearch && search.isOver()) break;
    if (index > 0 && performance.now() >= endsAt) break;
    if (!(await exchange(index))) return;
  }
  if (isSearch && search.saysSomething())
    needs.learn(subject, warmUpNeed(series.costs), series, isQuiet(ownCostMs() - ownBefore));
}

function searchOf({ costs, times }: WarmUpSeries) {
  let [seen, costMs, timeMs, askAt] = [0, 0, 0, SHORTEST_SEARCH.exchanges];
  const look = () => {
    if (costs.length < seen) [seen, costMs, timeMs] = [0, 0, 0];
    for (; seen < costs.length; seen++) {
      costMs += costs[seen] ?? 0;
      timeMs += times[seen] ?? 0;
    }
  };
  const isLong = () =>
    seen >= LEAST_SEARCH_EXCHANGES &&
    (costMs >= LONGEST_SEARCH.costMs || timeMs >= LONGEST_SEARCH.timeMs || seen >= MOST_SEARCH_EXCHANGES);
  return {
    isOver(): boolean {
      look();
      if (isLong()) return true;
      if (seen < askAt || timeMs < SHORTEST_SEARCH.timeMs) return false;
      askAt = Math.ceil(seen * LONGER);
      const { exchanges, reached } = warmUpNeed(costs);
      return reached && exchanges <= seen / 2;
    },
    saysSomething(): boolean {
      look();
      return isLong() || (seen >= SHORTEST_SEARCH.exchanges && timeMs >= SHORTEST_SEARCH.timeMs);
    },
  };
}

export interface ConnectionWarmUp {
  readonly exchanges: number;
  readonly elapsedMs: number;
  /** Exchanges that such an instance has to get; null where nobody knows. */
  readonly needed: number | null;
  readonly warm: boolean;
  /** Why it ended before, where an exchange failed. */
  readonly error: ExchangeError | null;
}

export interface WarmUpTerms {
  readonly needs: WarmUpNeeds;
  readonly subject: Subject;
  /** As `performance.now()` has it: later it is given up. */
  readonly endsAt: number;
  readonly signal: AbortSignal;
  /** Whether it is to go on after an exchange. Default: it is. */
  goOn?(exchange: Exchange): boolean;
}

export async function warmConnection(position: Position, terms: WarmUpTerms): Promise<ConnectionWarmUp> {
  const { needs, subject, endsAt, signal } = terms;
  const begunAt = performance.now();
  const series = { costs: [] as number[], times: [] as number[] };
  let error: ExchangeError | null = null;
  // The start is no exchange's cost.
  position.readCost?.();
  await reachNeed(needs, subject, series, { endsAt }, async (index) => {
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
