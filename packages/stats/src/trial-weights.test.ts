import { expect, test } from "vitest";
import { sum } from "./sum.ts";
import { trialWeights } from "./trial-weights.ts";

test("trials whose variances differ by no more than chance count alike", () => {
  const weights = trialWeights([0.01, 0.02, 0.03, 0.02], [1e-4, 2e-4, 1.5e-4, 0.8e-4]);
  for (const weight of weights) expect(weight).toBeCloseTo(0.25, 12);
});

test("where trials say the same, one that is uncertain counts less than the others, and never nothing", () => {
  const weights = trialWeights([0.05, 0.05, 0.05, -0.1], [1e-5, 2e-5, 1e-5, 1e-2]);
  expect(sum(weights)).toBeCloseTo(1, 12);
  const [first = 0, , , last = 1] = weights;
  expect(last).toBeLessThan(first / 2);
  expect(last).toBeGreaterThan(0);
});

test("where instances differ by more than rounds scatter, all count nearly alike", () => {
  const weights = trialWeights([-0.5, -0.2, 0.1, 0.6], [1e-5, 1e-3, 1e-5, 1e-3]);
  for (const weight of weights) expect(weight).toBeCloseTo(0.25, 2);
});

test("a variance that is 0 by chance does not take all", () => {
  const [first = 1] = trialWeights([0.01, 0.02, 0.015], [0, 1e-4, 1e-4]);
  expect(first).toBeLessThan(0.9);
});

test("without any scatter all count alike", () => {
  expect(trialWeights([1, 1], [0, 0])).toEqual([0.5, 0.5]);
});
