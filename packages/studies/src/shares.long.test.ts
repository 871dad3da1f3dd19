import { TEST_SCENARIO } from "@evenbench/stats/testing";
import { expect, test } from "vitest";
import { coversTruth } from "./resample.ts";
import { COLLECTING_SCENARIOS, RUNS } from "./scenarios.ts";
import {
  caseShares,
  cpuTimeShares,
  paidIntervals,
  runShares,
  samenessShares,
  vantageShares,
} from "./shares.ts";

// Seeds are fixed, so these cannot fail by chance. docs/coverage.md has the shares of more runs.
const share = (text: string | undefined) => Number.parseFloat(text ?? "");

test("99 % intervals of a run's cases hold the truth, and copies are seldom called different", () => {
  const [usual = []] = Object.values(RUNS);
  const [covered, halfWidth, different, , found10] = runShares(usual, 3, 60, 1).map(share);
  expect(covered).toBeGreaterThan(97);
  expect(halfWidth).toBeLessThan(9);
  expect(different).toBeLessThan(3);
  expect(found10).toBeGreaterThan(50);
});

test.each([3, 10])(
  "with %i trials, what takes 5 %% more is called the same in at most 5 of 100",
  (trials) => {
    const [usual = []] = Object.values(RUNS);
    const [of0 = 0, of2 = 0, of4 = 0, of5 = 0, of7 = 0] = samenessShares(usual, trials, 60, trials).map(
      share,
    );
    expect(of5).toBeLessThanOrEqual(5);
    expect(of7).toBeLessThanOrEqual(2);
    expect(of0).toBeGreaterThan(40);
    expect(of0).toBeGreaterThan(of2);
    expect(of2).toBeGreaterThan(of4);
  },
);

test("ending on CPU time calls no more copies different, by either, and saves trials", () => {
  const [usual = []] = Object.values(RUNS);
  const [ofTime = 0, ofCpu = 0, found = 0, either = 0, trials = 0, alone = 0, trialsAlone = 0] =
    cpuTimeShares(usual, 8, 40, 5).map(share);
  expect(ofTime).toBeLessThan(3);
  expect(ofCpu).toBeLessThan(3);
  expect(either).toBeGreaterThan(found);
  expect(trials).toBeLessThan(trialsAlone);
  // What time says by itself is hardly lost.
  expect(found).toBeGreaterThan(alone - 5);
});

test.each(Object.entries(COLLECTING_SCENARIOS))(
  "intervals of CPU time hold what is paid where some requests cost more: %s",
  (name, changes) => {
    const { byMean, byMiddle } = paidIntervals(changes, 3, 150, 21);
    // What one target's requests cost by chance is a larger error than that of the others, from which it is known.
    const least = name.includes("by chance") ? 88 : 95;
    expect(share(byMean.share(coversTruth))).toBeGreaterThan(least);
    // The middle of requests is another ratio where two levels lie far apart.
    if (name === "every 3rd, 2.3 times") {
      expect(share(byMiddle.share(coversTruth))).toBeLessThan(50);
    }
  },
);

test("a single case's interval holds the truth through drift, outliers and correlated requests", () => {
  const { covered, different } = caseShares(TEST_SCENARIO, 200, 2);
  expect(share(covered)).toBeGreaterThan(97);
  expect(share(different)).toBeLessThan(2);
});

test("intervals over vantages hold the truth where routes differ; over trials they do not", () => {
  const { covered, coveredByTrials } = vantageShares({ effectMs: 5, betweenMs: 1 }, 5, 150, 15);
  expect(share(covered)).toBeGreaterThan(96);
  expect(share(coveredByTrials)).toBeLessThan(85);
  const { called, differentByTrials } = vantageShares({ effectMs: 0, betweenMs: 1 }, 3, 150, 16);
  expect(share(called("slower")) + share(called("faster"))).toBeLessThan(5);
  expect(share(differentByTrials)).toBeGreaterThan(10);
});
