import { expect, test } from "vitest";
import { deriveSeed, divideTime, isLook, mostGenerations } from "./plan.ts";

// Four rounds at least (one to warm up, three measured) in each of five generations: 20 ms and 2 s.
const costs = { fast: { roundMs: 1, startMs: 1000 }, slow: { roundMs: 100, startMs: 1000 } };

test("time left after the starts and least rounds is divided by the square root of a round's time", () => {
  expect(divideTime(costs, 122_020)).toEqual({ fast: 15_020, slow: 107_000 });
});

test("a case keeps a second beyond its least rounds where the total is too short", () => {
  expect(divideTime(costs, 5000)).toEqual({ fast: 6020, slow: 8000 });
});

test.each([
  [14_000, 5],
  [39_999, 5],
  [40_000, 10],
  [60_000, 15],
  [600_000, 15],
])("%i ms of time pay for %i generations", (budgetMs, generations) => {
  expect(mostGenerations(budgetMs, null, { roundMs: 10, startMs: 1000 })).toBe(generations);
});

test("more generations must each be worth their start and least rounds", () => {
  // 1 s + 4 rounds of 1.25 s are 6 s; half as much again makes 9 s for each of ten.
  const slow = { roundMs: 1250, startMs: 1000 };
  expect(mostGenerations(57_000, null, slow)).toBe(5);
  expect(mostGenerations(90_000, null, slow)).toBe(10);
});

test("a fixed number of rounds means five generations", () => {
  expect(mostGenerations(600_000, 100, { roundMs: 10, startMs: 1000 })).toBe(5);
});

test("the data are looked at after 5, 10 and 15 generations only", () => {
  expect(Array.from({ length: 15 }, (_, index) => index + 1).filter(isLook)).toEqual([5, 10, 15]);
});

test("seeds differ by purpose and repeat with the run's seed", () => {
  expect(deriveSeed(1, "empty", 0)).toBe(deriveSeed(1, "empty", 0));
  expect(
    new Set([deriveSeed(1, "empty", 0), deriveSeed(1, "empty", 1), deriveSeed(2, "empty", 0)]).size,
  ).toBe(3);
});
