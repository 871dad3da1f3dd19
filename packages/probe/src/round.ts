import type { Exchange, Keep } from "./exchange.ts";
import type { Expectation } from "./expectation.ts";
import { checkDigest, type Probe } from "./probe.ts";

/** A target's place in a round. */
export interface Lane {
  readonly name: string;
  readonly probe: Probe;
  /** What is asked for, such as "/react-ssr". */
  readonly path: string;
  readonly expected: Expectation;
  /** Names the next request, for a platform that accounts by name. */
  readonly requestId?: string | undefined;
}

/**
 * One exchange with every lane, one after the other in the order given. Bodies are hashed when the last exchange
 * is over, so the work of checking one target falls into no other target's time.
 *
 * @param keep with the body, it is checked by digest; its length always is.
 * @returns the exchanges, in the same order; fewer when `signal` aborted: one that it cut short is left out.
 */
export async function runRound(
  order: readonly Lane[],
  keep: Keep,
  signal?: AbortSignal,
): Promise<Exchange[]> {
  const exchanges: Exchange[] = [];
  for (const lane of order) {
    if (signal?.aborted) break;
    const exchange = await lane.probe.exchange(lane.path, lane.expected, keep, lane.requestId);
    if (signal?.aborted) break;
    exchanges.push(exchange);
  }
  for (const [position, exchange] of exchanges.entries()) {
    const lane = order[position];
    if (lane !== undefined) checkDigest(exchange, lane.expected);
  }
  return exchanges;
}
