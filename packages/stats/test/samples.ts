import type { Sample } from "@evenbench/results";
import { testSample } from "@evenbench/results/testing";
import { type Random, seededRandom } from "../src/random.ts";
import type { WarmInstances } from "../src/warmth.ts";

export { testSample };

/** Instances or exchanges of two kinds, one of which takes longer. */
export interface SimulatedKinds {
  /** Share of those that take longer, from 0 to 1. */
  readonly share: number;
  /** How many times as long they take. */
  readonly factor: number;
}

/** A synthetic case. Standard deviations are of the logarithm of a time: about fractions. */
export interface Scenario {
  readonly name: string;
  readonly trials: number;
  readonly roundsPerTrial: number;
  /** Standard deviation of one process against the next of the same build. */
  readonly instanceSd: number;
  /** Degrees of freedom of Student's t, by which instances scatter. Default: they scatter normally. */
  readonly instanceTails?: number;
  /** Standard deviation of what all targets of a trial share. Default: 0. */
  readonly trialSd?: number;
  /** Trials that take longer for all targets, drawn at random: the machine is slower in them. */
  readonly trialKinds?: SimulatedKinds;
  /** Power of what targets of a trial share by which they take longer. Default: 1. */
  readonly speedPower?: number;
  /** Standard deviation of one exchange against the next. */
  readonly exchangeSd: number;
  /** Correlation of a target's neighbouring exchanges. */
  readonly autocorrelation: number;
  /** Slowdown of the machine over the run, hitting all targets alike. */
  readonly drift: number;
  /** Share of exchanges that take three times as long. */
  readonly outliers: number;
  /** Instances that take longer for their whole lives, drawn at random. */
  readonly instanceKinds?: SimulatedKinds;
  /** Exchanges that take longer at regular distances, as where a collector runs in every second one. */
  readonly exchangeKinds?: SimulatedKinds;
  /** Fraction by which every instance's times fall over its rounds, evenly: it was not warm. */
  readonly fall?: number;
  /** Properties that differ for the target "other" alone. */
  readonly target?: Partial<Scenario>;
}

/** The scenario of tests that care for none of its numbers. */
export const TEST_SCENARIO: Scenario = {
  name: "for tests",
  trials: 5,
  roundsPerTrial: 20,
  instanceSd: 0.01,
  exchangeSd: 0.03,
  autocorrelation: 0.3,
  drift: 0.05,
  outliers: 0.02,
};

/** Time of a request of the baseline in a simulation, in milliseconds. */
const TYPICAL_MS = 20;

/** Gives the knowledge of warmth where one target was not warm in some trials, since it "fell". */
export function coldIn(target: string, trials: readonly number[]): WarmInstances {
  return new Map([[target, new Map(trials.map((trial) => [trial, { code: "still-falling" } as const]))]]);
}

/** Draws a standard normal number (Box & Muller, 1958). */
export function drawNormal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Simulates samples of "node", "node~copy" and "other", which takes `ratio` times as long. */
export function testRun(ratio: number, seed: number, scenario: Scenario = TEST_SCENARIO): Sample[] {
  return simulateSamples(scenario, ratio, seededRandom(seed)).filter(({ target }) => target !== "another");
}

/** Simulates samples of "node", "node~copy" and "another", alike, and of "other", which takes `ratio` times as long. */
export function simulateSamples(
  scenario: Scenario,
  ratio: number,
  random: Random,
  caseId = "case",
): Sample[] {
  const shared = Array.from({ length: scenario.trials }, () => sharedInTrial(scenario, random));
  return ["node", "node~copy", "other", "another"].flatMap((target) => {
    const isOther = target === "other";
    const drawn = isOther ? { ...scenario, ...scenario.target } : scenario;
    const { speedPower = 1 } = drawn;
    return simulateTarget(drawn, isOther ? ratio : 1, random).flatMap((times, trial) =>
      [...times].map((time, roundIndex) => {
        const lastByteMs = time * Math.exp(speedPower * (shared[trial] as number));
        return testSample({ caseId, target, trial, roundIndex, lastByteMs, firstByteMs: lastByteMs / 2 });
      }),
    );
  });
}

/** Simulates the times of a target in milliseconds: by trial, then by round. */
function simulateTarget(scenario: Scenario, ratio: number, random: Random): Float64Array[] {
  const { trials, roundsPerTrial } = scenario;
  return Array.from({ length: trials }, (_, trial) => {
    const instance = instanceOf(scenario, random);
    const noise = correlatedNoise(scenario, random);
    const placeEffect = effectOfPlace(scenario, random);
    return Float64Array.from({ length: roundsPerTrial }, (_, round) => {
      const share = (trial * roundsPerTrial + round) / (trials * roundsPerTrial);
      const outlier = random() < scenario.outliers ? 3 : 1;
      return (
        TYPICAL_MS *
        ratio *
        outlier *
        Math.exp(instance + scenario.drift * share + placeEffect(round) + noise())
      );
    });
  });
}

/** Draws how much longer all targets of a trial take, as a logarithm. */
function sharedInTrial({ trialSd, trialKinds }: Scenario, random: Random): number {
  const isSlow = trialKinds !== undefined && random() < trialKinds.share;
  const bySd = trialSd === undefined ? 0 : trialSd * drawNormal(random);
  return bySd + (isSlow ? Math.log(trialKinds.factor) : 0);
}

function instanceOf({ instanceSd, instanceTails, instanceKinds }: Scenario, random: Random): number {
  const tails = instanceTails === undefined ? 1 : Math.sqrt(meanSquare(random, instanceTails));
  const isSlow = instanceKinds !== undefined && random() < instanceKinds.share;
  return (drawNormal(random) * instanceSd) / tails + (isSlow ? Math.log(instanceKinds.factor) : 0);
}

/** How much longer a round takes by its place in an instance's life, as a logarithm. */
function effectOfPlace(
  { exchangeKinds, fall = 0, roundsPerTrial }: Scenario,
  random: Random,
): (round: number) => number {
  const slope = Math.log1p(-fall) / roundsPerTrial;
  if (exchangeKinds === undefined) {
    return (round) => slope * round;
  }
  const { share, factor } = exchangeKinds;
  const begin = random();
  const isLong = (round: number) => (begin + round * share) % 1 >= 1 - share;
  return (round) => slope * round + (isLong(round) ? Math.log(factor) : 0);
}

/** Stationary first-order autoregressive noise. */
function correlatedNoise({ autocorrelation, exchangeSd }: Scenario, random: Random): () => number {
  const fresh = Math.sqrt(1 - autocorrelation ** 2);
  let noise = drawNormal(random);
  return () => {
    const value = noise;
    noise = autocorrelation * noise + fresh * drawNormal(random);
    return value * exchangeSd;
  };
}

/** The mean of so many squares of normal numbers. */
function meanSquare(random: Random, count: number): number {
  let sum = 0;
  for (let index = 0; index < count; index++) {
    sum += drawNormal(random) ** 2;
  }
  return sum / count;
}
