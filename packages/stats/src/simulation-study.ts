import { isDifference, type RatioInterval, type Verdict } from "./analysis.ts";
import { hierarchicalInterval, scatterOf, type Trial } from "./hierarchical.ts";
import { ratioTrials } from "./interval.ts";
import { plainLogRatioInterval } from "./plain-interval.ts";
import { isNarrow } from "./precision.ts";
import { drawNormal, type Random, seededRandom } from "./random.ts";
import { type Scenario, type SimulatedRun, simulateRun } from "./simulation.ts";
import { deviation, judge } from "./verdict.ts";

/**
 * Share of runs whose 95 % interval holds the true ratio.
 *
 * @param shift what makes the true ratio of the scenario's target another than 1.1: a factor.
 */
export function coverage(scenario: Scenario, runs: number, seed: number, shift = 1): number {
  const random = seededRandom(seed);
  const truth = 1.1 * shift;
  let covered = 0;
  for (let run = 0; run < runs; run++) {
    if (holds(ratioOf(simulateRun(scenario, 1.1, random), random), truth)) covered += 1;
  }
  return covered / runs;
}

/**
 * The same for the plain bootstrap of one pair of instances: how often it holds that pair's own ratio, and
 * how often the builds' ratio, which it does not claim to know.
 */
export function plainCoverage(
  scenario: Scenario,
  runs: number,
  seed: number,
): { own: number; builds: number } {
  const random = seededRandom(seed);
  const pair = { ...scenario, trials: 1 };
  let own = 0;
  let builds = 0;
  for (let run = 0; run < runs; run++) {
    const simulated = simulateRun({ ...pair, instanceSd: 0 }, 1, random);
    const times = {
      target: simulated.target[0] as Float64Array,
      baseline: simulated.baseline[0] as Float64Array,
    };
    const { low, high } = plainLogRatioInterval(times, random);
    // Instances that differ by this much only move the interval: the pair's own ratio is then off the builds' by it.
    const lean = (drawNormal(random) - drawNormal(random)) * scenario.instanceSd;
    if (low <= 0 && 0 <= high) own += 1;
    if (low + lean <= 0 && 0 <= high + lean) builds += 1;
  }
  return { own: own / runs, builds: builds / runs };
}

/** What is said of runs: shares that add up to 1. `wrong` claims a difference of the wrong sign. */
export interface VerdictShares {
  readonly found: number;
  readonly wrong: number;
  readonly noDifference: number;
  readonly cannotTell: number;
  /** For comparison, two other rules. Runs whose interval excludes 1, whatever the control says ... */
  readonly excluded: number;
  /**
   * ... and of these, runs that exclude 1 against the A/A copy, too, and are further from 1 than the
   * control's estimate.
   */
  readonly beyondCopy: number;
}

/**
 * Verdicts on targets that are slower by each of `slowdowns` (fractions). With 0, `found` and `wrong` are the
 * two kinds of false positive. One set of simulated runs serves all slowdowns: a median times a constant is
 * the constant's times the median, so that a slowdown moves an interval and changes nothing else.
 */
export function verdictShares(
  scenario: Scenario,
  slowdowns: readonly number[],
  precision: number,
  runs: number,
  seed: number,
): VerdictShares[] {
  const random = seededRandom(seed);
  const counts = slowdowns.map(() => ({
    found: 0,
    wrong: 0,
    noDifference: 0,
    cannotTell: 0,
    excluded: 0,
    beyondCopy: 0,
  }));
  for (let run = 0; run < runs; run++) {
    const { ratio, ratioToCopy, control } = evidenceOf(simulateRun(scenario, 1, random), random);
    slowdowns.forEach((slowdown, index) => {
      const moved = times(ratio, 1 + slowdown);
      const evidence = { ratio: moved, ratioToCopy: times(ratioToCopy, 1 + slowdown), control };
      const count = counts[index] as (typeof counts)[number];
      count[KEY_OF[judge(evidence, precision).verdict]] += 1;
      if (holds(moved, 1)) return;
      count.excluded += 1;
      if (holds(evidence.ratioToCopy, 1)) return;
      if (deviation(moved.estimate) > deviation(control.estimate)) count.beyondCopy += 1;
    });
  }
  return counts.map((count) => ({
    found: count.found / runs,
    wrong: count.wrong / runs,
    noDifference: count.noDifference / runs,
    cannotTell: count.cannotTell / runs,
    excluded: count.excluded / runs,
    beyondCopy: count.beyondCopy / runs,
  }));
}

