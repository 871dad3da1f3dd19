import { expect, test } from "vitest";
import { drawNormal } from "../test/samples.ts";
import { mean, median, quantile, variance } from "./numbers.ts";
import { seededRandom } from "./random.ts";

test("quantiles are of type 7, as R and NumPy have them by default, and there is none of nothing", () => {
  // quantile(c(1, 2, 3, 4, 10), c(.1, .25, .9)) in R.
  const values = [1, 2, 3, 4, 10];
  expect([0.1, 0.25, 0.9].map((share) => quantile(values, share))).toEqual([1.4, 2, expect.closeTo(7.6, 12)]);
  expect(() => quantile([], 0.5)).toThrow(/at least one value/);
});

test("means, medians and variances are those of R", () => {
  const values = [10, 1, 4, 3, 2];
  expect([mean(values), median(values), variance(values)]).toEqual([4, 3, 12.5]);
  expect([median([4, 1, 3, 2]), median([7]), variance([7])]).toEqual([2.5, 7, 0]);
});

test("normal draws are normal", () => {
  const random = seededRandom(3);
  const values = Array.from({ length: 20_000 }, () => drawNormal(random));
  expect(mean(values)).toBeCloseTo(0, 1);
  expect(variance(values)).toBeCloseTo(1, 1);
  expect(values.filter((value) => Math.abs(value) > 1.96).length / 20_000).toBeCloseTo(0.05, 2);
});
