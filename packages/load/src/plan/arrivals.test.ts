import { expect, test } from "vitest";
import { arrivalTimes } from "./arrivals.ts";

const gapsOf = (times: Float64Array) =>
  Array.from(times.subarray(1), (time, index) => time - (times[index] ?? 0));
const mean = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / values.length;

test("uniform arrivals fill the time with equal gaps", () => {
  const times = arrivalTimes(40, "uniform", 1000, 1);
  expect(times).toHaveLength(40);
  for (const gap of gapsOf(times)) expect(gap).toBeCloseTo(25, 9);
  expect(times[0]).toBeCloseTo(12.5, 9);
});

test("Poisson arrivals have exponential gaps: mean and deviation are one, and e^-1 of them exceed the mean", () => {
  const gaps = gapsOf(arrivalTimes(100, "poisson", 500_000, 7));
  const average = mean(gaps);
  const deviation = Math.sqrt(mean(gaps.map((gap) => (gap - average) ** 2)));
  expect(average).toBeCloseTo(10, 0);
  expect(deviation / average).toBeCloseTo(1, 1);
  expect(gaps.filter((gap) => gap > average).length / gaps.length).toBeCloseTo(Math.exp(-1), 2);
});

test("the same seed gives the same times, another one others", () => {
  const times = (seed: number) => arrivalTimes(100, "poisson", 1000, seed);
  expect(times(5)).toEqual(times(5));
  expect(times(5)).not.toEqual(times(6));
});
