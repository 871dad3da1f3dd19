// How often what is said of simulated runs is right.
import type { Metric, Sample } from "@evenbench/results";
import {
  analyseFit,
  analyseVantages,
  fitCase,
  fitTwoWay,
  instancesOf,
  intervalOf,
  isDifference,
  isUnsteady,
  type MsByRound,
  mean,
  type RatioInterval,
  seededRandom,
  type Verdict,
  warmthOfTrial,
} from "@evenbench/stats";
import type { Random } from "@evenbench/stats/random";
import { drawNormal, type Scenario, simulateSamples, testSample } from "@evenbench/stats/testing";
import { type Checked, coversTruth, halfWidthWords, type Many, many, manyOf, verdictIf } from "./resample.ts";
import {
  CPU_TIME_SCENARIO,
  casesAtSpeeds,
  type KnownCase,
  QUESTION,
  type VantageScenario,
} from "./scenarios.ts";
import { verdictsOfRun } from "./simulate.ts";

/** Factors of a target's time, for each of which it is found how often the target is called the same. */
export const NEARLY_SAME = [1, 1.02, 1.04, 1.05, 1.07];

function verdictsOfRuns(cases: readonly KnownCase[], trials: number, runs: number, seed: number) {
  const random = seededRandom(seed);
  return manyOf(runs, () => verdictsOfRun(cases, trials, random));
}

/**
 * Simulates runs of two copies, and counts how often they are right.
 *
 * @returns shares in percent, in the order of the table's columns: intervals that hold the truth, the median
 * half-width, copies that are called different, and those that are found slower had they taken 5 % and 10 %
 * longer.
 */
export function runShares(
  cases: readonly KnownCase[],
  trials: number,
  runs: number,
  seed: number,
): readonly string[] {
  const verdicts = verdictsOfRuns(cases, trials, runs, seed);
  const found = (factor: number) => verdicts.share((interval) => verdictIf(interval, factor) === "slower");
  return [
    verdicts.share(coversTruth),
    halfWidthWords(verdicts.all),
    verdicts.share((interval) => isDifference(verdictIf(interval))),
    ...[1.05, 1.1].map(found),
  ];
}

/**
 * Simulates runs of two copies, and counts how often they would be called the same.
 *
 * @returns shares in percent, in the order of `NEARLY_SAME`: had one of them taken so much longer.
 */
export function samenessShares(
  cases: readonly KnownCase[],
  trials: number,
  runs: number,
  seed: number,
): readonly string[] {
  const verdicts = verdictsOfRuns(cases, trials, runs, seed);
  return NEARLY_SAME.map((factor) => verdicts.share((interval) => verdictIf(interval, factor) === "same"));
}

/** Simulates runs whose cases end once they are decided, and counts how often targets are called the same. */
export function stoppedSamenessShares(
  cases: readonly KnownCase[],
  maxTrials: number,
  runs: number,
  seed: number,
): readonly string[] {
  return NEARLY_SAME.map((truth, column) => {
    const random = seededRandom(seed + column);
    const verdicts = manyOf(runs, () => verdictsOfRun(cases, maxTrials, random, { truth, endsEarly: true }));
    return verdicts.share(({ verdict }) => verdict === "same");
  });
}

/**
 * Simulates runs that are looked at after each turn; a verdict is that of the trials which its case has when
 * it ends.
 */
export function stoppedShares(
  cases: readonly KnownCase[],
  maxTrials: number,
  runs: number,
  seed: number,
): readonly string[] {
  const random = seededRandom(seed);
  const verdicts = manyOf(runs, () =>
    [1, 1.05, 1.1, 1.5].flatMap((truth) =>
      verdictsOfRun(cases, maxTrials, random, { truth, endsEarly: true }),
    ),
  );
  const withTruth = (truth: number) => many(verdicts.all.filter((comparison) => comparison.truth === truth));
  return [
    withTruth(1).share(({ verdict }) => isDifference(verdict)),
    verdicts.share(coversTruth),
    ...[1.05, 1.1].map((truth) => withTruth(truth).share(({ verdict }) => verdict === "slower")),
    mean(withTruth(1.5).all.map(({ trials }) => trials)).toFixed(1),
  ];
}

/**
 * Simulates runs whose cases end when their time is decided, or when their CPU time is and their time cannot be: and
 * the same runs by time alone.
 *
 * @returns shares in percent and means, in the order of the table's columns.
 */
