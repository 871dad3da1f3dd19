import { expect, test } from "vitest";
import { type VantageScenario, vantageShares } from "./simulation.ts";

// Seeds are fixed, so these cannot fail by chance. docs/coverage.md has the shares of 2,000 runs.
const RUNS = 400;
const error = (share: number) => 2 * Math.sqrt((share * (1 - share)) / RUNS);
const usual: VantageScenario = {
  name: "for tests",
  vantages: 5,
  trials: 5,
  effectMs: 5,
  betweenMs: 1,
  trialMs: 0.5,
};

test.each([
  ["5 vantages whose routes differ", usual],
  ["3 of them", { ...usual, vantages: 3 }],
  ["6 of them, two behind each edge", { ...usual, vantages: 6, behindOne: 2 }],
])("pooled intervals of %s hold the truth in about 99 %% of runs", (_, scenario) => {
  const { covered } = vantageShares(scenario, RUNS, 1);
  expect(covered).toBeGreaterThan(0.98 - error(0.98));
  expect(covered).toBeLessThan(1);
});

test("trials taken as independent hold it far less often, and so do vantages whose shared edges nobody told", () => {
  const shared = vantageShares({ ...usual, vantages: 6, behindOne: 2, edgesTold: false }, RUNS, 2);
  expect(shared.covered).toBeLessThan(0.95);
  expect(shared.coveredByTrials).toBeLessThan(0.85);
});

test("routes that differ around no difference are seldom called one, where trials say so in a sixth of runs", () => {
  const { said, saidByTrials } = vantageShares({ ...usual, effectMs: 0, vantages: 3 }, RUNS, 3);
  expect(said.slower + said.faster).toBeLessThan(0.05);
  expect(said.disagree).toBeGreaterThan(0.5);
  expect(saidByTrials).toBeGreaterThan(0.15);
});

test("equal vantages are called different about as often as they should, which Q's own table does not hold", () => {
  const { different, differentByTable } = vantageShares({ ...usual, betweenMs: 0, trials: 3 }, RUNS, 4);
  expect(different).toBeLessThan(0.05 + error(0.05));
  expect(differentByTable).toBeGreaterThan(0.2);
});
