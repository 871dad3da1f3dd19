import type { Timeline } from "@evenbench/results";
import { isDifference } from "./analysis.ts";
import { PARTS, type Part, partTimes } from "./part-times.ts";
import { type Random, seededRandom } from "./random.ts";
import { type Scenario, type SimulatedRun, simulateRun } from "./simulation.ts";

const QUESTION = {
  targets: ["baseline", "copy", "target"],
  baseline: "baseline",
  copy: "copy",
  precision: 0.02,
};
const BYTES: Readonly<Record<Part, number>> = { first: 10, half: 60, last: 100 };

/** What is said of the times until parts of a page are there. */
export interface PartsSaid {
  /** Share of all parts' 95 % intervals that hold the true ratio. */
  readonly coverage: number;
  /** Share of runs in which at least one of the three parts is called "faster" or "slower". */
  readonly called: number;
}

/**
 * Runs of a page in three parts, whose times scatter independently.
 *
 * @param scenario its rounds are those in which arrivals are noted.
 * @param ratio of the target's parts, all alike.
 */
export function partsSaid(scenario: Scenario, ratio: number, runs: number, seed: number): PartsSaid {
  const random = seededRandom(seed);
  let [covered, intervals, called] = [0, 0, 0];
  for (let run = 0; run < runs; run++) {
    const found = partTimes(simulateTimelines(scenario, ratio, random), QUESTION).filter(
      ({ target }) => target === "target",
    );
    intervals += found.length;
    covered += found.filter(
      (one) => one.ratio !== null && one.ratio.low <= ratio && ratio <= one.ratio.high,
    ).length;
    if (found.some(({ verdict }) => isDifference(verdict))) called += 1;
  }
  return { coverage: covered / intervals, called: called / runs };
}

function simulateTimelines(scenario: Scenario, ratio: number, random: Random): Timeline[] {
  const parts = PARTS.map((part) => ({ part, run: simulateRun(scenario, ratio, random) }));
  return (["baseline", "copy", "target"] as const).flatMap((target) =>
    Array.from({ length: scenario.trials * scenario.roundsPerTrial }, (_, index) => {
      const trial = Math.floor(index / scenario.roundsPerTrial);
      const round = index % scenario.roundsPerTrial;
      return {
        caseId: "page",
        target,
        trial,
        round,
        arrivals: parts.map(({ part, run }) => [timeIn(run, target, trial, round), BYTES[part]] as const),
      };
    }),
  );
}

function timeIn(run: SimulatedRun, target: keyof SimulatedRun, trial: number, round: number): number {
  return run[target][trial]?.[round] ?? Number.NaN;
}
