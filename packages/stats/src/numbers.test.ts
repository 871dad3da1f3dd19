import { expect, test } from "vitest";
import { largest, mean, median, quantile, smallest, sorted, variance } from "./numbers.ts";
import { seededRandom } from "./random.ts";

test("quantiles (type 7), means, medians and variances are those of R, and there is no quantile of nothing", () => {
  // quantile(c(1, 2, 3, 4, 10), c(.1, .25, .9)) in R.
  const values = [1, 2, 3, 4, 10];
  expect([0.1, 0.25, 0.9].map((share) => quantile(values, share))).toEqual([1.4, 2, expect.closeTo(7.6, 12)]);
  expect(() => quantile([], 0.5)).toThrow(/at least one value/);
  expect([mean(values), median(values), variance(values)]).toEqual([4, 3, 12.5]);
  expect([median([4, 1, 3, 2]), median([7]), variance([7])]).toEqual([2.5, 7, 0]);
});

test("a median is the middle of the sorted values, which it leaves in their order", () => {
  const random = seededRandom(1);
  const drawn = Array.from({ length: 300 }, (_, length) => {
    // Few distinct values, and many.
    const distinct = length % 3 === 0 ? 4 : 1e6;
    return Array.from({ length: length + 1 }, () => Math.floor(distinct * random()) / 7);
  });
  const ascending = drawn.map((values) => [...sorted(values)]);
  for (const values of [...drawn, ...ascending, ...ascending.map((values) => values.toReversed())]) {
    const before = [...values];
    expect(median(values)).toBe(quantile(sorted(values), 0.5));
    expect(values).toEqual(before);
  }
  expect(() => median([])).toThrow(RangeError);
});

test("the largest and the smallest of more values than a call can have arguments", () => {
  const values = Array.from({ length: 500_000 }, (_, index) => index);
  expect([largest(values), smallest(values)]).toEqual([499_999, 0]);
  expect([largest([]), smallest([])]).toEqual([Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]);
});
