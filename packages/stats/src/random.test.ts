import { mean, sampleStandardDeviation } from "simple-statistics";
import { expect, test } from "vitest";
import { drawBelow, drawNormal, seededRandom, xoshiro128 } from "./random.ts";

const draw = <T>(count: number, next: () => T): T[] => Array.from({ length: count }, next);

test("xoshiro128** gives the outputs of its authors' reference code", () => {
  // Of xoshiro128starstar.c 1.1 from the state 1, 2, 3, 4; also in the tests of the crate rand_xoshiro.
  expect(draw(10, xoshiro128([1, 2, 3, 4]))).toEqual([
    11520, 0, 5927040, 70819200, 2031721883, 1637235492, 1287239034, 3734860849, 3729100597, 4258142804,
  ]);
});

test("the same seed gives the same numbers, another seed others", () => {
  expect(draw(20, seededRandom(7))).toEqual(draw(20, seededRandom(7)));
  expect(draw(20, seededRandom(7))).not.toEqual(draw(20, seededRandom(8)));
});

test("neighbouring seeds start far apart", () => {
  const firsts = draw(1000, () => 0).map((_, seed) => seededRandom(seed)());
  expect(mean(firsts)).toBeCloseTo(0.5, 1);
  expect(sampleStandardDeviation(firsts)).toBeCloseTo(Math.sqrt(1 / 12), 1);
});

test("draws below a bound hit every value about equally often", () => {
  const random = seededRandom(1);
  const counts = new Map<number, number>();
  for (let index = 0; index < 6000; index++) {
    const value = drawBelow(random, 6);
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  expect([...counts.keys()].sort()).toEqual([0, 1, 2, 3, 4, 5]);
  // The standard deviation of a count is 29.
  for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(120);
});

test("normal numbers have mean 0, standard deviation 1 and 5 % beyond 1.96", () => {
  const random = seededRandom(2);
  const values = draw(20_000, () => drawNormal(random));
  expect(mean(values)).toBeCloseTo(0, 1);
  expect(sampleStandardDeviation(values)).toBeCloseTo(1, 1);
  expect(values.filter((value) => Math.abs(value) > 1.96).length / 20_000).toBeCloseTo(0.05, 2);
});
