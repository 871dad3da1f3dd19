import { type AskedTarget, type ExchangeError, isClients, runRound } from "@evenbench/probe";
import { warmUpNeed } from "@evenbench/stats";
import type { CaseState, RunningTarget } from "./case-work.ts";
import { DIGEST_EVERY } from "./plan.ts";
import { playBlock } from "./play.ts";
import type { MeasuredTarget } from "./targets.ts";
import {
  addTo,
  emptySeries,
  LEAST_SEARCH_EXCHANGES,
  LONGEST_SEARCH,
  MIN_NEED,
  SHORTEST_SEARCH,
  type WarmUpNeeds,
  type WarmUpSeries,
} from "./warm-up-needs.ts";

/** Of what it needs: where answers come from another process each time. */
const MAX_NEED_FACTOR = 3;
/** However fast they are answered. */
const MOST_SEARCH_EXCHANGES = 50_000;
/** It is asked again whether a search is proven when its series has grown by this. */
const LONGER = 1.5;

/**
 * Those that are to be searched come first, back to back, and a copy gets what its original was found to need. Then, in
 * turns, those whose need is known, always the one that has got the least part of it, and two at a time where they bear
 * that: all are warm at one moment, and none waits for the others. Those that were searched waited: one more at the end.
 *
 * @param endsAt a number of requests that was asked for is sent whatever the time.
 */
export async function warmUpAll(
  work: CaseState,
  given: readonly RunningTarget[],
  endsAt: number,
): Promise<void> {
  const { warmUps } = work;
  const all = given.filter(({ name }) => !work.isDropped(name));
  const askOnce = async (running: RunningTarget) => {
    if (!work.mayGoOn || work.isDropped(running.name)) {
      return false;
    }
    const roundIndex = running.warmUpRounds++;
    await playBlock(work, { phase: "warmup", order: [running], roundIndex, times: 1 });
    return true;
  };
  const searched: RunningTarget[] = [];
  for (const running of all.toSorted((a, b) => Number(a.copyOf !== null) - Number(b.copyOf !== null))) {
    if (!warmUps.warmUpFor(running).isSearch) {
      continue;
    }
    const from = performance.now();
    const until = from + (endsAt - from) / (all.length - searched.length);
    await reachNeed(warmUps, running, running, until, () => askOnce(running));
    searched.push(running);
  }
  warmUps.equalise(searched);
  const known = all.filter((running) => !warmUps.warmUpFor(running).isSearch);
  const asked = new Map(known.map((running) => [running, 0]));
  const partOf = (running: RunningTarget) => running.costs.length / warmUps.warmUpFor(running).exchanges;
  const isLeft = (running: RunningTarget) =>
    partOf(running) < 1 && (asked.get(running) ?? 0) < MAX_NEED_FACTOR * warmUps.warmUpFor(running).exchanges;
  for (;;) {
    const left = known
      .filter((running) => !work.isDropped(running.name) && isLeft(running))
      .toSorted((a, b) => partOf(a) - partOf(b));
    const [next] = left;
    const isFirst = next === undefined || asked.get(next) === 0;
    if (next === undefined || (!isFirst && !warmUps.isFixed && performance.now() >= endsAt)) {
      break;
    }
    const together = work.warmsInPairs(next) ? left.filter(work.warmsInPairs).slice(0, 2) : [next];
    const done = await Promise.all(
      together.map((running) => {
        asked.set(running, (asked.get(running) ?? 0) + 1);
        return askOnce(running);
      }),
    );
    if (done.includes(false)) {
      return;
    }
  }
  for (const running of searched) {
    await askOnce(running);
  }
}

/**
 * @param endsAt one exchange is sent in any case.
 * @param exchange sends the n-th, and adds it to the series; false where there can be no more.
 */
export async function reachNeed(
  needs: WarmUpNeeds,
  target: MeasuredTarget,
  series: WarmUpSeries,
  endsAt: number,
  exchange: (index: number) => Promise<boolean>,
): Promise<void> {
  const { exchanges, isSearch } = needs.warmUpFor(target);
  const most = MAX_NEED_FACTOR * (isSearch ? MOST_SEARCH_EXCHANGES : exchanges);
  let askAt = SHORTEST_SEARCH.exchanges;
  const isOver = () => {
    const { costs } = series;
    if (!isSearch) {
      return costs.length >= exchanges;
    }
    if (isLong(series)) {
      return true;
    }
    if (costs.length < askAt || series.timeMs < SHORTEST_SEARCH.timeMs) {
      return false;
    }
    askAt = Math.ceil(costs.length * LONGER);
    const found = warmUpNeed(costs);
    return found.reached && found.exchanges <= costs.length / 2;
  };
  for (let index = 0; index < most && !isOver(); index++) {
    if (index > 0 && performance.now() >= endsAt) {
      break;
    }
    if (!(await exchange(index))) {
      return;
    }
  }
  if (isSearch && saysSomething(series)) {
    needs.storeSearch(target, warmUpNeed(series.costs), series.times);
  }
}

function isLong({ costs: { length }, costMs, timeMs }: WarmUpSeries): boolean {
  if (length < LEAST_SEARCH_EXCHANGES) {
    return false;
  }
  return (
    costMs >= LONGEST_SEARCH.costMs || timeMs >= LONGEST_SEARCH.timeMs || length >= MOST_SEARCH_EXCHANGES
  );
}

/** One that its time cut short: the measured rounds prove what it found. */
function saysSomething({ costs: { length }, timeMs }: WarmUpSeries): boolean {
  return length >= LEAST_SEARCH_EXCHANGES && (length >= MIN_NEED.exchanges || timeMs >= MIN_NEED.ms);
}

export type ConnectionWarmUp = Readonly<Awaited<ReturnType<typeof warmConnection>>>;

interface WarmUpTerms {
  readonly needs: WarmUpNeeds;
  readonly target: MeasuredTarget;
  readonly endsAt: number;
  readonly signal: AbortSignal;
}

/** @returns what it got and needs; and the error of its last exchange, if that failed. */
export async function warmConnection(running: AskedTarget, terms: WarmUpTerms) {
  const { needs, target, endsAt, signal } = terms;
  const begunAt = performance.now();
  const series = emptySeries();
  let error = null as ExchangeError | null;
  running.readCost?.();
  await reachNeed(needs, target, series, endsAt, async (index) => {
    const [done] = await runRound([running], { digest: index % DIGEST_EVERY === 0 }, signal);
    if (done === undefined) {
      return false;
    }
    const { exchange } = done;
    error = exchange.error;
    return addTo(series, exchange) || (error !== null && isClients(error));
  });
  const needed = needs.neededBy(target);
  const exchanges = series.costs.length;
  const warm = needed !== null && exchanges >= needed;
  return { exchanges, elapsedMs: performance.now() - begunAt, needed, warm, error };
}
