import { deviationFromOne, SAME_WITHIN, verdictOf } from "@evenbench/stats";
import { expect, test } from "vitest";
import { cell, SAME_BOUND, type Written } from "./notation.ts";

const DECIDED: Written = {
  verdict: "faster",
  why: null,
  unit: "ratio",
  estimate: 0.8284,
  low: 0.7528,
  high: 0.9117,
  low90: 0.7831,
  high90: 0.8764,
  flags: [],
  byTrial: [],
};

test("a difference is its estimate and the ends of its interval, with the mark where it is less sure", () => {
  expect(cell(DECIDED)).toBe("◀ −17 % (−25 to −9)");
  expect(cell({ ...DECIDED, flags: ["client-waited"] })).toBe("◀ −17 % (−25 to −9) *");
  expect(cell({ ...DECIDED, flags: ["drifted"] }, "drawn")).toBe("−17 % *");
});

test("what is unclear is its interval alone, and has no mark", () => {
  const unclear = { ...DECIDED, verdict: "unclear", low: 0.8304, high: 1.006, flags: ["drifted"] } as const;
  expect(cell(unclear)).toBe("? −17 to +0.6 %");
  expect(cell(unclear, "drawn")).toBe("−17 to +0.6 %");
});

test("while a run goes on, a single trial has its change", () => {
  const few = {
    ...DECIDED,
    verdict: "unclear",
    why: "few-trials",
    estimate: null,
    low: null,
    high: null,
  } as const;
  expect(cell({ ...few, byTrial: [0.734] }, "so far")).toBe("? −27 % (1 trial)");
  expect(cell({ ...few, byTrial: [0.734] })).toBe("? too few trials");
  expect(cell(DECIDED, "so far")).toBe(cell(DECIDED));
});

test("an interval on one side of 1 never looks as if it reached 1", () => {
  expect(cell({ ...DECIDED, estimate: 0.95, low: 0.9, high: 0.9997 })).toBe("◀ −5 % (−10 to −0.03)");
});

test("a narrow interval has a decimal", () => {
  const narrow = { ...DECIDED, verdict: "slower", estimate: 1.091, low: 1.0823, high: 1.1009 } as const;
  expect(cell(narrow)).toBe("▶ +9.1 % (+8.2 to +10.1)");
});

test("same reaches as far as the deviation that it was judged by, rounded up, and never beyond the bound", () => {
  expect(SAME_BOUND).toBe(SAME_WITHIN);
  const same = (low90: number, high90: number) =>
    cell({ ...DECIDED, verdict: "same", estimate: 1, low: low90, high: high90, low90, high90 });
  expect(same(0.9602, 1.038)).toBe("= within 5 %");
  for (const ends of [
    { low: 1, high: 1 + SAME_WITHIN },
    { low: 1 / (1 + SAME_WITHIN), high: 1 },
    { low: 1 / 1.03, high: 1.0301 },
  ]) {
    const written = Number(/\d+/.exec(same(ends.low, ends.high))?.[0]);
    expect(written).toBeGreaterThanOrEqual(100 * deviationFromOne(ends) - 1e-6);
    // Whatever the verdict takes for the same is not said to reach further than the bound.
    if (verdictOf({ low: 0.9, high: 1.1 }, ends) === "same") {
      expect(written).toBeLessThanOrEqual(100 * SAME_WITHIN);
    }
  }
});

test("a difference in milliseconds has the same shape, with as many decimals as its interval's width asks for", () => {
  const ms = {
    ...DECIDED,
    unit: "ms",
    estimate: -1.2,
    low: -1.9,
    high: -0.4,
    low90: -0.43,
    high90: 0.5,
  } as const;
  expect(cell(ms)).toBe("◀ −1.20 ms (−1.90 to −0.40)");
  expect(cell({ ...ms, verdict: "unclear", high: 0.4 })).toBe("? −1.90 to +0.40 ms");
  expect(cell({ ...ms, verdict: "same" })).toBe("= within 0.50 ms");
});
