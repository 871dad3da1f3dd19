import { send, type Traffic, type TrafficCounts } from "./traffic.ts";

/** Beyond this a free connection's sending counts as late. Node.js's timers are good to about one millisecond. */
const LATE_MS = 2;

export interface OpenLoopOptions {
  /** When requests are due, in milliseconds from the start, ascending. */
  readonly arrivals: Float64Array;
  /** So many may wait for a connection; what is due beyond them is dropped. */
  readonly mostWaiting: number;
  /** What still waits for a connection so long after the last arrival is dropped. */
  readonly drainMs: number;
  /** Timers are set for so long before a request is due, and the rest of the time the loop looks at the clock. */
  readonly spinMs: number;
}

/**
 * Open loop: requests are sent when they are due, whether or not earlier ones have been answered. One that finds all connections
 * taken waits for the next free one, in order; its latency counts from when it was due. Resolves when every request that
 * was sent has its answer.
 */
export function openLoop(traffic: Traffic, options: OpenLoopOptions): Promise<TrafficCounts> {
  const { arrivals, mostWaiting, drainMs, spinMs } = options;
  const startedAt = performance.now();
  const lastAt = startedAt + (arrivals.at(-1) ?? 0);
  const idle = traffic.connections.map((_, connection) => connection);
  const waiting: number[] = [];
  const counts = { sent: 0, queued: 0, late: 0, dropped: 0 };
  let next = 0;
  let timer: NodeJS.Timeout | undefined;
  const done = Promise.withResolvers<TrafficCounts>();

  function offer(intendedAt: number): void {
    // In turn, so that every connection (and with it every instance) gets its share.
    const connection = idle.shift();
    if (connection !== undefined) {
      if (performance.now() - intendedAt > LATE_MS) counts.late += 1;
      void serve(connection, intendedAt);
    } else if (waiting.length < mostWaiting) {
      counts.queued += 1;
      waiting.push(intendedAt);
    } else counts.dropped += 1;
  }

  async function serve(connection: number, intendedAt: number): Promise<void> {
    for (let due: number | undefined = intendedAt; due !== undefined; due = nextWaiting()) {
      counts.sent += 1;
      await send(traffic, connection, due);
    }
    idle.push(connection);
    endIfDone();
  }

  function nextWaiting(): number | undefined {
    if (performance.now() <= lastAt + drainMs) return waiting.shift();
    counts.dropped += waiting.splice(0).length;
    return undefined;
  }

  function tick(): void {
    const now = performance.now();
    while (next < arrivals.length && startedAt + (arrivals[next] as number) <= now) {
      offer(startedAt + (arrivals[next] as number));
      next += 1;
    }
    if (next === arrivals.length) {
      endIfDone();
      return;
    }
    const restMs = startedAt + (arrivals[next] as number) - performance.now();
    if (restMs <= spinMs) setImmediate(tick);
    else timer = setTimeout(tick, restMs - spinMs);
  }

  function endIfDone(): void {
    if (next === arrivals.length && idle.length === traffic.connections.length) done.resolve(counts);
  }

  function stop(): void {
    next = arrivals.length;
    waiting.length = 0;
    clearTimeout(timer);
    endIfDone();
  }

  traffic.signal.addEventListener("abort", stop, { once: true });
  if (traffic.signal.aborted) stop();
  else tick();
  return done.promise.finally(() => traffic.signal.removeEventListener("abort", stop));
}
