import { describe, expect, test } from "vitest";
import { coverage, plainCoverage, stopWhenPrecise, verdictShares } from "./simulation-study.ts";
import { TEST_SCENARIO } from "./test-samples.ts";

// Seeds are fixed, so these cannot fail by chance. Bounds are the aim of 93 to 97 % widened by two standard
// errors of a share of so many runs; docs/coverage.md has the shares of 2,000 runs.
const RUNS = 300;
const error = (share: number) => 2 * Math.sqrt((share * (1 - share)) / RUNS);
const everything = { ...TEST_SCENARIO, autocorrelation: 0.5, drift: 0.1, outliers: 0.05, heavyTails: true };

describe("95 % intervals hold the truth in about 95 % of simulated runs", () => {
  test.each([
    ["5 trials", { ...TEST_SCENARIO, trials: 5 }],
    ["10 trials", { ...TEST_SCENARIO, trials: 10 }],
    ["5 trials, heavy tails, outliers, drift and autocorrelation", everything],
    ["5 trials of instances that do not differ", { ...TEST_SCENARIO, instanceSd: 0 }],
    [
      "5 trials of 10 rounds, instances that differ by 2 %",
      { ...TEST_SCENARIO, instanceSd: 0.02, roundsPerTrial: 10 },
    ],
  ])("with %s", (_, scenario) => {
    const share = coverage(scenario, RUNS, 1);
    expect(share).toBeGreaterThan(0.93 - error(0.93));
    expect(share).toBeLessThan(0.97 + error(0.97));
  });
});

test("the plain bootstrap covers one pair's own ratio, and not the builds'", () => {
  const { own, builds } = plainCoverage({ ...TEST_SCENARIO, roundsPerTrial: 200 }, RUNS, 2);
  expect(own).toBeGreaterThan(0.93 - error(0.93));
  expect(builds).toBeLessThan(0.7);
});

test("A/A runs claim a difference in at most 5 %, and a 5 % slowdown is found", () => {
  const [none, five] = verdictShares({ ...TEST_SCENARIO, trials: 10 }, [0, 0.05], 0.02, RUNS, 3);
  expect((none?.found ?? 1) + (none?.wrong ?? 1)).toBeLessThan(0.05);
  expect(five?.found).toBeGreaterThan(0.95);
  expect(five?.wrong).toBe(0);
});

test("with the control fewer A/A runs claim a difference than by the interval alone", () => {
  const [none] = verdictShares(TEST_SCENARIO, [0], 0.02, RUNS, 4);
  expect((none?.found ?? 1) + (none?.wrong ?? 1)).toBeLessThan(none?.excluded ?? 0);
});

test("runs that end when precise enough keep their coverage", () => {
  const {
    coverage: share,
    endedAt5,
    endedAt10,
  } = stopWhenPrecise({ ...TEST_SCENARIO, instanceSd: 0.012 }, 0.02, RUNS, 5);
  expect(endedAt5 + endedAt10).toBeGreaterThan(0.2);
  expect(share).toBeGreaterThan(0.93 - error(0.93));
});
