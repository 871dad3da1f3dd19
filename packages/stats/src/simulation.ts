import { drawNormal, type Random } from "./random.ts";

/** Some that take longer than the others. */
interface SimulatedKinds {
  readonly share: number;
  /** How many times as long. */
  readonly factor: number;
}

/** A synthetic case. Standard deviations are of the logarithm of a time: about fractions. */
export interface Scenario {
  readonly name: string;
  /** Trials. */
  readonly trials: number;
  readonly roundsPerTrial: number;
  /** Of one process against the next of the same build. */
  readonly instanceSd: number;
  /** Of one exchange against the next. */
  readonly exchangeSd: number;
  /** Correlation of a target's neighbouring exchanges. */
  readonly autocorrelation: number;
  /** Slowdown of the machine over the run, hitting all targets alike. */
  readonly drift: number;
  /**
   * The machine's speed changes, for all targets alike: it is so many times slower half of the time, for so
   * many rounds on average.
   */
  readonly machine?: { readonly factor: number; readonly rounds: number };
  /** Trials in which the machine is unsteady: exchanges scatter by so much more there, of all targets. */
  readonly unsteady?: { readonly share: number; readonly exchangeSd: number };
  /** Share of exchanges that take three times as long. */
  readonly outliers: number;
  /** Exchanges scatter by Student's t with 3 degrees of freedom instead of normally. */
  readonly heavyTails: boolean;
  /** Instances that take longer for their whole lives, drawn at random. */
  readonly instanceKinds?: SimulatedKinds;
  /** Exchanges that take longer at regular distances, as where a collector runs in every second one. */
  readonly exchangeKinds?: SimulatedKinds;
  /** By how much every instance's times fall over its rounds, evenly: it was not warm. A fraction. */
  readonly fall?: number;
  /** What is different with the target alone. */
  readonly target?: Partial<Scenario>;
}

/** Each target's times: by trial, then by round; milliseconds around 20. */
export interface SimulatedRun {
  readonly baseline: readonly Float64Array[];
  readonly copy: readonly Float64Array[];
  readonly target: readonly Float64Array[];
  /** One more that is compared with the baseline. */
  readonly other: readonly Float64Array[];
}

const TYPICAL_MS = 20;

/**
 * Times of a baseline, its A/A copy, a target that takes `ratio` times as long in truth, and another that
 * takes as long as the baseline.
 */
export function simulateRun(scenario: Scenario, ratio: number, random: Random): SimulatedRun {
  const course = courseOfMachine(scenario, random);
  const unsteady = unsteadyTrials(scenario, random);
  const machine = { course, unsteady };
  return {
    baseline: simulateTarget(scenario, 1, machine, random),
    copy: simulateTarget(scenario, 1, machine, random),
    target: simulateTarget({ ...scenario, ...scenario.target }, ratio, machine, random),
    other: simulateTarget(scenario, 1, machine, random),
  };
}

/** What all targets meet alike. */
interface Machine {
  /** Logarithm of its slowness, by round of the whole run. */
  readonly course: (round: number) => number;
  /** By trial: what is added to the scatter of exchanges. */
  readonly unsteady: readonly number[];
}

function unsteadyTrials({ unsteady, trials }: Scenario, random: Random): readonly number[] {
  if (unsteady === undefined) return [];
  return Array.from({ length: trials }, () => (random() < unsteady.share ? unsteady.exchangeSd : 0));
}

function courseOfMachine({ machine, trials, roundsPerTrial }: Scenario, random: Random): Machine["course"] {
  if (machine === undefined) return () => 0;
  let isSlow = random() < 0.5;
  const slow = Array.from({ length: trials * roundsPerTrial }, () => {
    if (random() < 1 / machine.rounds) isSlow = !isSlow;
    return isSlow;
  });
  return (round) => (slow[round] ? Math.log(machine.factor) : 0);
}

function simulateTarget(scenario: Scenario, ratio: number, machine: Machine, random: Random): Float64Array[] {
  const { trials, roundsPerTrial } = scenario;
  return Array.from({ length: trials }, (_, trial) => {
    const instance = drawNormal(random) * scenario.instanceSd + instanceKind(scenario, random);
    const noise = correlatedNoise(scenario, scenario.exchangeSd + (machine.unsteady[trial] ?? 0), random);
    const course = courseOfInstance(scenario, random);
    return Float64Array.from({ length: roundsPerTrial }, (_, round) => {
      const roundOfRun = trial * roundsPerTrial + round;
      const share = roundOfRun / (trials * roundsPerTrial);
      const outlier = random() < scenario.outliers ? 3 : 1;
      const common = scenario.drift * share + machine.course(roundOfRun);
      const log = instance + common + course(round) + noise();
      return TYPICAL_MS * ratio * outlier * Math.exp(log);
    });
  });
}

function instanceKind({ instanceKinds }: Scenario, random: Random): number {
  return instanceKinds !== undefined && random() < instanceKinds.share ? Math.log(instanceKinds.factor) : 0;
}

/** What an instance's rounds have of their place in its life, as logarithms. */
function courseOfInstance(
  { exchangeKinds, fall = 0, roundsPerTrial }: Scenario,
  random: Random,
): (round: number) => number {
  const slope = Math.log1p(-fall) / roundsPerTrial;
  if (exchangeKinds === undefined) return (round) => slope * round;
  const { share, factor } = exchangeKinds;
  const begin = random();
  const isLong = (round: number) => (begin + round * share) % 1 >= 1 - share;
  return (round) => slope * round + (isLong(round) ? Math.log(factor) : 0);
}

/** Stationary first-order autoregressive noise, its scale drawn anew for each value where tails are heavy. */
function correlatedNoise(
  { autocorrelation, heavyTails }: Scenario,
  exchangeSd: number,
  random: Random,
): () => number {
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
