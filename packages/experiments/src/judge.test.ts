import type { Estimate } from "@evenbench/results";
import { expect, test } from "vitest";
import { around, measured } from "../test/measured.ts";
import type { FigureQuestion } from "./define.ts";
import {
  claimWords,
  figureFor,
  figureOf,
  halfOf,
  isAbove,
  isBelow,
  isNear,
  outcomeOf,
  takesMore,
  takesTheSame,
} from "./judge.ts";
import { leadFigure } from "./page.ts";

const QUESTION = { label: "b / a", comparison: "pair", side: "b", against: "a", metric: "cpu" } as const;

/** Comparisons by id, whose contrasts have this ratio in every metric. */
function answered(
  ratios: Readonly<Record<string, Estimate | null>>,
  question: Partial<FigureQuestion>,
  changes = {},
) {
  const sides = ["a", "b"].map((name) => ({ name, target: "node" }));
  const comparisons = Object.entries(ratios).map(([id, ratio]) => [
    id,
    { ...measured({ id, caseId: "math", sides }, () => ratio), ...changes },
  ]);
  return figureFor({ comparisons: Object.fromEntries(comparisons), loads: {} }, {
    ...QUESTION,
    ...question,
  } as FigureQuestion);
}

const FACTOR = takesMore(halfOf(3));
const SAME = takesTheSame(0.25);

test.each([
  ["above half of a factor", FACTOR, around(3, 0.1), "reproduced"],
  ["around 1", FACTOR, around(1, 0.1), "not reproduced"],
  ["on the other side", FACTOR, around(0.5, 0.1), "reversed"],
  ["across half of it", FACTOR, around(1.73, 0.1), "unclear"],
  ["within a quarter of 1", SAME, around(1.02, 0.05), "reproduced"],
  ["more than a quarter above 1", SAME, around(1.6, 0.05), "not reproduced"],
  ["above a boundary", isAbove(1.5), around(3, 0.05), "reproduced"],
  ["below a boundary", isBelow(1.5), around(1.4, 0.05), "reproduced"],
  ["near a value", isNear(1.4, 0.1), around(1.4, 0.05), "reproduced"],
  ["not near it", isNear(1.4, 0.1), around(0.9, 0.05), "not reproduced"],
])("%s", (_what, rule, ratio, verdict) => {
  expect(answered({ pair: ratio }, { rule })).toMatchObject({ verdict, value: ratio, unit: "ratio" });
});

test("nothing can be told without an interval or a comparison, and the reason says so", () => {
  const unknown = { verdict: "unclear", value: null, note: expect.stringMatching(/--time/) };
  expect(answered({ pair: null }, { rule: FACTOR })).toMatchObject(unknown);
  expect(answered({}, { rule: FACTOR })).toMatchObject(unknown);
  expect(figureOf("l", "ratio", null, { rule: isAbove(1.5) })).toMatchObject(unknown);
  const unmeasured = [{ name: "b", why: "bad option." }];
  const said = { verdict: null, note: "b was not measured: bad option." };
  expect(answered({ pair: null }, {}, { unmeasured, contrasts: [] })).toMatchObject(said);
});

test("a side that was not warm is named with what warms it, in the ratio that another is divided by, too", () => {
  const notWarm = "Not warm in b (2 of 3 trials): fell by 25 %.";
  const cold = { contrasts: [{ side: "b", against: "a", cpu: null, notWarm }] };
  const note = `${notWarm} More time (--time) gives it more warm-up and more trials.`;
  expect(answered({ pair: null }, { rule: FACTOR }, cold)).toMatchObject({ verdict: "unclear", note });
  const beside = { comparison: "other", side: "b", against: "a" };
  expect(answered({ pair: null, other: null }, { beside }, cold)).toMatchObject({ value: null, note });
});

test("two answers differ by their quotient, with the interval of independent estimates", () => {
  const beside = { comparison: "other", side: "b", against: "a" };
  const { value } = answered({ pair: around(0.9), other: around(0.6) }, { beside });
  expect(value?.estimate).toBeCloseTo(1.5);
  // 2 % each way, in quadrature.
  expect(Math.log((value?.high ?? 0) / 1.5)).toBeCloseTo(0.02 * Math.SQRT2, 3);
});

test.each([
  [["reproduced", "reproduced"], "reproduced"],
  [["reproduced", "not reproduced"], "reproduced in part"],
  [["reproduced", "reversed"], "reproduced in part"],
  [["not reproduced", "unclear"], "not reproduced"],
  [["reversed", "unclear"], "reversed"],
  [[null], "unclear"],
  [[], "unclear"],
] as const)("figures that are %j together are %s", (verdicts, verdict) => {
  const figures = verdicts.map((word) => ({
    label: `one that is ${word}`,
    unit: "ratio" as const,
    value: around(1),
    verdict: word,
    note: null,
  }));
  const outcome = outcomeOf(figures);
  expect(outcome).toMatchObject({ verdict, reason: expect.stringMatching(/\w/) });
  expect(claimWords(outcome).startsWith(verdict)).toBe(true);
});

test("a claim that is reproduced in part says in how many of its parts, and not of what stands beside it", () => {
  const figures = (["reproduced", "reproduced", "reproduced", "unclear", null] as const).map((verdict) => ({
    ...figureOf(`one that is ${verdict}`, "ratio", around(1)),
    verdict,
  }));
  const outcome = outcomeOf(figures);
  expect(claimWords(outcome)).toBe("reproduced in part (3 of 4, 1 open)");
  expect(leadFigure(outcome)?.verdict).toBe("reproduced");
  expect(outcome.reason).toContain("Unclear: one that is unclear.");
});

test("a claim of which one part is decided against it, and none for it, is not reproduced, and says how many are open", () => {
  const figures = (["unclear", "not reproduced", "unclear"] as const).map((verdict) => ({
    ...figureOf(`one that is ${verdict}`, "ratio", around(1)),
    verdict,
  }));
  expect(claimWords(outcomeOf(figures))).toBe("not reproduced (1 of 3, 2 open)");
});

test.each([
  // Twice too wide on the way to 1.73: four times the time.
  ["a boundary that is in reach", { estimate: 2, low: 1.47, high: 2.6 }, "About 4 times the time"],
  ["an estimate on the boundary", around(1.7321, 0.1), "no time a user has"],
])("what is open says what would decide it: %s", (_, value, words) => {
  const { verdict, note } = figureOf("l", "ratio", value, { rule: FACTOR });
  expect([verdict, note]).toEqual(["unclear", expect.stringContaining(words)]);
});
