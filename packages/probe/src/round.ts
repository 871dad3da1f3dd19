import { setTimeout } from "node:timers/promises";
import type { Exchange, ExchangeCost, Keep } from "./exchange.ts";
import type { Expectation } from "./expectation.ts";
import { checkDigest, type Probe } from "./probe.ts";

/** A target's place in a round. */
export interface Position {
  readonly name: string;
  readonly probe: Probe;
  /** What is asked for, such as "/react-ssr". */
  readonly path: string;
  readonly expected: Expectation;
  /** Names the next request, for a platform that accounts by name. */
  readonly requestId?: string | undefined;
  /** Reads what the server used since it was last asked, where its system reports it. */
  readCost?(): ExchangeCost;
}

/**
 * One exchange at every position, one after the other in the order given; one that stands there several times
 * gets as many.
 */
export async function runRound(
  order: readonly Position[],
  keep: Keep,
  signal?: AbortSignal,
  pauseMs = 0,
): Promise<Exchange[]> {
  const exchanges: Exchange[] = [];
  for (const position of order) {
    if (pauseMs > 0) await setTimeout(pauseMs, undefined, { signal }).catch(() => {});
    if (signal?.aborted) break;
    const exchange = await position.probe.exchange(
      position.path,
      position.expected,
      keep,
      position.requestId,
    );
    if (signal?.aborted) break;
    exchange.cost = position.readCost?.() ?? null;
    exchanges.push(exchange);
  }
  for (const [index, exchange] of exchanges.entries()) {
    const position = order[index];
    if (position !== undefined) checkDigest(exchange, position.expected);
  }
  return exchanges;
}
