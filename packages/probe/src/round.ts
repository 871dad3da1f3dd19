// A round: targets are asked one after the other, and what they answered is checked behind it.
import { setTimeout as delay } from "node:timers/promises";
import type { ExchangeCost } from "@evenbench/results";
import { type CaptureOptions, checkBody, type Exchange, NO_COST } from "./exchange.ts";
import type { Probe } from "./probe.ts";
import type { Expectation } from "./rules.ts";

/** A target that is asked in a round. */
export interface AskedTarget {
  readonly name: string;
  /** The connection that it is asked on. */
  readonly probe: Probe;
  /** Path of the request, with its query. */
  readonly path: string;
  /** The answer that it has to give. */
  readonly expected: Expectation;
  /** Name of this one request, by which its platform accounts for it. */
  readonly requestId?: string | undefined;
  /** Is called right before the exchange, where somebody watches what it costs. */
  beginCost?(): void;
  /** Gives what the exchange cost the target's processes: it is called right after the exchange. */
  readCost?(): ExchangeCost;
}

/**
 * Asks one target after the other. Bodies are checked when all are over; that of a target that is asked several times
 * before it is asked again.
 *
 * @param pauseMs pause before each exchange, in milliseconds. Default: none.
 * @returns the exchanges that were over before an abort, in the order of `order`.
 */
export async function runRound<T extends AskedTarget>(
  order: readonly T[],
  keep: CaptureOptions,
  signal?: AbortSignal,
  pauseMs = 0,
): Promise<{ readonly target: T; readonly exchange: Exchange }[]> {
  const done: { readonly target: T; readonly exchange: Exchange }[] = [];
  for (const target of order) {
    if (pauseMs > 0) {
      await delay(pauseMs, undefined, { signal }).catch(() => {});
    }
    if (signal?.aborted) {
      break;
    }
    const last = done.findLast((earlier) => earlier.target.probe === target.probe);
    if (last !== undefined) {
      checkBody(last.exchange, last.target.expected);
    }
    target.beginCost?.();
    const exchange = await target.probe.exchange(target.path, target.expected, keep, target.requestId);
    if (signal?.aborted) {
      break;
    }
    exchange.cost = target.readCost?.() ?? NO_COST;
    done.push({ target, exchange });
  }
  for (const { target, exchange } of done) {
    checkBody(exchange, target.expected);
  }
  return done;
}