export function cpuTimeShares(
  cases: readonly KnownCase[],
  maxTrials: number,
  runs: number,
  seed: number,
): readonly string[] {
  const drawn = (truth: number, cpuTime: "judged" | "ends") => {
    const random = seededRandom(seed + Math.round(100 * truth));
    return manyOf(runs, () => verdictsOfRun(cases, maxTrials, random, { truth, endsEarly: true, cpuTime }));
  };
  const same = drawn(1, "ends");
  const longer = drawn(1.05, "ends");
  const byTime = drawn(1.05, "judged");
  const trialsOf = ({ all }: typeof longer) => mean(all.map(({ trials }) => trials)).toFixed(1);
  return [
    same.share(({ verdict }) => isDifference(verdict)),
    same.share(({ ofCpu }) => isDifference(ofCpu)),
    longer.share(({ verdict }) => verdict === "slower"),
    longer.share(({ verdict, ofCpu }) => verdict === "slower" || ofCpu === "slower"),
    trialsOf(longer),
    byTime.share(({ verdict }) => verdict === "slower"),
    trialsOf(byTime),
  ];
}

/** Power of the machine's speed by which the time of integers and sorting on workerd grew in a run of 2026-11-29. */
const POWER_SEEN = 0.75;

/** Shares of runs on a machine whose speed changes, in percent. */
export interface SpeedShares {
  /** Runs of which a case is called unsteady. */
  readonly unsteady: string;
  /** Verdicts that call the target different, whose ratio does not depend on the speed. */
  readonly different: string;
  /** The same of a target that takes as long where the machine is fast, and whose ratio depends on the speed. */
  readonly dependent: string;
}

/** Simulates runs of which half of the trials take `factor` times as long. */
export function speedShares(factor: number, trials: number, runs: number, seed: number): SpeedShares {
  const random = seededRandom(seed);
  const drawn = (power: number) =>
    manyOf(runs, () => [verdictsOfRun(casesAtSpeeds(factor, power), trials, random)]);
  const steadyRatio = drawn(1);
  const differentIn = ({ all }: typeof steadyRatio) =>
    many(all.flat()).share(({ verdict }) => isDifference(verdict));
  return {
    unsteady: steadyRatio.share((run) => run.some(({ speed }) => isUnsteady(speed))),
    different: differentIn(steadyRatio),
    dependent: differentIn(drawn(POWER_SEEN)),
  };
}

/** An interval of simulated CPU time beside the ratio that is paid. */
interface PaidInterval extends Checked {
  readonly ratio: RatioInterval;
}

/** Intervals of the same simulated CPU times, made in two ways. */
export interface PaidIntervals {
  /** Intervals by the mean of an instance's requests, as CPU time is compared. */
  readonly byMean: Many<PaidInterval>;
  /** Intervals by the middle of an instance's requests, as times are compared. */
  readonly byMiddle: Many<PaidInterval>;
}

/** Simulates single cases some of whose requests cost more CPU time. */
export function paidIntervals(
  changes: Partial<Scenario>,
  trials: number,
  runs: number,
  seed: number,
): PaidIntervals {
  const by = (metric: Metric): Many<PaidInterval> => {
    // The same seed: both see the same samples.
    const random = seededRandom(seed);
    return manyOf(runs, () =>
      paidIntervalsOfCase({ ...CPU_TIME_SCENARIO, ...changes, trials }, metric, random),
    );
  };
  return { byMean: by("cpuMs"), byMiddle: by("lastByteMs") };
}

function paidIntervalsOfCase(scenario: Scenario, metric: Metric, random: Random): readonly PaidInterval[] {
  const simulated = simulateSamples(scenario, 1, random);
  const samples = simulated.map((sample) => ({ ...sample, cpuMs: sample.lastByteMs }));
  const { comparisons } = analyseFit(fitCase(samples, { ...QUESTION, caseId: "case", metric }));
  const ratio = comparisons[0]?.ratio ?? null;
  return ratio === null ? [] : [{ ratio, truth: paidRatio(scenario) }];
}

/** The ratio of the mean costs of one target's requests and of the others'. */
export function paidRatio(scenario: Scenario): number {
  return meanCost({ ...scenario, ...scenario.target }) / meanCost(scenario);
}

/** The mean cost of a request, where 1 is that of a usual one. Simulated outliers take three times as long. */
function meanCost({ exchangeKinds, outliers }: Scenario): number {
  const ofKinds = exchangeKinds === undefined ? 1 : 1 + exchangeKinds.share * (exchangeKinds.factor - 1);
  return ofKinds * (1 + 2 * outliers);
}

/** Shares of single cases, in percent. */
export interface CaseShares {
  /** Intervals that hold the truth, where the target takes 10 % longer. */
  readonly covered: string;
  /** Verdicts that call the target different, where it takes the same. */
  readonly different: string;
}

