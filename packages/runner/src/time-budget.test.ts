import { describe, expect, test } from "vitest";
import { measureEnd, SharedTime, TimeBudget, type TimeBudgetTerms, warmUpEnd } from "./time-budget.ts";

const NOW = 1000;

function budgetOf(limitMs: number | null, more: Partial<TimeBudgetTerms> = {}): TimeBudget {
  return new TimeBudget({
    limitMs,
    shared: new SharedTime(limitMs ?? 60_000),
    trials: { minimum: 3, maximum: 10 },
    plannedTrialMs: 7000,
    plannedSearchMs: 0,
    hasFixedRounds: false,
    ...more,
  });
}

/** The longest that each of the first trials may take, where each takes `tookMs`. */
function limitsOf(budget: TimeBudget, tookMs: (limitMs: number) => number = (ms) => ms): number[] {
  return [0, 1, 2].map((trial) => {
    const limitMs = budget.forTrial(trial, NOW, 240).atMostUntil - NOW;
    budget.endTrial(tookMs(limitMs));
    return limitMs;
  });
}

describe("the time of a trial", () => {
  test("has no bounds where nobody asked for a time", () => {
    expect(budgetOf(null).forTrial(0, NOW, 240)).toEqual({
      trial: 0,
      atLeastUntil: NOW,
      atMostUntil: Number.POSITIVE_INFINITY,
      measureMs: null,
      pace: 1,
      minMeasureMs: 240,
    });
  });

  test("has rounds for a part of their usual time where starts and warm-up leave no more, unless the user fixed one", () => {
    const paceOf = (more: Partial<TimeBudgetTerms>, trial = 0, remainingMs = 60_000) => {
      const shared = new SharedTime(remainingMs);
      for (const toCome of [
        { roundsMs: 30_000, besideMs: 10_000 },
        { roundsMs: 10_000, besideMs: 30_000 },
      ]) {
        shared.add({ toCome });
      }
      return budgetOf(null, { shared, ...more }).forTrial(trial, NOW, 240).pace;
    };
    expect([90_000, 70_000, 60_000, 0].map((ms) => paceOf({}, 0, ms))).toEqual([1, 0.75, 0.5, 0.5]);
    expect(paceOf({}, 3)).toBe(1);
    expect(paceOf({ trials: { minimum: 20, maximum: 20 } })).toBe(1);
    expect(paceOf({ hasFixedRounds: true })).toBe(1);
    expect(paceOf({ limitMs: 30_000 })).toBe(1);
  });

  test("is an equal share of the limit for each of the first trials", () => {
    expect(limitsOf(budgetOf(30_000))).toEqual([10_000, 10_000, 10_000]);
  });

  test("is half of the limit for a first trial that searches, where that leaves the others time to be warm", () => {
    expect(limitsOf(budgetOf(40_000, { plannedSearchMs: 6000 }))).toEqual([20_000, 10_000, 10_000]);
    expect(limitsOf(budgetOf(26_000, { plannedSearchMs: 6000 }))).toEqual([12_000, 7000, 7000]);
    expect(limitsOf(budgetOf(15_000, { plannedSearchMs: 6000 }))).toEqual([5000, 5000, 5000]);
  });

  test("is an equal share of what is left after longer trials, and at least 75 % of what was planned", () => {
    expect(limitsOf(budgetOf(30_000), (ms) => ms + 1000)).toEqual([10_000, 9500, 8500]);
    expect(limitsOf(budgetOf(30_000), (ms) => ms + 9000)).toEqual([10_000, 7500, 7500]);
    expect(limitsOf(budgetOf(30_000), () => 6000)).toEqual([10_000, 12_000, 18_000]);
  });

  test("is all of the shared time for a trial beyond the minimum", () => {
    const shared = new SharedTime(100_000);
    const budget = budgetOf(30_000, { shared });
    limitsOf(budget);
    expect(budget.forTrial(3, NOW, 240).atMostUntil).toBe(NOW + 70_000);
    shared.remainingMs = 5000;
    expect(budget.forTrial(3, NOW, 240).atMostUntil).toBe(NOW + 5000);
  });

  test("is at least its share among all trials that may still come, unless the number of rounds is fixed", () => {
    const budget = budgetOf(40_000);
    expect(budget.forTrial(0, NOW, 240).atLeastUntil).toBe(NOW + 4000);
    budget.endTrial(4900);
    expect(budget.forTrial(1, NOW, 240).atLeastUntil).toBe(NOW + 3900);
    expect(budgetOf(40_000, { hasFixedRounds: true }).forTrial(0, NOW, 240).atLeastUntil).toBe(NOW);
    const full = budgetOf(30_000, { trials: { minimum: 3, maximum: 3 } }).forTrial(0, NOW, 240);
    expect(full.atLeastUntil).toBe(full.atMostUntil);
  });
});

describe("a budget", () => {
  test("has room for the first trials in any case, and for a further one where the shared time holds it", () => {
    const budget = budgetOf(null, { shared: new SharedTime(20_000) });
    expect(budget.hasRoomFor(90_000)).toBe(true);
    for (let trial = 0; trial < 3; trial++) {
      budget.endTrial(5000);
    }
    expect(budget.spentMs).toBe(15_000);
    expect([5000, 5001].map((ms) => budget.hasRoomFor(ms))).toEqual([true, false]);
  });

  test("expects a trial to take what it needs, cut to its limit but for its smallest number of rounds", () => {
    const estimate = { startMs: 1000, totalMs: 8000, minMeasureMs: 240 };
    expect(budgetOf(null).expectedMs(0, estimate)).toBe(8000);
    expect(budgetOf(15_000).expectedMs(0, estimate)).toBe(5000);
    expect(budgetOf(3000).expectedMs(0, estimate)).toBe(1000 + 240);
    expect(budgetOf(120_000).expectedMs(0, estimate)).toBe(12_000);
  });

  test("gives further trials the duration of rounds that was planned for them", () => {
    const budget = budgetOf(null);
    budget.planMeasureMs(1500);
    expect(budget.forTrial(1, NOW, 240).measureMs).toBe(1500);
  });
});

test("warm-up leaves a trial the time of its smallest number of rounds, but may have half of the trial", () => {
  const endOf = (minMeasureMs: number) => warmUpEnd({ atMostUntil: 11_000, minMeasureMs }, NOW);
  expect([0, 3000, 9000].map(endOf)).toEqual([10_000, 8000, 6000]);
  const unbounded = { atMostUntil: Number.POSITIVE_INFINITY, minMeasureMs: 1 };
  expect(warmUpEnd(unbounded, NOW)).toBe(Number.POSITIVE_INFINITY);
});

test("rounds are measured for their best duration, within the bounds of their trial", () => {
  const bounds = {
    trial: 0,
    atLeastUntil: NOW + 2000,
    atMostUntil: NOW + 6000,
    measureMs: null,
    pace: 1,
    minMeasureMs: 240,
  };
  expect(measureEnd(bounds, 3000, NOW)).toBe(NOW + 3000);
  expect(measureEnd({ ...bounds, measureMs: 4000 }, 3000, NOW)).toBe(NOW + 4000);
  expect(measureEnd({ ...bounds, measureMs: 5000, pace: 0.6 }, 0, NOW)).toBe(NOW + 3000);
  expect(measureEnd(bounds, 500, NOW)).toBe(NOW + 2000);
  expect(measureEnd(bounds, 9000, NOW)).toBe(NOW + 6000);
  expect(measureEnd(bounds, 3000, NOW + 7000)).toBe(NOW + 7000);
});
