import { expect, test } from "vitest";
import {
  deriveSeed,
  divideTime,
  hasRoomForAnother,
  isInterimAnalysis,
  mostTrials,
  usualTime,
  usualTotal,
} from "./plan.ts";

// Six rounds at least in each of five trials: 30 ms and 3 s, and 5 s of starts.
const costs = {
  fast: { roundMs: 1, startMs: 1000, warmUpMs: 0, searchMs: 0 },
  slow: { roundMs: 100, startMs: 1000, warmUpMs: 0, searchMs: 0 },
};

test("time left after the starts and least rounds is divided by the square root of a round's time", () => {
  expect(divideTime(costs, 123_030)).toEqual({ fast: 15_030, slow: 108_000 });
});

test("a case keeps a second beyond its least rounds where the total is too short", () => {
  expect(divideTime(costs, 5000)).toEqual({ fast: 6030, slow: 9000 });
});

test.each([
  [14_000, 5],
  [39_999, 5],
  [40_000, 10],
  [60_000, 15],
  [600_000, 15],
])("%i ms of time pay for %i trials", (budgetMs, trials) => {
  expect(mostTrials(budgetMs, null, { roundMs: 10, startMs: 1000, warmUpMs: 0, searchMs: 0 })).toBe(trials);
});

test("more trials must each be worth their start and least rounds", () => {
  // 1 s + 6 rounds of 1 s are 7 s; half as much again makes 10.5 s for each of ten.
  const slow = { roundMs: 1000, startMs: 1000, warmUpMs: 0, searchMs: 0 };
  expect(mostTrials(104_000, null, slow)).toBe(5);
  expect(mostTrials(105_000, null, slow)).toBe(10);
});

test("warm-up counts for each trial, and a search for the first", () => {
  const cost = { roundMs: 100, startMs: 500, warmUpMs: 5000, searchMs: 10_000 };
  expect(divideTime({ one: cost }, 0)).toEqual({ one: 10_000 + 5 * 6100 + 1000 });
  // 6.1 s; half as much again makes 9.15 s for each of ten.
  expect(mostTrials(101_000, null, cost)).toBe(5);
  expect(mostTrials(101_500, null, cost)).toBe(10);
});

test("where nobody asks for a time, a case gets its warm-up and 24 rounds, two to five seconds, and more where warm-up takes long", () => {
  const warm = { startMs: 500, warmUpMs: 2000, searchMs: 3000 };
  expect(usualTime({ ...warm, roundMs: 10 }, 5)).toBe(3000 + 5 * 4500);
  expect(usualTime({ ...warm, roundMs: 100 }, 5)).toBe(3000 + 5 * 4900);
  expect(usualTime({ ...warm, roundMs: 400 }, 5)).toBe(3000 + 5 * 7500);
  expect(usualTime({ ...warm, roundMs: 1500 }, 5)).toBe(3000 + 5 * 11_500);
  expect(usualTime({ ...warm, warmUpMs: 20_000, roundMs: 10 }, 5)).toBe(3000 + 5 * 25_500);
  expect(mostTrials(null, null, { ...warm, roundMs: 10 })).toBe(10);
});

test("a case gets three trials at least, and another one while it would end in its time", () => {
  const slow = { tookMs: 90_000, nextMs: 30_000, mostMs: 68_000 };
  expect([1, 2, 3].map((done) => hasRoomForAnother(done, slow))).toEqual([true, true, false]);
  expect(hasRoomForAnother(3, { tookMs: 36_000, nextMs: 12_000, mostMs: 48_000 })).toBe(true);
  expect(hasRoomForAnother(3, { tookMs: 36_000, nextMs: 12_000, mostMs: 47_000 })).toBe(false);
});

test("seven cases take five minutes where nobody asks for a time", () => {
  expect(usualTotal(7)).toBeLessThanOrEqual(301_000);
});

test("a fixed number of rounds means five trials", () => {
  expect(mostTrials(600_000, 100, { roundMs: 10, startMs: 1000, warmUpMs: 0, searchMs: 0 })).toBe(5);
});

test("there are interim analyses after 5, 10 and 15 trials only", () => {
  expect(Array.from({ length: 15 }, (_, index) => index + 1).filter(isInterimAnalysis)).toEqual([5, 10, 15]);
});

test("seeds differ by purpose and repeat with the run's seed", () => {
  expect(deriveSeed(1, "empty", 0)).toBe(deriveSeed(1, "empty", 0));
  expect(
    new Set([deriveSeed(1, "empty", 0), deriveSeed(1, "empty", 1), deriveSeed(2, "empty", 0)]).size,
  ).toBe(3);
});
