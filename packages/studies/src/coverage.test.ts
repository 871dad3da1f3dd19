import { kindsOf } from "@evenbench/report";
import { seededRandom } from "@evenbench/stats";
import type { Random } from "@evenbench/stats/random";
import { drawNormal, TEST_SCENARIO } from "@evenbench/stats/testing";
import { describe, expect, test } from "vitest";
import { caseShares, kindsSaid, RUNS, runShares, vantageShares } from "./coverage.ts";

// Seeds are fixed, so these cannot fail by chance. docs/coverage.md has the shares of more runs.
const share = (text: string | undefined) => Number.parseFloat(text ?? "");
const calm = { ...TEST_SCENARIO, drift: 0, outliers: 0 };

test("99 % intervals of a run's cases hold the truth, and copies are seldom called different", () => {
  const [usual = []] = Object.values(RUNS);
  const [covered, halfWidth, different, , found10] = runShares(usual, 3, 60, 1).map(share);
  expect(covered).toBeGreaterThan(97);
  expect(halfWidth).toBeLessThan(9);
  expect(different).toBeLessThan(3);
  expect(found10).toBeGreaterThan(50);
});

test("a single case's interval holds the truth through drift, outliers and correlated requests", () => {
  const { covered, different } = caseShares(TEST_SCENARIO, 200, 2);
  expect(share(covered)).toBeGreaterThan(97);
  expect(share(different)).toBeLessThan(2);
});

describe("times of one kind are called two in at most 2 % of runs", () => {
  const wide = { ...calm, exchangeSd: 0.2 };
  test.each([
    ["log-normal", wide],
    ["heavy-tailed", { ...wide, heavyTails: true }],
    ["correlated", { ...wide, autocorrelation: 0.7 }],
    ["of instances that differ by a tenth", { ...wide, exchangeSd: 0.03, instanceSd: 0.1, trials: 10 }],
  ])("%s", (_, scenario) => {
    const { ofExchanges, ofInstances } = kindsSaid(scenario, 300, 11);
    expect(share(ofExchanges)).toBeLessThanOrEqual(2);
    expect(share(ofInstances)).toBeLessThanOrEqual(2);
  });

  // Logarithms.
  test.each<[string, (random: Random) => number]>([
    ["log-normal, 40 %", (random) => 0.4 * drawNormal(random)],
    ["uniform logarithms, 1 to 4.5 times", (random) => 1.5 * random()],
    [
      "Student's t with 3 degrees of freedom, 40 %",
      (random) => {
        const square = () => drawNormal(random) ** 2;
        return (0.4 * drawNormal(random)) / Math.sqrt((square() + square() + square()) / 3);
      },
    ],
    ["a least time and an exponential one as long", (random) => Math.log(1 - Math.log(1 - random()))],
  ])("single times, %s", (_, draw) => {
    const calledTwo = (of: "ofInstances" | "ofExchanges", count: number) => {
      const random = seededRandom(count);
      const runs = Array.from({ length: 400 }, () => {
        const times = Array.from({ length: count }, () => 20 * Math.exp(draw(random)));
        return kindsOf(of === "ofInstances" ? times.map((ms) => [ms]) : [times], "lastByteMs")[of];
      });
      return runs.filter((kinds) => kinds !== null).length / runs.length;
    };
    for (const count of [6, 10, 20]) expect(calledTwo("ofInstances", count)).toBeLessThanOrEqual(0.02);
    for (const count of [20, 100]) expect(calledTwo("ofExchanges", count)).toBeLessThanOrEqual(0.02);
  });
});

test.each([
  ["instances", { instanceKinds: { share: 0.5, factor: 1.4 } }],
  // The median of an instance is on either level.
  ["exchanges", { exchangeKinds: { share: 0.5, factor: 1.75 }, roundsPerTrial: 21 }],
])("%s of two kinds are seen, and not taken for the other", (of, kinds) => {
  const { ofExchanges, ofInstances } = kindsSaid({ ...calm, ...kinds, trials: 10 }, 100, 12);
  const [seen, other] = of === "instances" ? [ofInstances, ofExchanges] : [ofExchanges, ofInstances];
  expect(share(seen)).toBeGreaterThan(90);
  expect(share(other)).toBeLessThanOrEqual(2);
});

test("intervals over vantages hold the truth where routes differ; over trials they do not", () => {
  const { covered, coveredByTrials } = vantageShares({ effectMs: 5, betweenMs: 1 }, 5, 150, 15);
  expect(share(covered)).toBeGreaterThan(96);
  expect(share(coveredByTrials)).toBeLessThan(85);
  const { said, saidByTrials } = vantageShares({ effectMs: 0, betweenMs: 1 }, 3, 150, 16);
  expect(share(said("slower")) + share(said("faster"))).toBeLessThan(5);
  expect(share(saidByTrials)).toBeGreaterThan(10);
});
