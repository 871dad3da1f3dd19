import { setTimeout as delay } from "node:timers/promises";
import type { Exchange, Expectation, Probe } from "@evenbench/probe";
import type { Arrivals } from "@evenbench/results";
import { seededRandom } from "@evenbench/stats";
import { LATE_MS } from "@evenbench/vantages/rate";

export interface OpenLoopOptions {
  readonly arrivals: Float64Array;
  readonly mostWaiting: number;
  readonly drainMs: number;
  readonly spinMs: number;
}

/**
 * Open loop: requests are sent when they are due. One that finds all connections taken waits for the next
 * free one, in order, and its latency counts from when it was due.
 */
export function openLoop(traffic: Traffic, options: OpenLoopOptions): Promise<TrafficCounts> {
  return new OpenLoop(traffic, options).run();
}

class OpenLoop {
  readonly #traffic: Traffic;
  readonly #options: OpenLoopOptions;
  readonly #startedAt = performance.now();
  readonly #counts = { sent: 0, queued: 0, late: 0, dropped: 0 };
  readonly #done = Promise.withResolvers<TrafficCounts>();
  readonly #idle: number[];
  readonly #waiting: number[] = [];
  #next = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(traffic: Traffic, options: OpenLoopOptions) {
    this.#traffic = traffic;
    this.#options = options;
    this.#idle = traffic.connections.map((_, connection) => connection);
  }

  run(): Promise<TrafficCounts> {
    const { signal } = this.#traffic;
    const stop = () => this.#stop();
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    else this.#tick();
    return this.#done.promise.finally(() => signal.removeEventListener("abort", stop));
  }

  #tick(): void {
    const now = performance.now();
    while (!this.#isOver && this.#dueAt(this.#next) <= now) {
      this.#offer(this.#dueAt(this.#next));
      this.#next += 1;
    }
    if (this.#isOver) {
      this.#endIfDone();
      return;
    }
    const { spinMs } = this.#options;
    const restMs = this.#dueAt(this.#next) - performance.now();
    if (restMs <= spinMs) setImmediate(() => this.#tick());
    else this.#timer = setTimeout(() => this.#tick(), restMs - spinMs);
  }

  #offer(dueAt: number): void {
    const connection = this.#idle.shift();
    if (connection !== undefined) {
      if (performance.now() - dueAt > LATE_MS) this.#counts.late += 1;
      void this.#serve(connection, dueAt);
    } else if (this.#waiting.length < this.#options.mostWaiting) {
      this.#counts.queued += 1;
      this.#waiting.push(dueAt);
    } else this.#counts.dropped += 1;
  }

  async #serve(connection: number, dueAt: number): Promise<void> {
    for (let due: number | undefined = dueAt; due !== undefined; due = this.#nextWaiting()) {
      this.#counts.sent += 1;
      await send(this.#traffic, connection, due);
    }
    this.#idle.push(connection);
    this.#endIfDone();
  }

  #nextWaiting(): number | undefined {
    const { arrivals, drainMs } = this.#options;
    const lastAt = this.#startedAt + (arrivals.at(-1) ?? 0);
    if (performance.now() <= lastAt + drainMs) return this.#waiting.shift();
    this.#counts.dropped += this.#waiting.splice(0).length;
    return undefined;
  }

  #stop(): void {
    this.#next = this.#options.arrivals.length;
    this.#waiting.length = 0;
    clearTimeout(this.#timer);
    this.#endIfDone();
  }

  #endIfDone(): void {
    if (this.#isOver && this.#idle.length === this.#traffic.connections.length)
      this.#done.resolve(this.#counts);
  }

  get #isOver(): boolean {
    return this.#next === this.#options.arrivals.length;
  }

  #dueAt(index: number): number {
    return this.#startedAt + (this.#options.arrivals[index] as number);
  }
}

/** A connection that failed waits so long before it tries again: a dead server must not be hammered. */
const AFTER_FAILURE_MS = 50;

/**
 * Closed loop: every connection sends its next request when its last answer is complete, for so long.
 * Resolves when the last answer is there; each is bounded by its probe's own timeout.
 */
export async function closedLoop(traffic: Traffic, durationMs: number): Promise<TrafficCounts> {
  const endsAt = performance.now() + durationMs;
  let sent = 0;
  const mayGoOn = () => !traffic.signal.aborted && performance.now() < endsAt;
  await Promise.all(
    traffic.connections.map(async (_, connection) => {
      while (mayGoOn()) {
        sent += 1;
        const { error } = await send(traffic, connection, performance.now());
        if (error?.kind === "connection" && mayGoOn()) await delay(AFTER_FAILURE_MS);
      }
    }),
  );
  return { sent, queued: 0, late: 0, dropped: 0 };
}

export interface Answered {
  readonly connection: number;
  readonly intendedAt: number;
  readonly outstanding: number;
  readonly exchange: Exchange;
}

export interface Traffic {
  readonly connections: readonly Probe[];
  readonly path: string;
  readonly expected: Expectation;
  readonly underWay: UnderWay;
  readonly signal: AbortSignal;
  answered(one: Answered): void;
}

export interface TrafficCounts {
  readonly sent: number;
  readonly queued: number;
  readonly late: number;
  readonly dropped: number;
}

async function send(traffic: Traffic, connection: number, intendedAt: number): Promise<Exchange> {
  const probe = traffic.connections[connection] as Probe;
  const outstanding = traffic.underWay.enter();
  const exchange = await probe.exchange(traffic.path, traffic.expected);
  traffic.underWay.leave();
  if (!traffic.signal.aborted) traffic.answered({ connection, intendedAt, outstanding, exchange });
  return exchange;
}

export class UnderWay {
  #now = 0;
  #integral = 0;
  #changedAt = 0;
  #since = 0;

  get count(): number {
    return this.#now;
  }

  enter(at = performance.now()): number {
    this.#advance(at);
    return this.#now++;
  }

  leave(at = performance.now()): void {
    this.#advance(at);
    this.#now -= 1;
  }

  startWindow(at = performance.now()): void {
    this.#advance(at);
    this.#integral = 0;
    this.#since = at;
  }

  mean(at = performance.now()): number {
    this.#advance(at);
    return at > this.#since ? this.#integral / (at - this.#since) : 0;
  }

  #advance(at: number): void {
    this.#integral += this.#now * (at - this.#changedAt);
    this.#changedAt = at;
  }
}

/**
 * The times at which requests are due, in ascending milliseconds from the start. poisson: exponential
 * gaps, -ln(1 - u) / rate (Knuth, volume 2, 3.4.1).
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
