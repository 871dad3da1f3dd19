import type { ComparisonResult, Estimate } from "@evenbench/results";
import { describe, expect, test } from "vitest";
import {
  conclude,
  exactly,
  halfOf,
  judgeAbove,
  judgeAnswers,
  judgeBelow,
  judgeEqual,
  judgeNear,
  judgeRatio,
} from "./judge.ts";

const around = (estimate: number, half: number): Estimate => ({
  estimate,
  low: estimate * (1 - half),
  high: estimate * (1 + half),
});

/** A comparison whose one contrast has this ratio in every metric. */
function comparison(ratio: Estimate | null): ComparisonResult {
  const all = (value: Estimate | null) => ({
    firstByteMs: value,
    lastByteMs: value,
    cpu: value,
    notWarm: null,
  });
  return {
    id: "pair",
    caseId: "math",
    sides: [],
    unmeasured: [],
    contrasts: [{ side: "b", against: "a", ...all(ratio) }],
    control: null,
    trials: 5,
    events: [],
  };
}

const question = { label: "b / a", side: "b", against: "a", metric: "cpu" } as const;

describe("a claim of a factor", () => {
  const judge = (ratio: Estimate | null) =>
    judgeRatio(comparison(ratio), { ...question, decidesAt: halfOf(3) });

  test.each([
    ["above half of it is reproduced", around(3, 0.1), "reproduced"],
    ["much above it is reproduced, too", around(9, 0.1), "reproduced"],
    ["between 1 and half of it is not", around(1.4, 0.1), "not reproduced"],
    ["around 1 is not", around(1, 0.1), "not reproduced"],
    ["on the other side is reversed", around(0.5, 0.1), "reversed"],
    ["across what decides cannot be told", around(1.73, 0.1), "inconclusive"],
  ])("%s", (_what, ratio, verdict) => {
    expect(judge(ratio)).toMatchObject({ verdict, value: ratio, unit: "ratio" });
  });

  test("cannot be told without an interval or a comparison, and the reason says so", () => {
    expect(judge(null)).toMatchObject({
      verdict: "inconclusive",
      value: null,
      note: expect.stringMatching(/--time/),
    });
    expect(judgeRatio(undefined, { ...question, decidesAt: 2 })).toMatchObject({ verdict: "inconclusive" });
  });
});

describe("a claim of equality", () => {
  const judge = (ratio: Estimate) => judgeEqual(comparison(ratio), { ...question, within: 0.25 });

  test.each([
    [around(1.02, 0.05), "reproduced"],
    [around(0.9, 0.05), "reproduced"],
    [around(1.6, 0.05), "not reproduced"],
    [around(0.5, 0.05), "not reproduced"],
    [around(1.25, 0.05), "inconclusive"],
    [around(1, 0.4), "inconclusive"],
  ] as const)("%o is %s", (ratio, verdict) => {
    expect(judge(ratio).verdict).toBe(verdict);
  });
});

describe("two answers", () => {
  const answer = (ratio: number | null) => ({
    comparison: ratio === null ? undefined : comparison(around(ratio, 0.02)),
    ...{ side: "b", against: "a" },
  });
  const judge = (one: number | null, other: number) =>
    judgeAnswers({ label: "l", metric: "cpu", one: answer(one), other: answer(other), within: 0.1 });

  test.each([
    [0.8, 0.8, "reproduced"],
    [0.8, 0.6, "not reproduced"],
    [0.6, 0.8, "not reproduced"],
    [0.8, 0.73, "inconclusive"],
    [null, 1, "inconclusive"],
  ])("%d beside %d is %s", (one, other, verdict) => {
    expect(judge(one, other).verdict).toBe(verdict);
  });

  test("differ by the quotient, with the interval of independent estimates", () => {
    const { value } = judge(0.9, 0.6);
    expect(value?.estimate).toBeCloseTo(1.5);
    // 2 % each way, in quadrature.
    expect(Math.log((value?.high ?? 0) / 1.5)).toBeCloseTo(0.02 * Math.SQRT2, 3);
  });
});

test.each([
  [0.9, "not reproduced", "reproduced", "not reproduced"],
  [1.5, "inconclusive", "inconclusive", "inconclusive"],
  [1.4, "not reproduced", "reproduced", "reproduced"],
  [3, "reproduced", "not reproduced", "not reproduced"],
])("an interval around %d: above 1.5 %s, below %s, near 1.4 %s", (value, above, below, near) => {
  const interval = { ...around(value, 0.05), level: 0.99 };
  expect(judgeAbove("l", interval, 1.5).verdict).toBe(above);
  expect(judgeBelow("l", interval, 1.5).verdict).toBe(below);
  expect(judgeNear("l", "ratio", interval, { expected: 1.4, within: 0.1 }).verdict).toBe(near);
  expect(judgeAbove("l", null, 1.5).verdict).toBe("inconclusive");
});

describe("several figures", () => {
  const figure = (verdict: "reproduced" | "not reproduced" | "reversed" | "inconclusive" | null) => ({
    label: `one that is ${verdict}`,
    unit: "ratio" as const,
    value: exactly(1),
    verdict,
    note: null,
  });

  test.each([
    [["reproduced", "reproduced"], "reproduced"],
    [["reversed"], "reversed"],
    [["reproduced", "not reproduced"], "not reproduced"],
    [["reproduced", "reversed"], "not reproduced"],
    [["reproduced", "inconclusive"], "inconclusive"],
    [["not reproduced", null], "not reproduced"],
    [[null], "inconclusive"],
    [[], "inconclusive"],
  ] as const)("%j together are %s", (verdicts, verdict) => {
    const concluded = conclude(verdicts.map(figure));
    expect(concluded.verdict).toBe(verdict);
    expect(concluded.reason).toMatch(/\w/);
  });
});
