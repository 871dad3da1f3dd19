import { expect, test } from "vitest";
import { heterogeneity } from "./heterogeneity.ts";

const of = (estimate: number, variance: number, degrees: number) => ({
  estimate,
  error: { variance, degrees },
});

test("Q and I² as by hand, and Welch's chance as R's oneway.test has it", () => {
  // R: oneway.test(extra ~ group, sleep) gives F = 3.4626, denom df = 17.776, p = 0.07939.
  const sleep = heterogeneity([of(0.75, 3.200556 / 10, 9), of(2.33, 4.009 / 10, 9)]);
  expect(sleep?.q).toBeCloseTo(3.4626, 3);
  expect(sleep?.iSquared).toBeCloseTo(1 - 1 / 3.4626, 3);
  expect(sleep?.p).toBeCloseTo(0.07939, 4);
});

test("estimates that are nearer than their errors have no I², and a large chance", () => {
  const near = heterogeneity([of(1, 1, 5), of(1.1, 1, 5), of(0.9, 1, 5)]);
  expect(near?.iSquared).toBe(0);
  expect(near?.p).toBeGreaterThan(0.9);
});

test("an error that is not known, or only one estimate, says nothing", () => {
  expect(heterogeneity([of(1, 1, 5)])).toBeNull();
  expect(heterogeneity([of(1, 1, 5), { estimate: 2, error: null }])).toBeNull();
  expect(heterogeneity([of(1, 0, 5), of(2, 1, 5)])).toBeNull();
});
