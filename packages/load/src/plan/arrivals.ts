import type { Arrivals } from "@evenbench/results";
import { seededRandom } from "@evenbench/stats";

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
