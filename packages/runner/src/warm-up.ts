import { type AskedTarget, type Exchange, type ExchangeError, runRound } from "@evenbench/probe";
import { sum, warmUpNeed } from "@evenbench/stats";
import type { CaseWork } from "./case-work.ts";
import { watchOtherWork } from "./machine.ts";
import { costOf, playBlock, type RunningTarget } from "./play.ts";
import type { MeasuredTarget } from "./targets.ts";
import {
  LEAST_SEARCH_EXCHANGES,
  LONGEST_SEARCH,
  SHORTEST_SEARCH,
  type WarmUpNeeds,
} from "./warm-up-needs.ts";

/** Of what it needs: where answers come from another process each time. */
const MOST_TURNS = 3;
/** However fast they are answered. */
const MOST_SEARCH_EXCHANGES = 50_000;
/** It is asked again whether a search is proven when its series has grown by this. */
const LONGER = 1.5;

/**
 * Back to back, as many at a time as the run says (docs/method.md). A copy waits while its original's need, which it
 * shares, is searched. One more each at the end: meanwhile connections may have been closed and caches taken.
 */
export async function warmUpAll(
  work: CaseWork,
  trial: number,
  all: readonly RunningTarget[],
  endsAt: number,
): Promise<void> {
  const { warmTogether } = work.session;
  const ownCostMs = () => sum(all.map(({ costs }) => sum(costs)));
  const askOnce = async (running: RunningTarget, roundIndex: number) => {
    if (!work.mayGoOn || work.isDropped(running.name)) return false;
    await playBlock(work, trial, { phase: "warmup", order: [running], roundIndex, times: 1 });
    return true;
  };
  let left = all.length;
  const warmUp = (running: RunningTarget) => {
    const from = performance.now();
    const shareMs = (endsAt - from) / Math.max(1, left / warmTogether);
    left -= 1;
    const time = { endsAt: from + shareMs, ownCostMs };
    return reachNeed(work.warmUps, running, running, time, (index) => askOnce(running, index));
  };
  const waits = (running: RunningTarget) =>
    running.copyOf !== null && work.warmUps.orderFor(running).isSearch;
  const later = all.filter(waits);
  await inLanes(
    all.filter((running) => !later.includes(running)),
    warmTogether,
    warmUp,
  );
  await inLanes(later, warmTogether, warmUp);
  if (work.warmUps.isFixed || all.length < 2) return;
  for (const running of all) await askOnce(running, running.costs.length);
}

async function inLanes<T>(items: readonly T[], lanes: number, work: (item: T) => Promise<void>) {
  const queue = [...items];
  await Promise.all(
    Array.from({ length: Math.min(lanes, items.length) }, async () => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
    }),
  );
}

/** It grows. Milliseconds. */
export type WarmUpSeries = Pick<RunningTarget, "costs" | "times">;

interface WarmUpTime {
  /** One exchange is sent in any case. */
  readonly endsAt: number;
  /** Of all that are warmed up meanwhile. Default: the series alone. */
  ownCostMs?(): number;
}

/** @param exchange sends the n-th, and adds it to the series; false where there can be no more. */
export async function reachNeed(
  needs: WarmUpNeeds,
  target: MeasuredTarget,
  series: WarmUpSeries,
  { endsAt, ownCostMs = () => sum(series.costs) }: WarmUpTime,
  exchange: (index: number) => Promise<boolean>,
): Promise<void> {
  const { exchanges, isSearch } = needs.orderFor(target);
  const isQuiet = watchOtherWork();
  const ownBefore = ownCostMs();
  const search = searchOf(series);
  const mostTurns = MOST_TURNS * (isSearch ? MOST_SEARCH_EXCHANGES : exchanges);
  for (let index = 0; series.costs.length < exchanges && index < mostTurns; index++) {
    if (isSearch && search.isOver()) break;
    if (index > 0 && performance.now() >= endsAt) break;
    if (!(await exchange(index))) return;
  }
  if (isSearch && search.saysSomething())
    needs.learn(target, warmUpNeed(series.costs), series.times, isQuiet(ownCostMs() - ownBefore));
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
  /** null where nobody knows. */
  readonly needed: number | null;
  readonly warm: boolean;
  /** Where an exchange failed. */
  readonly error: ExchangeError | null;
}

export interface WarmUpTerms {
  readonly needs: WarmUpNeeds;
  readonly target: MeasuredTarget;
  readonly endsAt: number;
  readonly signal: AbortSignal;
  /** Default: it does. */
  goOn?(exchange: Exchange): boolean;
}

export async function warmConnection(running: AskedTarget, terms: WarmUpTerms): Promise<ConnectionWarmUp> {
  const { needs, target, endsAt, signal } = terms;
  const begunAt = performance.now();
  const series = { costs: [] as number[], times: [] as number[] };
  let error: ExchangeError | null = null;
  // The start is no exchange's cost.
  running.readCost?.();
  await reachNeed(needs, target, series, { endsAt }, async (index) => {
    const [exchange] = await runRound([running], { body: index === 0 }, signal);
    if (exchange === undefined) return false;
    error = exchange.error;
    const cost = costOf(exchange);
    if (cost === null) return false;
    series.costs.push(cost);
    series.times.push(exchange.lastByteMs ?? cost);
    return terms.goOn?.(exchange) ?? true;
  });
  const needed = needs.neededBy(target);
  const exchanges = series.costs.length;
  const warm = needed !== null && exchanges >= needed;
  return { exchanges, elapsedMs: performance.now() - begunAt, needed, warm, error };
}
