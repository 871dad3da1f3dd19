import type { Exchange, Expectation, Probe } from "@evenbench/probe";
import type { UnderWay } from "./under-way.ts";

/** An exchange that is over, as a loop hands it on. Times as `performance.now()` has them. */
export interface Answered {
  readonly connection: number;
  readonly intendedAt: number;
  /** Others under way when it was sent. */
  readonly outstanding: number;
  readonly exchange: Exchange;
}

/** What is sent, over which connections, and who is told. */
export interface Traffic {
  readonly connections: readonly Probe[];
  readonly path: string;
  readonly expected: Expectation;
  readonly underWay: UnderWay;
  /** Ends the loop: nothing more is sent then, and what is under way is not reported. */
  readonly signal: AbortSignal;
  answered(one: Answered): void;
}

export interface TrafficCounts {
  readonly sent: number;
  readonly queued: number;
  readonly late: number;
  readonly dropped: number;
}

export async function send(traffic: Traffic, connection: number, intendedAt: number): Promise<Exchange> {
  const probe = traffic.connections[connection] as Probe;
  const outstanding = traffic.underWay.enter();
  const exchange = await probe.exchange(traffic.path, traffic.expected);
  traffic.underWay.leave();
  if (!traffic.signal.aborted) traffic.answered({ connection, intendedAt, outstanding, exchange });
  return exchange;
}
