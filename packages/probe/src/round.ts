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

/** How a round is played. */
export interface RoundManner {
  /** Before each exchange. */
  readonly pauseMs?: number;
  /** So many neighbours in the order are asked at the same moment; each must stand there once. Default 1. */
  readonly together?: number;
}

/** One exchange at every position in the order given; one that stands there several times gets as many. */
export async function runRound(
  order: readonly Position[],
  keep: Keep,
  signal?: AbortSignal,
  { pauseMs = 0, together = 1 }: RoundManner = {},
): Promise<Exchange[]> {
  const exchanges: Exchange[] = [];
  for (let next = 0; next < order.length; next += together) {
    if (pauseMs > 0) await setTimeout(pauseMs, undefined, { signal }).catch(() => {});
    if (signal?.aborted) break;
    const asked = order.slice(next, next + together);
    const made = await Promise.all(
      asked.map(({ probe, path, expected, requestId }) => probe.exchange(path, expected, keep, requestId)),
    );
    if (signal?.aborted) break;
    for (const [index, exchange] of made.entries()) {
      exchange.cost = asked[index]?.readCost?.() ?? null;
      exchanges.push(exchange);
    }
  }
  for (const [index, exchange] of exchanges.entries()) {
    const position = order[index];
    if (position !== undefined) checkDigest(exchange, position.expected);
  }
  return exchanges;
}
