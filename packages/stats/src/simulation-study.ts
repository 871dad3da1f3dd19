import { analyseFit, type CaseFit, fitSeries, STOP_LEVEL } from "./analyse-case.ts";
import { isDifference } from "./analysis.ts";
import { fitTwoWay, intervalOf, priorOf } from "./model.ts";
import { median } from "./quantile.ts";
import { drawNormal, type Random, seededRandom } from "./random.ts";
import { type Scenario, simulateRun } from "./simulation.ts";
import { seriesOf } from "./simulation-kinds.ts";
import { judge } from "./verdict.ts";

const QUESTION = {
  caseId: "case",
  metric: "lastByteMs",
  baseline: "baseline",
  copy: "copy",
  targets: ["baseline", "copy", "target", "other"],
} as const;

function simulatedFit(scenario: Scenario, ratio: number, random: Random): CaseFit {
  const run = Object.entries(simulateRun(scenario, ratio, random));
  return fitSeries(new Map(run.map(([name, trials]) => [name, seriesOf(trials)])), QUESTION);
}

/** Share of single cases whose interval holds the true ratio. @param shift what moves that of the scenario's target. */
export function coverage(scenario: Scenario, runs: number, seed: number, shift = 1): number {
  const random = seededRandom(seed);
  const truth = 1.1 * shift;
  const held = Array.from({ length: runs }, () => {
    const ratio = analyseFit(simulatedFit(scenario, 1.1, random)).comparisons[0]?.ratio;
    return ratio != null && ratio.low <= truth && truth <= ratio.high;
  });
  return held.filter(Boolean).length / runs;
}

/** Shares of single cases that are called slower (found) and faster (wrong) where the target is slower by a fraction. */
export function verdictShares(scenario: Scenario, slowdowns: readonly number[], runs: number, seed: number) {
  return slowdowns.map((slowdown) => {
    const random = seededRandom(seed);
    const verdicts = Array.from(
      { length: runs },
      () => analyseFit(simulatedFit(scenario, 1 + slowdown, random)).comparisons[0]?.verdict,
    );
    const share = (wanted: string) => verdicts.filter((one) => one === wanted).length / runs;
    return { found: share("slower"), wrong: share("faster") };
  });
}

/** A run of several cases, by what instances differ by; standard deviations of logarithms. */
export interface RunScenario {
  readonly name: string;
  readonly instanceSds: readonly number[];
  /** What all targets of a trial share. */
  readonly trialSd: number;
  /** How much more one target scatters. */
  readonly oneScatters?: number;
  /** Cases whose instances come in two kinds: half of them take so many times as long. */
  readonly kinds?: { readonly cases: number; readonly factor: number };
  /** Instances scatter by Student's t with so many degrees of freedom. */
  readonly tails?: number;
}

export interface RunShares {
  /** Share of intervals that hold the truth, of cases within runs, and of each case alone. */
  readonly covered: number;
  readonly coveredAlone: number;
  /** Median half-width, as a fraction. */
  readonly halfWidth: number;
  readonly halfWidthAlone: number;
  /** Share of copies of one build that are called different. */
  readonly falsePositives: number;
  /** Share of targets that take 5 and 10 % longer and are called slower. */
  readonly found5: number;
  readonly found10: number;
}

/** What the model says of whole runs with a baseline, its copy and two targets. */
export function runShares(scenario: RunScenario, trials: number, runs: number, seed: number): RunShares {
  const random = seededRandom(seed);
  const counts = { covered: 0, alone: 0, false: 0, found5: 0, found10: 0, all: 0 };
  const [widths, widthsAlone]: [number[], number[]] = [[], []];
  for (let run = 0; run < runs; run++) {
    const fits = scenario.instanceSds.map((_, index) =>
      fitTwoWay(simulatedCells(scenario, index, trials, random)),
    );
    const prior = priorOf(fits);
    for (const fit of fits) {
      const difference = fit.difference(["target"], ["baseline", "copy"]);
      const together = difference && intervalOf(difference, fit, prior);
      const alone = difference && intervalOf(difference, fit);
      if (!together || !alone) continue;
      counts.all += 1;
      if (together.low <= 0 && together.high >= 0) counts.covered += 1;
      if (alone.low <= 0 && alone.high >= 0) counts.alone += 1;
      widths.push(Math.expm1((together.high - together.low) / 2));
      widthsAlone.push(Math.expm1((alone.high - alone.low) / 2));
      const verdictAt = (factor: number) => {
        const { estimate, low, high, level } = together;
        const [middle, from, to] = [estimate, low, high].map((log) => factor * Math.exp(log));
        return judge({ estimate: middle as number, low: from as number, high: to as number, level }).verdict;
      };
      if (isDifference(verdictAt(1))) counts.false += 1;
      if (verdictAt(1.05) === "slower") counts.found5 += 1;
      if (verdictAt(1.1) === "slower") counts.found10 += 1;
    }
  }
  return {
    covered: counts.covered / counts.all,
    coveredAlone: counts.alone / counts.all,
    halfWidth: median(widths),
    halfWidthAlone: median(widthsAlone),
    falsePositives: counts.false / counts.all,
    found5: counts.found5 / counts.all,
    found10: counts.found10 / counts.all,
  };
}

