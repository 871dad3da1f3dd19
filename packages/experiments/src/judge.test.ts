import type { ComparisonResult, Estimate } from "@evenbench/results";
import { describe, expect, test } from "vitest";
import { conclude, exactly, halfOf, judgeEqual, judgeRatio } from "./judge.ts";

const around = (estimate: number, half: number): Estimate => ({
  estimate,
  low: estimate * (1 - half),
  high: estimate * (1 + half),
});

/** A comparison whose one contrast and control have these ratios in every metric. */
function comparison(ratio: Estimate | null, control: Estimate | null = around(1, 0.01)): ComparisonResult {
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
    control: control === null ? null : { side: "a~copy", against: "a", ...all(control) },
    trials: 5,
    events: [],
  };
}

const question = { label: "b / a", side: "b", against: "a", metric: "cpu" } as const;

describe("a claim of a factor", () => {
  const judge = (ratio: Estimate | null, control?: Estimate | null) =>
    judgeRatio(comparison(ratio, control), { ...question, decidesAt: halfOf(3) });

  test.each([
    ["above half of it is reproduced", around(3, 0.1), "reproduced"],
    ["much above it is reproduced, too", around(9, 0.1), "reproduced"],
    ["between 1 and half of it is not", around(1.4, 0.1), "not reproduced"],
    ["around 1 is not", around(1, 0.1), "not reproduced"],
    ["on the other side is reversed", around(0.5, 0.1), "reversed"],
    ["across what decides cannot be told", around(1.73, 0.1), "cannot tell"],
  ])("%s", (_what, ratio, verdict) => {
    expect(judge(ratio)).toMatchObject({ verdict, value: ratio, unit: "ratio" });
  });

  test("below 1, but by less than the control, is not reversed", () => {
    expect(judge(around(0.97, 0.01), around(1.05, 0.02)).verdict).toBe("not reproduced");
  });

  test("cannot be told when the control reaches as far as what decides, and the reason says so", () => {
    const figure = judge(around(1.9, 0.05), around(1.4, 0.4));
    expect(figure).toMatchObject({ verdict: "cannot tell", note: expect.stringContaining("control failed") });
  });

  test("far beyond even a noisy control is still reproduced, or reversed", () => {
    expect(judge(around(9, 0.1), around(1.4, 0.4)).verdict).toBe("reproduced");
    expect(judge(around(0.2, 0.1), around(1.4, 0.4)).verdict).toBe("reversed");
  });

  test("cannot be told without a control, without an interval, or without a comparison", () => {
    expect(judge(around(3, 0.1), null)).toMatchObject({ verdict: "cannot tell" });
    expect(judge(null)).toMatchObject({ verdict: "cannot tell", value: null });
    expect(judgeRatio(undefined, { ...question, decidesAt: 2 })).toMatchObject({ verdict: "cannot tell" });
  });
});

describe("a claim of equality", () => {
  const judge = (ratio: Estimate, control?: Estimate) =>
    judgeEqual(comparison(ratio, control), { ...question, within: 0.25 });

  test.each([
    [around(1.02, 0.05), "reproduced"],
    [around(0.9, 0.05), "reproduced"],
    [around(1.6, 0.05), "not reproduced"],
    [around(0.5, 0.05), "not reproduced"],
    [around(1.25, 0.05), "cannot tell"],
    [around(1, 0.4), "cannot tell"],
  ] as const)("%o is %s", (ratio, verdict) => {
    expect(judge(ratio).verdict).toBe(verdict);
  });

  test("cannot be told when two copies differ by more than the margin", () => {
    expect(judge(around(1, 0.05), around(1.3, 0.1)).note).toContain("control failed");
  });
});

describe("several figures", () => {
  const figure = (verdict: "reproduced" | "not reproduced" | "reversed" | "cannot tell" | null) => ({
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
    [["reproduced", "cannot tell"], "cannot tell"],
    [["not reproduced", null], "not reproduced"],
    [[null], "cannot tell"],
    [[], "cannot tell"],
  ] as const)("%j together are %s", (verdicts, verdict) => {
    const concluded = conclude(verdicts.map(figure));
    expect(concluded.verdict).toBe(verdict);
    expect(concluded.reason).toMatch(/\w/);
  });
});
