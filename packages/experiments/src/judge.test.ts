import type { Estimate } from "@evenbench/results";
import { describe, expect, test } from "vitest";
import { around, measured } from "../test/measured.ts";
import type { Rule } from "./define.ts";
import {
  answer,
  exactly,
  figureOf,
  halfOf,
  isAbove,
  isBelow,
  isNear,
  outcomeOf,
  takesMore,
  takesTheSame,
} from "./judge.ts";

/** A comparison whose contrasts have this ratio in every metric. */
const comparison = (ratio: Estimate | null) =>
  measured(
    { id: "pair", caseId: "math", sides: ["a", "b"].map((name) => ({ name, target: "node" })) },
    () => ratio,
  );

const question = { label: "b / a", of: "pair", side: "b", against: "a", metric: "cpu" } as const;
const judge = (ratio: Estimate | null, rule: Rule) =>
  answer({ comparisons: { pair: comparison(ratio) }, loads: {} }, { ...question, rule });

test.each([
  ["above half of it is reproduced", around(3, 0.1), "reproduced"],
  ["much above it is reproduced, too", around(9, 0.1), "reproduced"],
  ["between 1 and half of it is not", around(1.4, 0.1), "not reproduced"],
  ["around 1 is not", around(1, 0.1), "not reproduced"],
  ["on the other side is reversed", around(0.5, 0.1), "reversed"],
  ["across what decides cannot be told", around(1.73, 0.1), "inconclusive"],
])("a claim of a factor: a ratio %s", (_what, ratio, verdict) => {
  expect(judge(ratio, takesMore(halfOf(3)))).toMatchObject({ verdict, value: ratio, unit: "ratio" });
});

test("a claim cannot be told without an interval or a comparison, and the reason says so", () => {
  const unknown = { verdict: "inconclusive", value: null, note: expect.stringMatching(/--time/) };
  expect(judge(null, takesMore(2))).toMatchObject(unknown);
  expect(answer({ comparisons: {}, loads: {} }, { ...question, rule: takesMore(2) })).toMatchObject(unknown);
  const unmeasured = [{ name: "b", why: "bad option." }];
  const told = answer(
    { comparisons: { pair: { ...comparison(null), unmeasured, contrasts: [] } }, loads: {} },
    question,
  );
  expect(told).toMatchObject({ verdict: null, note: "b was not measured: bad option." });
});

test.each([
  [around(1.02, 0.05), "reproduced"],
  [around(0.9, 0.05), "reproduced"],
  [around(1.6, 0.05), "not reproduced"],
  [around(0.5, 0.05), "not reproduced"],
  [around(1.25, 0.05), "inconclusive"],
  [around(1, 0.4), "inconclusive"],
] as const)("a claim of equality within a quarter: %o is %s", (ratio, verdict) => {
  expect(judge(ratio, takesTheSame(0.25)).verdict).toBe(verdict);
});

describe("two answers", () => {
  const both = (one: number | null, other: number) =>
    answer(
      {
        comparisons: {
          ...(one !== null && { pair: comparison(around(one, 0.02)) }),
          other: comparison(around(other, 0.02)),
        },
        loads: {},
      },
      { ...question, beside: { of: "other", side: "b", against: "a" }, rule: takesTheSame(0.1) },
    );

  test.each([
    [0.8, 0.8, "reproduced"],
    [0.8, 0.6, "not reproduced"],
    [0.6, 0.8, "not reproduced"],
    [0.8, 0.73, "inconclusive"],
    [null, 1, "inconclusive"],
  ])("%d beside %d is %s", (one, other, verdict) => {
    expect(both(one, other).verdict).toBe(verdict);
  });

  test("differ by the quotient, with the interval of independent estimates", () => {
    const { value } = both(0.9, 0.6);
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
])("an interval around %d: above 1.5 %s, below %s, near 1.4 %s", (value, ...verdicts) => {
  const rules = [isAbove(1.5), isBelow(1.5), isNear(1.4, 0.1)];
  const found = rules.map((rule) => figureOf("l", "ratio", around(value, 0.05), { rule }).verdict);
  expect(found).toEqual(verdicts);
  expect(figureOf("l", "ratio", null, { rule: isAbove(1.5) }).verdict).toBe("inconclusive");
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
    const concluded = outcomeOf(verdicts.map(figure));
    expect(concluded.verdict).toBe(verdict);
    expect(concluded.reason).toMatch(/\w/);
  });
});