function simulatedCells(
  { instanceSds, trialSd, oneScatters = 1, kinds, tails }: RunScenario,
  index: number,
  trials: number,
  random: Random,
) {
  const instanceSd = instanceSds[index] as number;
  const draw = () =>
    tails === undefined ? drawNormal(random) : drawNormal(random) / Math.sqrt(meanSquare(random, tails));
  return Array.from({ length: trials }, (_, block) => {
    const shared = trialSd * drawNormal(random);
    return QUESTION.targets.map((target) => {
      const kind = kinds !== undefined && index < kinds.cases && random() < 0.5 ? Math.log(kinds.factor) : 0;
      const own = instanceSd * (target === "target" ? oneScatters : 1) * draw();
      return { target, block, value: shared + own + kind };
    });
  }).flat();
}

function meanSquare(random: Random, count: number): number {
  return (
    Array.from({ length: count }, () => drawNormal(random) ** 2).reduce((sum, one) => sum + one, 0) / count
  );
}

/** What is left of verdicts where cases end as soon as they are decided. */
export interface StoppedShares {
  readonly falsePositives: number;
  readonly covered: number;
  /** Of targets that take 5 and 10 % longer. */
  readonly found5: number;
  readonly found10: number;
  /** Mean trials of a case whose target takes half as long again. */
  readonly trials: number;
}

/** Runs of three to `most` trials with a look after each; the verdict is that of the trials which a case has then. */
export function stoppedShares(
  scenario: RunScenario,
  most: number,
  runs: number,
  seed: number,
): StoppedShares {
  const random = seededRandom(seed);
  const truths = [1, 1.05, 1.1, 1.5];
  const counts = truths.map(() => ({ slower: 0, faster: 0, covered: 0, trials: 0 }));
  for (let run = 0; run < runs; run++) {
    const cells = scenario.instanceSds.map((_, index) => simulatedCells(scenario, index, most, random));
    truths.forEach((truth, at) => {
      const count = counts[at] as (typeof counts)[number];
      const trials = cells.map(() => LEAST);
      const isOpen = cells.map(() => true);
      const judgeAll = (level?: number) => {
        const fits = cells.map((own, index) =>
          fitTwoWay(own.filter(({ block }) => block < (trials[index] as number))),
        );
        const prior = priorOf(fits);
        return fits.map((fit) => {
          const difference = fit.difference(["target"], ["baseline", "copy"]);
          const interval = difference && intervalOf(difference, fit, prior, level);
          if (interval === null) throw new Error("Every simulated case has an interval.");
          const { estimate, low, high } = interval;
          const ratio = {
            estimate: Math.exp(estimate) * truth,
            low: Math.exp(low) * truth,
            high: Math.exp(high) * truth,
          };
          return { ...ratio, ...judge({ ...ratio, level: interval.level }) };
        });
      };
      for (let turn = LEAST; turn < most; turn++) {
        for (const [index, { verdict }] of judgeAll(STOP_LEVEL).entries())
          if (verdict !== "inconclusive") isOpen[index] = false;
        isOpen.forEach((open, index) => {
          if (open) trials[index] = turn + 1;
        });
      }
      for (const [index, { verdict, low, high }] of judgeAll().entries()) {
        if (verdict === "slower") count.slower += 1;
        if (verdict === "faster") count.faster += 1;
        if (low <= truth && truth <= high) count.covered += 1;
        count.trials += trials[index] as number;
      }
    });
  }
  const all = runs * scenario.instanceSds.length;
  const [none, five, ten, half] = counts as [Count, Count, Count, Count];
  return {
    falsePositives: (none.slower + none.faster) / all,
    covered: (none.covered + five.covered + ten.covered + half.covered) / (4 * all),
    found5: five.slower / all,
    found10: ten.slower / all,
    trials: half.trials / all,
  };
}

const LEAST = 3;
type Count = { slower: number; faster: number; covered: number; trials: number };
