import { setTimeout as delay } from "node:timers/promises";
import { checkBody, drawsComparison, type Exchange, type Probe } from "@evenbench/probe";
import type { Arrivals, LoadStage, OpenLoad } from "@evenbench/results";
import type { CaseRequest } from "@evenbench/runner";
import { seededRandom } from "@evenbench/stats";
import { LATE_MS } from "./window.ts";

/** A request that is over. Times are by `performance.now()`. */
interface FinishedRequest {
  /** Index of its connection. */
  readonly connection: number;
  /** The moment at which it was to be sent. */
  readonly intendedAt: number;
  /** The moment at which it was sent. */
  readonly begunAt: number;
  /** The moment at which its answer was complete. */
  readonly overAt: number;
  /** Number of other requests that were under way when it was sent. */
  readonly outstanding: number;
  readonly exchange: Exchange;
}

/** The traffic of one stage while it is sent. */
export interface Traffic extends CaseRequest {
  /** Open connections, by their index. */
  readonly connections: readonly Probe[];
  /** Ends the traffic when it aborts: nothing more is sent, and what is under way is waited for. */
  readonly signal: AbortSignal;
  /** Aborts where the user interrupts, which closes the connections. */
  readonly interruption: AbortSignal;
  /** Number of requests that are under way now. */
  underWay: number;
  /** Requests in the order in which they ended; without those that an interruption cut short. */
  readonly over: FinishedRequest[];
}

/** Counts of a stage, as its record has them. */
type TrafficCounts = Pick<LoadStage, "sent" | "queued" | "late" | "dropped">;

/** Milliseconds of arrivals that may wait for a free connection; what is due beyond that is dropped. */
const WAITING_FOR_MS = 1000;
/**
 * Milliseconds before a due time in which the client watches the clock instead of sleeping, where it has
 * cores of its own.
 */
const SPIN_MS = 1.5;

/** The terms of an open load's arrivals. */
export interface ArrivalTerms {
  /** Milliseconds from the first arrival's due time to the end. */
  readonly stageMs: number;
  /** Seed of random gaps. */
  readonly seed: number;
  /** True where the client has cores that no target runs on. */
  readonly ownCores: boolean;
}

/**
 * Sends requests at a rate, whether answers come or not. One that is due while all connections are taken waits for the
 * next free one, in order, and its latency counts from its due time.
 */
export async function openLoop(
  traffic: Traffic,
  load: OpenLoad,
  { stageMs, seed, ownCores }: ArrivalTerms,
): Promise<TrafficCounts> {
  const { signal } = traffic;
  const arrivals = arrivalTimes(load.perSecond, load.arrivals, stageMs, seed);
  const mostWaiting = Math.max(load.connections, Math.ceil((load.perSecond * WAITING_FOR_MS) / 1000));
  const startedAt = performance.now();
  const drainedAt = startedAt + (arrivals.at(-1) ?? 0) + WAITING_FOR_MS;
  const counts = { sent: 0, queued: 0, late: 0, dropped: 0 };
  const idle = traffic.connections.map((_, connection) => connection);
  const waiting: number[] = [];
  const nextWaiting = (): number | undefined => {
    if (signal.aborted) {
      return undefined;
    }
    if (performance.now() <= drainedAt) {
      return waiting.shift();
    }
    counts.dropped += waiting.splice(0).length;
    return undefined;
  };
  const serve = async (connection: number, dueAt: number) => {
    for (let due: number | undefined = dueAt; due !== undefined; due = nextWaiting()) {
      counts.sent += 1;
      await sendTimed(traffic, connection, due);
    }
    idle.push(connection);
  };
  const served: Promise<void>[] = [];
  for (const arrival of arrivals) {
    const dueAt = startedAt + arrival;
    await waitUntilMoment(dueAt, signal, ownCores ? SPIN_MS : 0);
    if (signal.aborted) {
      break;
    }
    const connection = idle.shift();
    if (connection !== undefined) {
      if (performance.now() - dueAt > LATE_MS) {
        counts.late += 1;
      }
      served[connection] = serve(connection, dueAt);
    } else if (waiting.length < mostWaiting) {
      counts.queued += 1;
      waiting.push(dueAt);
    } else {
      counts.dropped += 1;
    }
  }
  await Promise.all(served);
  return counts;
}

/**
 * Waits until a moment, or an abort.
 *
 * @param at the moment by `performance.now()`.
 * @param spinMs milliseconds before that moment in which the clock is watched instead of sleeping. Default:
 * 0.
 */
export async function waitUntilMoment(at: number, signal: AbortSignal, spinMs = 0): Promise<void> {
  for (let restMs = at - performance.now(); restMs > 0 && !signal.aborted; restMs = at - performance.now()) {
    if (restMs > spinMs) {
      await delay(restMs - spinMs, undefined, { signal }).catch(() => {});
    } else {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

/**
 * Milliseconds that a connection waits after a failure before it tries again: a dead server must not be
 * hammered.
 */
const AFTER_FAILURE_MS = 50;

/**
 * Sends requests on every connection, each when the answer before it is complete.
 *
 * @param durationMs milliseconds after which none is begun.
 */
export async function closedLoop(traffic: Traffic, durationMs: number): Promise<TrafficCounts> {
  const endsAt = performance.now() + durationMs;
  let sent = 0;
  const mayGoOn = () => !traffic.signal.aborted && performance.now() < endsAt;
  await Promise.all(
    traffic.connections.map(async (_, connection) => {
      while (mayGoOn()) {
        sent += 1;
        const { error } = await sendTimed(traffic, connection, performance.now());
        if (error?.kind === "connection" && mayGoOn()) {
          await delay(AFTER_FAILURE_MS);
        }
      }
    }),
  );
  return { sent, queued: 0, late: 0, dropped: 0 };
}

/** Sends one request, and notes it when it is over, but for one that was cut short. @param intendedAt its due time by `performance.now()`. */
async function sendTimed(traffic: Traffic, connection: number, intendedAt: number): Promise<Exchange> {
  const probe = traffic.connections[connection] as Probe;
  const begunAt = performance.now();
  /** Requests that were under way when this one began. */
  const outstanding = traffic.underWay;
  traffic.underWay += 1;
  const digest = drawsComparison(traffic.expected);
  const exchange = await probe.exchange(traffic.path, traffic.expected, { digest });
  traffic.underWay -= 1;
  const overAt = performance.now();
  checkBody(exchange, traffic.expected);
  if (!traffic.interruption.aborted) {
    traffic.over.push({ connection, intendedAt, begunAt, overAt, outstanding, exchange });
  }
  return exchange;
}

/**
 * Draws the times at which the requests of an open load are due, in milliseconds from its start, in ascending order.
 *
 * @param perSecond arrivals per second.
 * @param arrivals "poisson": exponential gaps, -ln(1 - u) / rate (Knuth, The Art of Computer Programming,
 * volume 2, section 3.4.1). "uniform": equal gaps.
 */
export function arrivalTimes(
  perSecond: number,
  arrivals: Arrivals,
  durationMs: number,
  seed: number,
): Float64Array {
  const meanGapMs = 1000 / perSecond;
  const random = seededRandom(seed);
  const gap = arrivals === "uniform" ? () => meanGapMs : () => -Math.log(1 - random()) * meanGapMs;
  const times: number[] = [];
  // The first one stands half a gap in, so that equal gaps fill the time evenly.
  let time = arrivals === "uniform" ? meanGapMs / 2 : gap();
  while (time < durationMs) {
    times.push(time);
    time += gap();
  }
  return Float64Array.from(times);
}
