// The cases and vantages whose runs are simulated.
import type { Scenario } from "@evenbench/stats/testing";

/** The question of all simulated cases: two targets against a baseline with its copy. */
export const QUESTION = {
  metric: "lastByteMs",
  baseline: "node",
  copy: "node~copy",
  targets: ["node", "node~copy", "other", "another"],
} as const;
/** The usual simulated case. */
export const USUAL_SCENARIO: Scenario = {
  name: "neither",
  trials: 5,
  roundsPerTrial: 20,
  instanceSd: 0.01,
  exchangeSd: 0.03,
  autocorrelation: 0,
  drift: 0,
  outliers: 0,
};

/** Standard deviations between instances of seven real cases, as fractions, from loops to pages. */
const INSTANCE_SDS = [0.012, 0.015, 0.02, 0.03, 0.05, 0.08, 0.11];

/** A simulated case, with what is known of its instances before. */
export interface KnownCase extends Scenario {
  /** Standard deviation between instances that the case declares, as a fraction. Not there: it declares none. */
  readonly scatter?: number;
}

/**
 * Simulated runs by their name in the tables, as lists of their cases. In these only instances scatter, and the
 * requests of one do not: three rounds measure an instance exactly.
 */
export const RUNS: Readonly<Record<string, readonly KnownCase[]>> = {
  "seven cases whose instances scatter by 1.2 to 11 %": knownCases(INSTANCE_SDS),
  "the same, known to within 1.5 times": knownCases(INSTANCE_SDS, ({ instanceSd }, index) => ({
    scatter: instanceSd * (index % 2 === 0 ? 1.5 : 1 / 1.5),
  })),
  "the same, taken the wrong way round": knownCases(INSTANCE_SDS, (_, index) => ({
    scatter: INSTANCE_SDS.at(-1 - index) as number,
  })),
  "one target scatters 1.6 times as much": knownCases(INSTANCE_SDS, ({ instanceSd }) => ({
    target: { instanceSd: 1.6 * instanceSd },
  })),
  "two cases have instances of two kinds, 40 % apart": knownCases(INSTANCE_SDS, (_, index) =>
    index < 2 ? { instanceKinds: { share: 0.5, factor: 1.4 } } : {},
  ),
  "heavy tails (Student's t, 5 degrees)": knownCases(INSTANCE_SDS, () => ({ instanceTails: 5 })),
  "two cases, 2 and 5 %": knownCases([0.02, 0.05]),
  "one case alone, 2 %": knownCases([0.02]),
};

/**
 * Makes the seven cases on a machine on which half of the trials take longer.
 *
 * @param factor how many times as long these trials take.
 * @param speedPower power of that factor by which the first target takes longer: its ratio depends on the speed where it is
 * not 1.
 */
export function casesAtSpeeds(factor: number, speedPower: number): readonly KnownCase[] {
  const trialKinds = { share: 0.5, factor };
  return knownCases(INSTANCE_SDS, () => ({ trialSd: 0, trialKinds, target: { speedPower } }));
}

/** Single cases in which requests or instances come in kinds. */
export const MIXED_SCENARIOS: Readonly<Record<string, Partial<Scenario>>> = {
  neither: {},
  "half of the instances take 10 % longer": { instanceKinds: { share: 0.5, factor: 1.1 } },
  "half of the instances take 40 % longer": { instanceKinds: { share: 0.5, factor: 1.4 } },
  "one instance in five takes 40 % longer": { instanceKinds: { share: 0.2, factor: 1.4 } },
  "every 2nd request takes 1.75 times as long": { exchangeKinds: { share: 1 / 2, factor: 1.75 } },
  "the same in 21 rounds: medians lie on either level": {
    roundsPerTrial: 21,
    exchangeKinds: { share: 1 / 2, factor: 1.75 },
  },
  "every 3rd request takes 2.7 times as long": { exchangeKinds: { share: 1 / 3, factor: 2.7 } },
  "every 6th request takes 1.7 times as long": { exchangeKinds: { share: 1 / 6, factor: 1.7 } },
};

/** The usual case of which CPU time is simulated: as many rounds as a page of a framework gets. */
export const CPU_TIME_SCENARIO: Scenario = {
  ...USUAL_SCENARIO,
  roundsPerTrial: 14,
  instanceSd: 0.02,
  trialSd: 0.1,
  exchangeSd: 0.05,
};

/** Cases in which some requests cost more CPU time, of one target where nothing else is said. */
export const COLLECTING_SCENARIOS: Readonly<Record<string, Partial<Scenario>>> = {
  none: {},
  "every 2nd, 1.75 times": { target: { exchangeKinds: { share: 1 / 2, factor: 1.75 } } },
  "every 3rd, 1.6 times": { target: { exchangeKinds: { share: 1 / 3, factor: 1.6 } } },
  "every 3rd, 2.3 times": { target: { exchangeKinds: { share: 1 / 3, factor: 2.3 } } },
  "the same, of all targets": { exchangeKinds: { share: 1 / 3, factor: 2.3 } },
  "every 6th, 1.7 times": { target: { exchangeKinds: { share: 1 / 6, factor: 1.7 } } },
  "1 of 50 by chance, 3 times": { target: { outliers: 0.02 } },
  "the same by chance, of all targets": { outliers: 0.02 },
};

/** Simulated vantages. Times are in milliseconds. */
export interface VantageScenario {
  /** Milliseconds by which the target takes longer, in the mean of all routes that there could be. */
  readonly effectMs: number;
  /** Standard deviation of the effect between routes. */
  readonly betweenMs: number;
  /** Factor of the scatter of the first vantage's trials. Default: 1. */
  readonly scatter?: number;
  /** Milliseconds that the route of the first vantage adds to the target alone. Default: 0. */
  readonly addsMs?: number;
}

/** Vantages, by their name in the table. */
export const VANTAGE_SCENARIOS: Readonly<Record<string, VantageScenario>> = {
  "routes do not differ": { effectMs: 5, betweenMs: 0 },
  "routes differ by 1 ms": { effectMs: 5, betweenMs: 1 },
  "routes differ by 5 ms": { effectMs: 5, betweenMs: 5 },
  "one vantage's trials scatter 10 times as much": { effectMs: 5, betweenMs: 0, scatter: 10 },
  "one vantage is 10 ms slower to the target alone": { effectMs: 5, betweenMs: 0, addsMs: 10 },
};

/** Makes cases whose instances have these standard deviations. @param more gives further fields of a case. */
function knownCases(
  instanceSds: readonly number[],
  more: (scenario: Scenario, index: number) => Partial<KnownCase> = () => ({}),
): readonly KnownCase[] {
  return instanceSds.map((instanceSd, index) => {
    const scenario: Scenario = {
      ...USUAL_SCENARIO,
      name: `case ${index}`,
      instanceSd,
      trialSd: 0.1,
      exchangeSd: 0,
      roundsPerTrial: 3,
    };
    return { ...scenario, ...more(scenario, index) };
  });
}
