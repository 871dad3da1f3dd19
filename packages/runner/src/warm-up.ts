import {
  type AskedTarget,
  type ErrorBudget,
  type ExchangeError,
  firstExpectation,
  isClients,
  runRound,
} from "@evenbench/probe";
import { WARM_UP, warmUpNeed } from "@evenbench/stats";
import type { CaseView } from "./case-state.ts";
import { DIGEST_EVERY } from "./plan.ts";
import { playRoundGroup } from "./play.ts";
import type { RunningTarget } from "./running-target.ts";
import type { MeasuredTarget } from "./targets.ts";
import type { WarmUpNeeds } from "./warm-up-needs.ts";
import { addExchange, emptySeries, type WarmUpSeries } from "./warm-up-series.ts";

const { search, minNeed, growthFactor, maxRequestsPerNeed } = WARM_UP;

/**
 * Warms the targets of a trial up, in two phases.
 *
 * 1. Targets whose need is unknown are asked one after the other, until their times are stable: a search.
 * 2. The others are interleaved, always the one with the smallest completed share first, two at a time if
 *    they bear that (`PlannedCase.warmsInPairs`): all are warm at one moment, and none waits for the others.
 *
 * Targets that were searched get one more request at the end, since they were idle during the second phase.
 *
 * @param targets those that are dropped are left out.
 * @param endsAt the moment at which it ends at the latest, by `performance.now()`. Each target is asked once
 *   in any case, and a number of requests that the user fixed is sent whatever the time.
 */
export async function warmUpAll(
  state: CaseView,
  targets: readonly RunningTarget[],
  endsAt: number,
): Promise<void> {
  const going = targets.filter(({ name }) => !state.isDropped(name));
  const searched = await searchNeeds(state, going, endsAt);
  if (!(await warmUpKnown(state, going, endsAt))) {
    return;
  }
  for (const running of searched) {
    await sendWarmUp(state, running);
  }
}

/**
 * Sends one request of warm-up.
 *
 * @returns whether it was sent: not to a target that is dropped, nor in a case that has ended.
 */
async function sendWarmUp(state: CaseView, running: RunningTarget): Promise<boolean> {
  if (!state.mayGoOn || state.isDropped(running.name)) {
    return false;
  }
  const roundIndex = running.warmUpRounds;
  running.warmUpRounds += 1;
  await playRoundGroup(state, { phase: "warmup", order: [running], roundIndex, times: 1 });
  return true;
}

/**
 * The first phase: originals before copies, which get what their original was found to need.
 *
 * @returns those that were searched.
 */
async function searchNeeds(
  state: CaseView,
  going: readonly RunningTarget[],
  endsAt: number,
): Promise<readonly RunningTarget[]> {
  const { warmUps } = state.context;
  const searched: RunningTarget[] = [];
  for (const running of going.toSorted((a, b) => Number(a.copyOf !== null) - Number(b.copyOf !== null))) {
    if (!warmUps.warmUpFor(running).isSearch) {
      continue;
    }
    const now = performance.now();
    const shareEndsAt = now + (endsAt - now) / (going.length - searched.length);
    // A restart begins a new series: it is asked for each time.
    const seriesOf = () => running.series;
    await reachNeed(warmUps, running, seriesOf, shareEndsAt, () => sendWarmUp(state, running));
    searched.push(running);
  }
  warmUps.equalise(searched);
  return searched;
}

/** The second phase. @returns false if the case ended, or a target was dropped, meanwhile. */
async function warmUpKnown(
  state: CaseView,
  going: readonly RunningTarget[],
  endsAt: number,
): Promise<boolean> {
  const { warmUps, warmsInPairs } = state.context;
  const known = going.filter((running) => !warmUps.warmUpFor(running).isSearch);
  const requests = new Map(known.map((running) => [running, 0]));
  const requestsTo = (running: RunningTarget) => requests.get(running) ?? 0;
  const completedShare = (running: RunningTarget) =>
    running.series.costs.length / warmUps.warmUpFor(running).exchanges;
  const needsMore = (running: RunningTarget) =>
    !state.isDropped(running.name) &&
    completedShare(running) < 1 &&
    requestsTo(running) < maxRequestsPerNeed * warmUps.warmUpFor(running).exchanges;
  for (;;) {
    const left = known.filter(needsMore).toSorted((a, b) => completedShare(a) - completedShare(b));
    const [next] = left;
    if (next === undefined) {
      return true;
    }
    const isTimeUp = !warmUps.isFixed && performance.now() >= endsAt;
    if (isTimeUp && requestsTo(next) > 0) {
      return true;
    }
    const pair = warmsInPairs(next) ? left.filter(warmsInPairs).slice(0, 2) : [next];
    const sent = await Promise.all(
      pair.map((running) => {
        requests.set(running, requestsTo(running) + 1);
        return sendWarmUp(state, running);
      }),
    );
    if (sent.includes(false)) {
      return false;
    }
  }
}

