import { mean, sampleStandardDeviation } from "simple-statistics";
import { expect, test } from "vitest";
import { hierarchicalInterval } from "./hierarchical.ts";
import { drawNormal, seededRandom } from "./random.ts";

const constant = (estimate: number) => ({ estimate, resamples: new Float64Array(50).fill(estimate) });
const scattered = (estimate: number, sd: number, seed: number) => {
  const random = seededRandom(seed);
  return {
    estimate,
    resamples: Float64Array.from({ length: 200 }, () => estimate + sd * drawNormal(random)),
  };
};

test("the interval is as wide as Student's t has it for so many trials", () => {
  const estimates = [0.01, 0.02, 0.03, 0.04, 0.05];
  const { estimate, low, high } = hierarchicalInterval(estimates.map(constant), seededRandom(1));
  expect(estimate).toBeCloseTo(mean(estimates), 12);
  expect(high - low).toBeCloseTo((2 * 2.776445 * sampleStandardDeviation(estimates)) / Math.sqrt(5), 6);
});

test("the scatter of other comparisons counts, all together, as much as one more trial, with its degree of freedom", () => {
  const estimates = [0.01, 0.02, 0.03, 0.04, 0.05];
  const { low, high } = hierarchicalInterval(estimates.map(constant), seededRandom(1), [0.0004, 0.0002]);
  const scatter = (4 * sampleStandardDeviation(estimates) ** 2 + 0.0003) / 5;
  expect(high - low).toBeCloseTo(2 * 2.570582 * Math.sqrt(scatter / 5), 6);
});

test("with two trials the scatter of others counts as much as a comparison's own", () => {
  const { low, high } = hierarchicalInterval(
    [constant(0), constant(0.02)],
    seededRandom(1),
    [0.0006, 0.0002],
  );
  expect(high - low).toBeCloseTo(2 * 4.302653 * Math.sqrt((0.0002 + 0.0004) / 2 / 2), 6);
});

test("scatter between trials is what is left when the rounds' share is taken off", () => {
  const trials = [-0.02, -0.01, 0, 0.01, 0.02].map((estimate, index) => scattered(estimate, 0.01, index));
  const { between, within } = hierarchicalInterval(trials, seededRandom(1));
  expect(within).toBeCloseTo(0.01, 3);
  expect(between).toBeCloseTo(Math.sqrt(0.00025 - within ** 2), 10);
});

test("scatter between trials is never less than none", () => {
  const trials = [0, 0.001, 0.002].map((estimate, index) => scattered(estimate, 0.05, index));
  expect(hierarchicalInterval(trials, seededRandom(1)).between).toBe(0);
});

test("trials that agree exactly, though their rounds scatter, still have an interval", () => {
  const { low, high } = hierarchicalInterval(
    [1, 2, 3, 4, 5].map((seed) => scattered(0, 0.01, seed)),
    seededRandom(1),
  );
  expect(high - low).toBeCloseTo((2 * 2.776445 * 0.01) / Math.sqrt(5), 2);
});

test("trials that agree exactly in all rounds have an interval of no width", () => {
  expect(hierarchicalInterval([constant(0), constant(0)], seededRandom(1))).toMatchObject({
    low: 0,
    high: 0,
  });
});

test("a single trial is an error", () => {
  expect(() => hierarchicalInterval([constant(0)], seededRandom(1))).toThrow(/at least two/);
});
