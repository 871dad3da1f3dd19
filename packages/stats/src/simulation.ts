import { drawNormal, type Random } from "./random.ts";

/** A synthetic case. Standard deviations are of the logarithm of a time: about fractions. */
export interface Scenario {
  readonly name: string;
  /** Sets of fresh instances. */
  readonly generations: number;
  readonly roundsPerGeneration: number;
  /** Of one process against the next of the same build. */
  readonly instanceSd: number;
  /** Of one exchange against the next. */
  readonly exchangeSd: number;
  /** Correlation of a target's neighbouring exchanges. */
  readonly autocorrelation: number;
  /** Slowdown of the machine over the run, hitting all targets alike. */
  readonly drift: number;
  /** Share of exchanges that take three times as long. */
  readonly outliers: number;
  /** Exchanges scatter by Student's t with 3 degrees of freedom instead of normally. */
  readonly heavyTails: boolean;
}

/** Each target's times: by generation, then by round; milliseconds around 20. */
export interface SimulatedRun {
  readonly baseline: readonly Float64Array[];
  readonly twin: readonly Float64Array[];
  readonly target: readonly Float64Array[];
}

const TYPICAL_MS = 20;

/** Times of a baseline, its twin, and a target that takes `ratio` times as long in truth. */
export function simulateRun(scenario: Scenario, ratio: number, random: Random): SimulatedRun {
  return {
    baseline: simulateTarget(scenario, 1, random),
    twin: simulateTarget(scenario, 1, random),
    target: simulateTarget(scenario, ratio, random),
  };
}

function simulateTarget(scenario: Scenario, ratio: number, random: Random): Float64Array[] {
  const { generations, roundsPerGeneration } = scenario;
  return Array.from({ length: generations }, (_, generation) => {
    const instance = drawNormal(random) * scenario.instanceSd;
    const noise = correlatedNoise(scenario, random);
    return Float64Array.from({ length: roundsPerGeneration }, (_, round) => {
      const share = (generation * roundsPerGeneration + round) / (generations * roundsPerGeneration);
      const outlier = random() < scenario.outliers ? 3 : 1;
      return TYPICAL_MS * ratio * outlier * Math.exp(instance + scenario.drift * share + noise());
    });
  });
}

/** Stationary first-order autoregressive noise, its scale drawn anew for each value where tails are heavy. */
function correlatedNoise(scenario: Scenario, random: Random): () => number {
  const { autocorrelation, exchangeSd, heavyTails } = scenario;
  const fresh = Math.sqrt(1 - autocorrelation ** 2);
  let noise = drawNormal(random);
  return () => {
    const value = heavyTails ? noise / Math.sqrt(meanSquare(random, 3)) : noise;
    noise = autocorrelation * noise + fresh * drawNormal(random);
    return value * exchangeSd;
  };
}

function meanSquare(random: Random, count: number): number {
  let sum = 0;
  for (let index = 0; index < count; index++) sum += drawNormal(random) ** 2;
  return sum / count;
}
