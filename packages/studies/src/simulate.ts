// Runs whose truth is known, simulated one by one.
import type { Sample } from "@evenbench/results";
import {
  analyseFit,
  answeredByCpuTime,
  type CaseFit,
  changeOfSpeed,
  fitCase,
  nonBaselinesOf,
  openTargets,
  type Prior,
  priorOfCases,
  type RatioInterval,
  type Verdict,
} from "@evenbench/stats";
import type { Random } from "@evenbench/stats/random";
import { type Scenario, simulateSamples } from "@evenbench/stats/testing";
import type { JudgedRatio } from "./resample.ts";
import { type KnownCase, QUESTION } from "./scenarios.ts";

/** The verdict of a simulated run on the first target of one of its cases. */
interface SimulatedVerdict extends JudgedRatio {
  /** The true factor of the target's time. */
  readonly truth: number;
  readonly verdict: Verdict;
  /** The verdict of its CPU time; null where that was not simulated. */
  readonly ofCpu: Verdict | null;
  /** Number of trials that the case had when it ended. */
  readonly trials: number;
  /** How many times as long all targets took in the slowest trial as in the fastest one; null where nothing tells. */
  readonly speed: RatioInterval | null;
}

/** What is known of CPU time: nothing; its verdicts alone; or also that a case may end on it. */
type KnownCpuTime = "unknown" | "judged" | "ends";

/** Options of a simulated run. */
interface SimulationOptions {
  /** Factor of the first target's time. Default: 1. */
  readonly truth?: number;
  /** True where cases end once they are decided. Default: they have all trials. */
  readonly endsEarly?: boolean;
  /** Default: "unknown". */
  readonly cpuTime?: KnownCpuTime;
}

/** Simulates a run. @returns the verdicts on the first target of each case that has an interval. */
export function verdictsOfRun(
  cases: readonly KnownCase[],
  maxTrials: number,
  random: Random,
  { truth = 1, endsEarly = false, cpuTime = "unknown" }: SimulationOptions = {},
): readonly SimulatedVerdict[] {
  const simulated = cases.map((scenario): SimulatedCase => {
    const drawn = { ...scenario, trials: maxTrials };
    const samples =
      cpuTime === "unknown"
        ? simulateSamples(drawn, truth, random, scenario.name)
        : samplesWithCpuTime(drawn, truth, random);
    return { scenario, samples, cpuTime, rested: new Set() };
  });
  const results = endsEarly
    ? untilDecided(simulated, maxTrials)
    : simulated.map((each) => analyse(each, maxTrials));
  const prior = priorOfCases(results.map(({ time }) => time));
  const priorOfCpu = priorOfCases(results.flatMap(({ judgedCpu }) => judgedCpu ?? []));
  const verdicts: SimulatedVerdict[] = [];
  for (const { trials, time, judgedCpu } of results) {
    const [comparison] = analyseFit(time, prior).comparisons;
    const { ratio = null, equivalence = null, verdict = "unclear" } = comparison ?? {};
    if (ratio !== null && equivalence !== null) {
      const ofCpu = judgedCpu === null ? null : firstVerdict(judgedCpu, priorOfCpu);
      verdicts.push({ truth, ratio, equivalence, verdict, ofCpu, trials, speed: changeOfSpeed(time) });
    }
  }
  return verdicts;
}

function firstVerdict(fit: CaseFit, prior: Prior): Verdict | null {
  return analyseFit(fit, prior).comparisons[0]?.verdict ?? null;
}

/** A simulated case, which can be analysed with any number of its trials. */
interface SimulatedCase {
  readonly scenario: KnownCase;
  readonly samples: readonly Sample[];
  readonly cpuTime: KnownCpuTime;
  /** Trials in which a target was not measured, since it was decided: "3 other". */
  readonly rested: Set<string>;
}

/** A simulated case with some of its trials. */
interface SimulatedResult {
  /** Number of its trials. */
  readonly trials: number;
  /** The fit of its times. */
  readonly time: CaseFit;
  /** The fit of its CPU time where cases may end on it; null where they may not. */
  readonly cpuTime: CaseFit | null;
  /** The fit of its CPU time, however cases end; null where that was not simulated. */
  readonly judgedCpu: CaseFit | null;
}

function analyse({ scenario, samples, cpuTime, rested }: SimulatedCase, trials: number): SimulatedResult {
  const { name: caseId, scatter } = scenario;
  const drawn = samples.filter(({ trial, target }) => trial < trials && !rested.has(`${trial} ${target}`));
  const judgedCpu = cpuTime === "unknown" ? null : fitCase(drawn, { ...QUESTION, caseId, metric: "cpuMs" });
  return {
    trials,
    time: fitCase(drawn, { ...QUESTION, caseId, scatter }),
    cpuTime: cpuTime === "ends" ? judgedCpu : null,
    judgedCpu,
  };
}

/** Number of trials of each case before a run that ends cases early is looked at for the first time. */
const TRIALS_BEFORE_FIRST_LOOK = 3;

/**
 * Plays a run whose targets rest, and whose cases end, once they are decided: it is looked at after each turn, as a real
 * run is.
 *
 * @returns the result of each case with the trials that it then has, in the order of `cases`.
 */
function untilDecided(cases: readonly SimulatedCase[], maxTrials: number): readonly SimulatedResult[] {
  const results = cases.map((each) => analyse(each, TRIALS_BEFORE_FIRST_LOOK));
  const ended = new Set<SimulatedCase>();
  for (let trials = TRIALS_BEFORE_FIRST_LOOK + 1; trials <= maxTrials; trials++) {
    const open = openTargets(results.map(({ time }) => time));
    const answered = answeredByCpuTime(
      results.map(({ time, cpuTime }) => ({ time, cpuTime, trialsLeft: maxTrials - trials + 1 })),
    );
    for (const [index, each] of cases.entries()) {
      const names = (open[index] ?? []).filter((name) => !answered[index]?.includes(name));
      if (ended.has(each) || names.length === 0) {
        ended.add(each);
        continue;
      }
      for (const target of nonBaselinesOf(QUESTION)) {
        if (!names.includes(target)) {
          each.rested.add(`${trials - 1} ${target}`);
        }
      }
      results[index] = analyse(each, trials);
    }
  }
  return results;
}

/** Part of the variance between instances that their CPU time has, too: half of the standard deviation of time. */
const CPU_TIME_VARIANCE = 0.25;

/**
 * Simulates a case whose time is its CPU time and what waits add to it, so that both err together: CPU time scatters
 * half as much.
 */
function samplesWithCpuTime(scenario: KnownCase, truth: number, random: Random): readonly Sample[] {
  const { name, instanceSd } = scenario;
  const partOf = (variance: number): Scenario => ({
    ...scenario,
    instanceSd: instanceSd * Math.sqrt(variance),
    ...(scenario.target && {
      target: { instanceSd: (scenario.target.instanceSd ?? instanceSd) * Math.sqrt(variance) },
    }),
  });
  const waits = simulateSamples(partOf(1 - CPU_TIME_VARIANCE), 1, random, name);
  return simulateSamples(partOf(CPU_TIME_VARIANCE), truth, random, name).map((sample, index) => {
    const cpuMs = sample.lastByteMs as number;
    return { ...sample, cpuMs, lastByteMs: cpuMs * (waits[index]?.lastByteMs as number) };
  });
}
