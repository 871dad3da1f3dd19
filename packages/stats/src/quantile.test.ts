import * as oracle from "simple-statistics";
import { describe, expect, test } from "vitest";
import { mean, median, quantile, sorted, variance } from "./quantile.ts";
import { drawNormal, seededRandom } from "./random.ts";

const random = seededRandom(3);
const lists = [1, 2, 3, 4, 5, 20, 101, 1000].map((length) =>
  Array.from({ length }, () => 20 * Math.exp(drawNormal(random))),
);

describe.each(lists.map((values) => [values.length, values] as const))("of %i values", (_, values) => {
  test("median and mean are those of simple-statistics", () => {
    expect(median(values)).toBeCloseTo(oracle.median(values), 10);
    expect(mean(values)).toBeCloseTo(oracle.mean(values), 10);
  });

  test("the outermost quantiles are the smallest and the largest value", () => {
    expect(quantile(sorted(values), 0)).toBe(oracle.min(values));
    expect(quantile(sorted(values), 1)).toBe(oracle.max(values));
  });

  test("variance is that of simple-statistics, and 0 for a single value", () => {
    expect(variance(values)).toBeCloseTo(values.length < 2 ? 0 : oracle.sampleVariance(values), 8);
  });
});

test("quantiles are of type 7, as R and NumPy have them by default", () => {
  // quantile(c(1, 2, 3, 4, 10), c(.1, .25, .9)) in R.
  const values = [1, 2, 3, 4, 10];
  expect(quantile(values, 0.1)).toBeCloseTo(1.4, 12);
  expect(quantile(values, 0.25)).toBe(2);
  expect(quantile(values, 0.9)).toBeCloseTo(7.6, 12);
});

test("a quantile of nothing is an error", () => {
  expect(() => quantile([], 0.5)).toThrow(/at least one value/);
});

test("sorting leaves the given values as they are, and sorts numbers as numbers", () => {
  const values = [10, 9, 100];
  expect([...sorted(values)]).toEqual([9, 10, 100]);
  expect(values).toEqual([10, 9, 100]);
});