/**
 * Sends one target the warm-up that it needs; if nobody knows how much that is, it searches for it, and
 * stores what it found.
 *
 * @param seriesOf gives the series of the present instance.
 * @param endsAt the moment at which it ends at the latest, by `performance.now()`. One exchange is sent in
 *   any case.
 * @param exchange sends the n-th exchange, from 0, and adds it to the series; false where there can be no
 *   more.
 */
export async function reachNeed(
  needs: WarmUpNeeds,
  target: MeasuredTarget,
  seriesOf: () => WarmUpSeries,
  endsAt: number,
  exchange: (index: number) => Promise<boolean>,
): Promise<void> {
  const { exchanges, isSearch } = needs.warmUpFor(target);
  const isOver = isSearch ? searchEnd(seriesOf) : () => seriesOf().costs.length >= exchanges;
  const maxRequests = maxRequestsPerNeed * (isSearch ? search.maxExchanges : exchanges);
  for (let index = 0; index < maxRequests && !isOver(); index++) {
    if (index > 0 && performance.now() >= endsAt) {
      break;
    }
    if (!(await exchange(index))) {
      return;
    }
  }
  const series = seriesOf();
  if (isSearch && isTelling(series)) {
    needs.storeSearch(target, warmUpNeed(series.costs), series.times);
  }
}

/**
 * Gives a function that tells, after each exchange, whether a search has ended: at its limits, or once its
 * result is proven.
 */
function searchEnd(seriesOf: () => WarmUpSeries): () => boolean {
  let nextLookAt: number = search.minProvenExchanges;
  return () => {
    const series = seriesOf();
    const { length } = series.costs;
    if (isAtLimit(series)) {
      return true;
    }
    if (length < nextLookAt || series.timeMs < search.minProvenTimeMs) {
      return false;
    }
    nextLookAt = Math.ceil(length * growthFactor);
    const found = warmUpNeed(series.costs);
    return found.reached && found.exchanges <= length / 2;
  };
}

function isAtLimit({ costs: { length }, costMs, timeMs }: WarmUpSeries): boolean {
  if (length < search.minExchanges) {
    return false;
  }
  return costMs >= search.maxCostMs || timeMs >= search.maxTimeMs || length >= search.maxExchanges;
}

/**
 * Tells whether a series says anything of the need. If its time cut it short, the measured rounds prove what
 * it found.
 */
function isTelling({ costs: { length }, timeMs }: WarmUpSeries): boolean {
  return length >= search.minExchanges && (length >= minNeed.exchanges || timeMs >= minNeed.ms);
}

/** The warm-up of one connection. */
export interface ConnectionWarmUp {
  /** Number of exchanges that succeeded. */
  readonly exchanges: number;
  /** Time of the warm-up, in milliseconds. */
  readonly elapsedMs: number;
  /** Number of exchanges that the target needs; null while nobody knows. */
  readonly needed: number | null;
  /** True if it got what it needs. */
  readonly warm: boolean;
  /** The error of its last exchange; null where that succeeded. */
  readonly error: ExchangeError | null;
}

/** The terms of a connection's warm-up. */
export interface WarmUpTerms {
  /** The knowledge of the target's need; a search stores there what it finds. */
  readonly needs: WarmUpNeeds;
  /** The target whose need counts. */
  readonly target: MeasuredTarget;
  /** The moment at which it ends at the latest, by `performance.now()`. */
  readonly endsAt: number;
  /** Ends it early. */
  readonly signal: AbortSignal;
  /** Counts the target's errors, and ends it when they are too many. Left out: the first one ends it. */
  readonly budget?: ErrorBudget;
}

/** Warms one connection up, without recording samples: its target gets what it needs, or a search. */
export async function warmConnection(running: AskedTarget, terms: WarmUpTerms): Promise<ConnectionWarmUp> {
  const { needs, target, endsAt, signal, budget } = terms;
  const begunAt = performance.now();
  const series = emptySeries();
  let error = null as ExchangeError | null;
  // What was used before is no exchange's cost.
  await running.readCost?.();
  await reachNeed(
    needs,
    target,
    () => series,
    endsAt,
    async (index) => {
      const expected = index === 0 ? firstExpectation(running.expected) : running.expected;
      const asked = { ...running, expected };
      const [done] = await runRound([asked], { digest: index % DIGEST_EVERY === 0 }, signal);
      if (done === undefined) {
        return false;
      }
      const { exchange } = done;
      error = exchange.error;
      if (addExchange(series, exchange)) {
        budget?.count(null);
        return true;
      }
      if (error !== null && isClients(error)) {
        return true;
      }
      budget?.count(error);
      return budget !== undefined && budget.exhausted === null;
    },
  );
  const needed = needs.neededBy(target);
  const exchanges = series.costs.length;
  return {
    exchanges,
    elapsedMs: performance.now() - begunAt,
    needed,
    warm: needed !== null && exchanges >= needed,
    error,
  };
}