const KEY_OF = {
  slower: "found",
  faster: "wrong",
  "no difference seen": "noDifference",
  "cannot tell": "cannotTell",
  // Simulated instances are warm: `judge` never says it.
  "not warm": "cannotTell",
} as const satisfies Record<Verdict, keyof VerdictShares>;

/** How runs end that are looked at after 5, 10 and 15 trials and end when precise enough. */
export interface StoppedRuns {
  readonly coverage: number;
  /** The same among the runs that ended after 5 trials alone. */
  readonly coverageOfEarliest: number;
  /** Share of A/A runs that claim a difference. */
  readonly falsePositives: number;
  readonly endedAt5: number;
  readonly endedAt10: number;
}

/** Simulates the stop rule on A/A runs. */
export function stopWhenPrecise(
  scenario: Scenario,
  precision: number,
  runs: number,
  seed: number,
): StoppedRuns {
  const random = seededRandom(seed);
  const ended = new Map([5, 10, 15].map((trials) => [trials, 0]));
  let covered = 0;
  let coveredAt5 = 0;
  let claimed = 0;
  for (let run = 0; run < runs; run++) {
    const whole = simulateRun({ ...scenario, trials: 15 }, 1, random);
    for (const looked of ended.keys()) {
      const evidence = evidenceOf(firstTrials(whole, looked), random);
      const precise = isNarrow(evidence.ratio, precision) && isNarrow(evidence.control, precision);
      if (looked < 15 && !precise) continue;
      ended.set(looked, (ended.get(looked) ?? 0) + 1);
      if (holds(evidence.ratio, 1)) {
        covered += 1;
        if (looked === 5) coveredAt5 += 1;
      }
      const { verdict } = judge(evidence, precision);
      if (isDifference(verdict)) claimed += 1;
      break;
    }
  }
  return {
    coverage: covered / runs,
    coverageOfEarliest: coveredAt5 / (ended.get(5) ?? 0),
    falsePositives: claimed / runs,
    endedAt5: (ended.get(5) ?? 0) / runs,
    endedAt10: (ended.get(10) ?? 0) / runs,
  };
}

function firstTrials({ baseline, copy, target, other }: SimulatedRun, count: number): SimulatedRun {
  const seen = (of: readonly Float64Array[]) => of.slice(0, count);
  return { baseline: seen(baseline), copy: seen(copy), target: seen(target), other: seen(other) };
}

/** As `analyseCase` makes it of samples. */
function evidenceOf(run: SimulatedRun, random: Random) {
  const { target, copy } = run;
  const toBaseline = trialsToBaseline(run, random);
  const others = scatterOfAllBut("target", toBaseline);
  return {
    ratio: intervalOf(toBaseline.target, others, random),
    ratioToCopy: intervalOf(trialsOf(target, copy, random), others, random),
    control: intervalOf(toBaseline.copy, scatterOfAllBut("copy", toBaseline), random),
  };
}

/** The first part of it alone, since a study of coverage needs no more. */
function ratioOf(run: SimulatedRun, random: Random): RatioInterval {
  const toBaseline = trialsToBaseline(run, random);
  return intervalOf(toBaseline.target, scatterOfAllBut("target", toBaseline), random);
}

function trialsToBaseline({ baseline, copy, target, other }: SimulatedRun, random: Random) {
  return {
    copy: trialsOf(copy, baseline, random),
    target: trialsOf(target, baseline, random),
    other: trialsOf(other, baseline, random),
  };
}

function scatterOfAllBut(own: string, toBaseline: Readonly<Record<string, readonly Trial[]>>): number[] {
  return Object.entries(toBaseline).flatMap(([name, trials]) => (name === own ? [] : [scatterOf(trials)]));
}

function trialsOf(
  target: readonly Float64Array[],
  baseline: readonly Float64Array[],
  random: Random,
): Trial[] {
  const pairs = target.map((times, trial) => ({
    target: times,
    baseline: baseline[trial] as Float64Array,
  }));
  return ratioTrials(pairs, random);
}

function intervalOf(trials: readonly Trial[], others: readonly number[], random: Random): RatioInterval {
  const { estimate, low, high } = hierarchicalInterval(trials, random, others);
  return { estimate: Math.exp(estimate), low: Math.exp(low), high: Math.exp(high), level: 0.95 };
}

function holds({ low, high }: RatioInterval, ratio: number): boolean {
  return low <= ratio && ratio <= high;
}

function times({ estimate, low, high, level }: RatioInterval, factor: number): RatioInterval {
  return { estimate: estimate * factor, low: low * factor, high: high * factor, level };
}
