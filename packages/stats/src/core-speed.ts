// A core's speed changes while a case is measured: neighbours, heat, and clocks that rise and fall. A fixed
// loop (the gauge) is timed on the same core beside each request, and says how fast the core was. Here times
// are adjusted by it.
import { logMs, mean, median, sum } from "./numbers.ts";

/** A time beside what the gauge took on the same core. */
export interface GaugedTime {
  /** Time of the work, in milliseconds. */
  readonly ms: number;
  /** Time of a fixed loop on the same core, in milliseconds; undefined where that was not measured. */
  readonly gaugeMs?: number | undefined;
}

/**
 * Upper limit of the elasticity. At 1 the code takes exactly as much longer as the loop does on a slower
 * core; code cannot follow its core's speed much more than a loop that does nothing but compute. What lies
 * beyond is chance.
 */
const MAX_ELASTICITY = 1.5;

/**
 * Largest distance of a logarithm from its instance's median that is used in full, and the limit for those
 * beyond. A core does not become 1.65 times (e to the 0.5) as slow by its clock: what takes so much longer
 * has another cause.
 */
const MAX_LOG_RESIDUAL = 0.5;

/**
 * Estimates the elasticity of a target's times, which is how far they follow the speed of its core: the exponent e in
 * `time ~ gauge ^ e`, from 0 (not at all) to `MAX_ELASTICITY`. It is the pooled slope within instances, as in an
 * analysis of covariance (Fisher, 1932): what differs between instances is not in it.
 *
 * @param instances of one target, each with the times of its rounds.
 * @returns 0 where the gauge was not measured, or always took the same.
 */
export function speedElasticity(instances: readonly (readonly GaugedTime[])[]): number {
  const squares: number[] = [];
  const products: number[] = [];
  for (const values of instances) {
    const logTimes: number[] = [];
    const logGauges: number[] = [];
    for (const { ms, gaugeMs } of values) {
      if (gaugeMs !== undefined) {
        logTimes.push(logMs(ms));
        logGauges.push(Math.log(gaugeMs));
      }
    }
    const times = centred(logTimes);
    for (const [index, gauge] of centred(logGauges).entries()) {
      squares.push(gauge * gauge);
      products.push(gauge * (times[index] as number));
    }
  }
  const sumOfSquares = sum(squares);
  if (sumOfSquares === 0) {
    return 0;
  }
  return Math.min(Math.max(sum(products) / sumOfSquares, 0), MAX_ELASTICITY);
}

/** Logarithms less their mean, after those far from the median were drawn nearer to it. */
function centred(logs: readonly number[]): readonly number[] {
  if (logs.length === 0) {
    return [];
  }
  const middle = median(logs);
  const kept = logs.map((value) => Math.min(Math.max(value - middle, -MAX_LOG_RESIDUAL), MAX_LOG_RESIDUAL));
  const centre = mean(kept);
  return kept.map((value) => value - centre);
}

/**
 * Gives the speed that times are adjusted to: the mean logarithm of all gauges, in log milliseconds; NaN where none
 * was measured.
 */
export function usualLogGauge(values: readonly GaugedTime[]): number {
  const known = values.map(({ gaugeMs }) => gaugeMs).filter((gaugeMs) => gaugeMs !== undefined);
  return mean(known.map((gaugeMs) => Math.log(gaugeMs)));
}

/**
 * Computes the time that work would have taken on a core of the usual speed, in milliseconds: `ms * (usual
 * gauge / gauge) ^ elasticity`. It is the time itself where the gauge was not measured.
 */
export function speedAdjustedMs({ ms, gaugeMs }: GaugedTime, elasticity: number, usualLog: number): number {
  if (gaugeMs === undefined) {
    return ms;
  }
  return ms * Math.exp(elasticity * (usualLog - Math.log(gaugeMs)));
}
