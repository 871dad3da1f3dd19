import { logRatioInterval } from "./interval.ts";
import { drawNormal, type Random, seededRandom } from "./random.ts";
import type { PairedTimes } from "./series.ts";
import { deviation, judge } from "./verdict.ts";

/** A synthetic pair of targets. Standard deviations are of the logarithm of a time, about fractions. */
export interface Scenario {
  readonly name: string;
  readonly generations: number;
  readonly roundsPerGeneration: number;
  /** Of one process against the next of the same build. */
  readonly instanceSd: number;
  /** Of one exchange against the next. */
  readonly exchangeSd: number;
  /** Correlation of a target's neighbouring exchanges. */
  readonly autocorrelation: number;
  /** Slowdown of the machine over the run, hitting both targets. */
  readonly drift: number;
  /** Share of exchanges that take three times as long. */
  readonly outliers: number;
  /** Exchanges with Student-like tails instead of normal ones. */
  readonly heavyTails: boolean;
}

/** Times of two targets of which the first takes `ratio` times as long as the second. */
export function simulatePair(scenario: Scenario, ratio: number, random: Random): PairedTimes[] {
  const { generations, roundsPerGeneration: rounds } = scenario;
  return Array.from({ length: generations }, (_, generation) => {
    const driftAt = (round: number) =>
      scenario.drift * ((generation * rounds + round) / (generations * rounds));
    return {
      target: simulateInstance(scenario, Math.log(ratio), driftAt, random),
      baseline: simulateInstance(scenario, 0, driftAt, random),
    };
  });
}

function simulateInstance(
  scenario: Scenario,
  logLevel: number,
  driftAt: (round: number) => number,
  random: Random,
): Float64Array {
  const { instanceSd, exchangeSd, autocorrelation } = scenario;
  const instance = drawNormal(random) * instanceSd;
  let noise = drawNormal(random);
  return Float64Array.from({ length: scenario.roundsPerGeneration }, (_, round) => {
    noise = autocorrelation * noise + Math.sqrt(1 - autocorrelation ** 2) * drawNormal(random);
    // A normal number over the root of a mean of three squares: Student's t with 3 degrees of freedom.
    const tail = scenario.heavyTails ? 1 / Math.sqrt(meanSquare(random, 3)) : 1;
    const outlier = random() < scenario.outliers ? Math.log(3) : 0;
    return Math.exp(logLevel + instance + driftAt(round) + noise * tail * exchangeSd + outlier);
  });
}

function meanSquare(random: Random, count: number): number {
  let sum = 0;
  for (let index = 0; index < count; index++) sum += drawNormal(random) ** 2;
  return sum / count;
}

export interface SimulationResult {
  /** Share of runs whose 95 % interval holds the true ratio. */
  readonly coverage: number;
  /** Share of runs whose verdict is "faster" or "slower", each with a control of its own. */
  readonly claimed: number;
  /** Median half width of the intervals. */
  readonly halfWidth: number;
}

/** Simulates runs: a pair of targets with the given true ratio, and a control of twins, through the real analysis. */
export function simulateRuns(
  scenario: Scenario,
  ratio: number,
  runs: number,
  seed: number,
): SimulationResult {
  const random = seededRandom(seed);
  const widths: number[] = [];
  let covered = 0;
  let claimed = 0;
  for (let run = 0; run < runs; run++) {
    const interval = exponential(logRatioInterval(simulatePair(scenario, ratio, random), random));
    const control = exponential(logRatioInterval(simulatePair(scenario, 1, random), random));
    const noiseFloor = Math.max(deviation(control.low), deviation(control.high));
    if (interval.low <= ratio && ratio <= interval.high) covered += 1;
    const { verdict } = judge(interval, noiseFloor, 0.02);
    if (verdict === "faster" || verdict === "slower") claimed += 1;
    widths.push((interval.high - interval.low) / 2 / interval.estimate);
  }
  const middle = widths.sort((a, b) => a - b)[Math.floor(runs / 2)] ?? Number.NaN;
  return { coverage: covered / runs, claimed: claimed / runs, halfWidth: middle };
}

function exponential({ estimate, low, high }: { estimate: number; low: number; high: number }) {
  return { estimate: Math.exp(estimate), low: Math.exp(low), high: Math.exp(high), level: 0.95 };
}
