import { sum, warmUpNeed } from "@evenbench/stats";
import type { CaseWork } from "./case-work.ts";
import { watchOtherWork } from "./other-work.ts";
import { playBlock } from "./play.ts";
import type { RunningPosition } from "./running-position.ts";
import type { Subject } from "./targets.ts";
import { LONGEST_SEARCH, type WarmUpNeeds } from "./warm-up-needs.ts";

/** A search that saw fewer exchanges than this says nothing, however slow they are. */
export const LEAST_SEARCH_EXCHANGES = 20;

/** Requests that an instance is asked for until it has answered what it needs, at most: so many times that. */
const MOST_TURNS = 3;

/** Of what is left of a case's time: so much may go into the warm-up of one trial. */
const WARM_UP_SHARE = 0.8;

/**
 * Warms up one subject after the other, each alone and back to back: a compiler that works beside its program
 * then finds a core free, and optimised code comes when it would come to an instance under load
 * (docs/method.md). Each gets the exchanges that its target is known to need; where that is not known yet, it
 * gets a long series, and the need is found on that. Originals come before their copies, which need what
 * those do. At the end each gets one more: while the others were warmed up its connection may have been
 * closed and its caches taken.
 *
 * @param endsAt of the case, as `performance.now()` has it, or Infinity: what is not warm when its share of
 *   that is over has no verdict.
 */
export async function warmUpAll(
  work: CaseWork,
  trial: number,
  positions: readonly RunningPosition[],
  endsAt: number,
): Promise<void> {
  const inOrder = positions.toSorted((a, b) => Number(isCopy(a)) - Number(isCopy(b)));
  for (const [index, position] of inOrder.entries()) {
    const now = performance.now();
    const shareMs = ((endsAt - now) * WARM_UP_SHARE) / (positions.length - index);
    await warmUp(work, trial, position, now + shareMs);
  }
  if (work.warmUps.isFixed || positions.length < 2) return;
  for (const position of inOrder) {
    if (mayGoOn(work, position)) await warmUpExchange(work, trial, position, position.costs.length);
  }
}

async function warmUp(
  work: CaseWork,
  trial: number,
  position: RunningPosition,
  endsAt: number,
): Promise<void> {
  await reachNeed(work.warmUps, position.subject, position, endsAt, async (roundIndex) => {
    if (!mayGoOn(work, position)) return false;
    await warmUpExchange(work, trial, position, roundIndex);
    return true;
  });
}

async function warmUpExchange(
  work: CaseWork,
  trial: number,
  position: RunningPosition,
  roundIndex: number,
): Promise<void> {
  await playBlock(work, trial, { phase: "warmup", order: [position], roundIndex, times: 1 });
}

function mayGoOn(work: CaseWork, { name }: RunningPosition): boolean {
  return !work.session.signal.aborted && work.failure === null && !work.isDropped(name);
}

/** Exchanges of an instance, from its first on. It grows. Milliseconds. */
export type WarmUpSeries = Pick<RunningPosition, "costs" | "times">;

/**
 * Sends exchanges to an instance until it has had what its target is known to need. Where that is not known,
 * it gets a long series, and the need is found on that.
 *
 * @param endsAt as `performance.now()` has it; one exchange is sent in any case.
 * @param exchange sends the n-th, from 0, and adds it to the series; false where there can be no more.
 */
export async function reachNeed(
  needs: WarmUpNeeds,
  subject: Subject,
  series: WarmUpSeries,
  endsAt: number,
  exchange: (index: number) => Promise<boolean>,
): Promise<void> {
  const { exchanges, isSearch } = needs.of(subject);
  const isQuiet = watchOtherWork();
  const isEnough = () => series.costs.length >= exchanges || (isSearch && isLong(series));
  // A server that answers each request with another process begins its series again and again.
  for (let index = 0; !isEnough() && index < MOST_TURNS * exchanges; index++) {
    if (index > 0 && performance.now() >= endsAt) return;
    if (!(await exchange(index))) return;
  }
  if (isSearch) needs.learn(subject, warmUpNeed(series.costs), series, isQuiet(sum(series.costs)));
}

function isCopy({ subject }: RunningPosition): boolean {
  return subject.copyOf !== null;
}

function isLong({ costs, times }: WarmUpSeries): boolean {
  if (costs.length < LEAST_SEARCH_EXCHANGES) return false;
  return sum(costs) >= LONGEST_SEARCH.costMs || sum(times) >= LONGEST_SEARCH.timeMs;
}
