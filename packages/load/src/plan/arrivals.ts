import type { Arrivals } from "@evenbench/results";
import { seededRandom } from "@evenbench/stats";

/**
 * The times at which requests are due, in milliseconds from the start, in ascending order.
 *
 * uniform: equal gaps of 1/rate. poisson: gaps drawn from the exponential distribution by inversion, -ln(1 - u) / rate
 * (Knuth, The Art of Computer Programming, volume 2, section 3.4.1), so that the number in any span is Poisson's.
 *
 * @param perSecond more than 0.
 * @param seed an integer from 0 to 2^32 - 1; the same seed gives the same times.
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
