// Runs whose truth is known, simulated one by one.
import {
  analyseFit,
  type CaseFit,
  changeOfSpeed,
  fitCase,
  type Prior,
  priorOfCases,
  type RatioInterval,
  type Verdict,
} from "@evenbench/stats";
import type { Random } from "@evenbench/stats/random";
import { type Scenario, simulateSamples } from "@evenbench/stats/testing";
import { type JudgedRatio, type RedrawnCase, untilDecided } from "./resample.ts";
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

/** Options of a simulated run. */
interface SimulationOptions {
  /** Factor of the first target's time. Default: 1. */
  readonly truth?: number;
  /** True where cases end once they are decided. Default: they have all trials. */
  readonly endsEarly?: boolean;
  /**
   * What is known of CPU time: nothing; its verdicts alone; or also that a case may end on it. Default: nothing.
   */
  readonly cpuTime?: "unknown" | "judged" | "ends";
}

/** Simulates a run. @returns the verdicts on the first target of each case that has an interval. */
export function verdictsOfRun(
  cases: readonly KnownCase[],
  maxTrials: number,
  random: Random,
  { truth = 1, endsEarly = false, cpuTime = "unknown" }: SimulationOptions = {},
): readonly SimulatedVerdict[] {
  const redrawn = cases.map((scenario) => {
    const drawn = { ...scenario, trials: maxTrials };
    return cpuTime === "unknown"
      ? simulatedCase(drawn, truth, random)
      : simulatedWithCpuTime(drawn, truth, random, cpuTime === "ends");
  });
  const results = endsEarly
    ? untilDecided(redrawn, maxTrials)
    : redrawn.map((each) => each.analyse(maxTrials));
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

/** A simulated case, as it ended. */
interface SimulatedResult {
  /** Number of its trials. */
  readonly trials: number;
  /** The fit of its times. */
  readonly time: CaseFit;
  /** The fit of its CPU time where cases may end on it. */
  readonly cpuTime?: CaseFit;
  /** The fit of its CPU time, however cases end; null where that was not simulated. */
  readonly judgedCpu: CaseFit | null;
}

/** Part of the variance between instances that their CPU time has, too: half of the standard deviation of time. */
const CPU_TIME_VARIANCE = 0.25;

/**
 * Simulates a case whose time is its CPU time and what waits add to it, so that both err together: CPU time scatters
 * half as much.
 *
 * @param endsOnCpu whether the case may end on its CPU time.
 */
function simulatedWithCpuTime(
  scenario: KnownCase,
  truth: number,
  random: Random,
  endsOnCpu: boolean,
): RedrawnCase<SimulatedResult> {
  const { name, scatter, instanceSd } = scenario;
  const partOf = (variance: number): Scenario => ({
    ...scenario,
    instanceSd: instanceSd * Math.sqrt(variance),
    ...(scenario.target && {
      target: { instanceSd: (scenario.target.instanceSd ?? instanceSd) * Math.sqrt(variance) },
    }),
  });
  const waits = simulateSamples(partOf(1 - CPU_TIME_VARIANCE), 1, random, name);
  const samples = simulateSamples(partOf(CPU_TIME_VARIANCE), truth, random, name).map((sample, index) => {
    const cpuMs = sample.lastByteMs as number;
    return { ...sample, cpuMs, lastByteMs: cpuMs * (waits[index]?.lastByteMs as number) };
  });
  return {
    analyse(trials, isMeasured = () => true) {
      const drawn = samples.filter(({ trial, target }) => trial < trials && isMeasured(trial, target));
      const judgedCpu = fitCase(drawn, { ...QUESTION, caseId: name, metric: "cpuMs" });
      return {
        trials,
        time: fitCase(drawn, { ...QUESTION, caseId: name, scatter }),
        ...(endsOnCpu && { cpuTime: judgedCpu }),
        judgedCpu,
      };
    },
  };
}

/** Simulates a case without CPU time. */
function simulatedCase(scenario: KnownCase, truth: number, random: Random): RedrawnCase<SimulatedResult> {
  const { name, scatter } = scenario;
  const samples = simulateSamples(scenario, truth, random, name);
  return {
    analyse(trials, isMeasured = () => true) {
      const drawn = samples.filter(({ trial, target }) => trial < trials && isMeasured(trial, target));
      return { trials, time: fitCase(drawn, { ...QUESTION, caseId: name, scatter }), judgedCpu: null };
    },
  };
}
