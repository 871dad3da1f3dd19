import { fixtureCase, fixtureTarget } from "@evenbench/runner/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import type { LoadOptions } from "./options.ts";
import { endsAfter, firstPlan, plannedMsOf, stageLengthOf, stageMsOf, stretchedTime } from "./plan.ts";
import { describeShortWarmUp, warmUpShares } from "./target-under-load.ts";

/** Sweeps of 20 stages a trial. */
function sweep(timeMs?: number): LoadOptions {
  const targets = ["one", "two"].map((name) => ({ ...fixtureTarget(name), instances: 1, workers: 1 }));
  const loads = Array.from({ length: 10 }, () => ({ kind: "closed", connections: 1 }) as const);
  const cases = { fixture: [fixtureCase("short")] };
  return { targets, cases, goal: { kind: "sweep", loads }, ...(timeMs !== undefined && { timeMs }) };
}

test.each([
  [60_000, 0, 900],
  [60_000, 12_000, 700],
  [1000, 0, 500],
  [3_600_000, 0, 30_000],
])(
  "of %i ms a stage gets what starts, warm-up and its search (%i ms) leave, within bounds",
  (timeMs, searchMs, stageMs) => {
    expect(stageMsOf(sweep(timeMs), 3, [{ setUpMs: 2000, searchMs }])).toBe(stageMs);
  },
);

test("a load is ended after one and a half of its planned time and 30 s: never before its own stages, nor where a timer ends", () => {
  const setUp = { setUpMs: 1000, searchMs: 500 };
  const planned = (options: LoadOptions, cases: number, stageMs = 500) =>
    plannedMsOf(options, { trials: 3, stageMs }, new Array(cases).fill(setUp));
  // Of 20 stages a trial.
  expect(planned(sweep(60_000), 2)).toBe(120_000);
  expect(planned(sweep(12_000), 1)).toBe(500 + 3 * (1000 + 20 * 500));
  const capacity = {
    kind: "capacity",
    condition: { quantile: 0.99, limitMs: 250 },
    arrivals: "poisson",
    connections: 8,
  } as const;
  // On each of two targets a closed load, and eight stages that may be four times as long.
  expect(planned({ ...sweep(12_000), goal: capacity }, 1)).toBe(500 + 3 * (1000 + 2 * (1 + 8 * 4) * 500));
  expect([12_000, 1e12].map(endsAfter)).toEqual([48_000, 2 ** 31 - 1]);
});

test("a time that is too short for one trial of the shortest stages gets no more than that trial", () => {
  const trials = [undefined, 60_000, 10_000, 9999].map((timeMs) => firstPlan(sweep(timeMs)).trials);
  expect(trials).toEqual([3, 3, 3, 1]);
});

test("a stage at a low rate or a high concurrency is longer, within bounds", () => {
  const p99 = { quantile: 0.99, limitMs: 250 };
  expect([1000, 200, 5].map((rate) => stretchedTime(1000, rate, p99, 0.75))).toEqual([1000, 3333, 4000]);
  expect([8, 32].map((connections) => stageLengthOf({ kind: "closed", connections }))).toEqual([1, 4]);
  expect(stageLengthOf({ kind: "open", perSecond: 10, arrivals: "poisson", connections: 64 })).toBe(1);
});

test("connections share half of what is left of a case's time; what one leaves is the others'", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const start = performance.now();
  const nextEnd = warmUpShares(start + 60_000, 3);
  expect(nextEnd()).toBe(start + 10_000);
  vi.advanceTimersByTime(2000);
  expect(nextEnd()).toBe(start + 2000 + 14_000);
  vi.advanceTimersByTime(14_000);
  expect(nextEnd()).toBe(start + 30_000);
  // However little is left, a connection gets a second and a half.
  expect(warmUpShares(start, 2)()).toBe(start + 16_000 + 1500);
});

test("a warm-up that ended early says why, and how far it came", () => {
  const short = { exchanges: 12, elapsedMs: 1, warm: false, needed: 50, error: null };
  expect(describeShortWarmUp(short)).toContain("its time ended its warm-up after 12 of the 50 requests");
  expect(describeShortWarmUp({ ...short, needed: null })).toContain("too few to find out");
  const error = { kind: "timeout", detail: "late" } as const;
  expect(describeShortWarmUp({ ...short, error })).toContain("a failed request (timeout: late) ended");
});