/** Simulates single cases whose target takes 10 % longer, and as many whose target takes the same. */
export function caseShares(scenario: Scenario, runs: number, seed: number): CaseShares {
  const random = seededRandom(seed);
  const verdicts = (truth: number) =>
    manyOf(runs, () => verdictsOfRun([scenario], scenario.trials, random, { truth }));
  return {
    covered: verdicts(1.1).share(coversTruth),
    different: verdicts(1).share(({ verdict }) => isDifference(verdict)),
  };
}

/** Simulates the instances of one target. */
function simulateRounds(scenario: Scenario, random: Random): readonly MsByRound[] {
  const instances = instancesOf(simulateSamples(scenario, 1, random), "case", "lastByteMs");
  return instances.filter(({ target }) => target === "other").map(({ rounds }) => rounds);
}

/** Gives the share of simulated instances that are called not warm, in percent. */
export function calledNotWarm(scenario: Scenario, runs: number, seed: number): string {
  const random = seededRandom(seed);
  return manyOf(runs, () => simulateRounds(scenario, random)).share(
    (rounds) => warmthOfTrial(new Map([["alone", rounds]])).get("alone") != null,
  );
}

/** Shares of simulated runs from several vantages, in percent. */
export interface VantageShares {
  /** Intervals over vantages that hold the truth. */
  readonly covered: string;
  /** Intervals over trials, as if these were independent, that hold the truth. */
  readonly coveredByTrials: string;
  /** Gives the share of runs with a verdict, or whose vantages "disagree". */
  called(word: Verdict | "disagree"): string;
  /** Intervals over trials that do not include 0. */
  readonly differentByTrials: string;
}

/** Number of trials at each vantage. */
const VANTAGE_TRIALS = 5;
/** Standard deviation between these trials, in milliseconds. */
const VANTAGE_TRIAL_SD_MS = 0.5;

/** Time of the baseline from every vantage, in milliseconds. */
const VANTAGE_BASELINE_MS = 50;

/** Simulates runs from several vantages. */
export function vantageShares(
  scenario: VantageScenario,
  vantages: number,
  runs: number,
  seed: number,
): VantageShares {
  const random = seededRandom(seed);
  const truth = scenario.effectMs + (scenario.addsMs ?? 0) / vantages;
  const found = manyOf(runs, () => {
    const samples = samplesFromVantages(scenario, vantages, random);
    const { cells, comparisons } = analyseVantages(samples, { ...QUESTION, caseId: "case" });
    const byTrials = fitTwoWay(cells.map((cell) => ({ ...cell, value: cell.ms })));
    const difference = byTrials.difference(["other"], ["node"]);
    const overTrials = difference && intervalOf(difference, byTrials);
    return comparisons.slice(0, 1).map(({ time }) => ({ time, overTrials }));
  });
  return {
    covered: found.share(({ time }) => coversTruth({ ratio: time.difference.mean, truth })),
    coveredByTrials: found.share(({ overTrials }) => coversTruth({ ratio: overTrials, truth })),
    called: (word) =>
      found.share(({ time }) => (time.difference.disagree ? "disagree" : time.verdict) === word),
    differentByTrials: found.share(({ overTrials }) => !coversTruth({ ratio: overTrials, truth: 0 })),
  };
}

/** Simulates samples from several vantages: each has a route of its own, and each trial three equal rounds. */
function samplesFromVantages(
  { effectMs, betweenMs, scatter = 1, addsMs = 0 }: VantageScenario,
  vantages: number,
  random: Random,
): readonly Sample[] {
  const samples: Sample[] = [];
  for (let vantage = 0; vantage < vantages; vantage++) {
    const isFirst = vantage === 0;
    const routeMs = betweenMs * drawNormal(random) + (isFirst ? addsMs : 0) + effectMs;
    const trialSdMs = VANTAGE_TRIAL_SD_MS * (isFirst ? scatter : 1);
    const from = { vantage: String(vantage), client: "1", edge: null, httpVersion: "HTTP/1.1" };
    for (let index = 0; index < VANTAGE_TRIALS; index++) {
      const trial = vantage * VANTAGE_TRIALS + index;
      for (const target of QUESTION.targets) {
        const ownMs = target === "other" ? routeMs : 0;
        const lastByteMs = VANTAGE_BASELINE_MS + trialSdMs * drawNormal(random) + ownMs;
        for (const roundIndex of [0, 1, 2]) {
          samples.push(testSample({ target, trial, roundIndex, lastByteMs, from }));
        }
      }
    }
  }
  return samples;
}
