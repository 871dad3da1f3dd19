import type { Exchange } from "@evenbench/probe";

/** The warm-up exchanges of one instance that succeeded, in order. Milliseconds. */
export interface WarmUpSeries {
  /** CPU time of each exchange; the time to its last byte where there is no account of it. */
  readonly costs: number[];
  /** Time to the last byte of each exchange. */
  readonly times: number[];
  /** Sum of `costs`. */
  costMs: number;
  /** Sum of `times`. */
  timeMs: number;
}

/** Makes the series of an instance that has answered nothing yet. */
export function emptySeries(): WarmUpSeries {
  return { costs: [], times: [], costMs: 0, timeMs: 0 };
}

/** Adds an exchange to the series. One that failed is left out. @returns whether it was added. */
export function addExchange(
  series: WarmUpSeries,
  { cost: account, error, lastByteMs: time }: Pick<Exchange, "cost" | "error" | "lastByteMs">,
): boolean {
  if (error !== null || time === null) {
    return false;
  }
  const cost = account.cpuMs ?? time;
  series.costs.push(cost);
  series.times.push(time);
  series.costMs += cost;
  series.timeMs += time;
  return true;
}
