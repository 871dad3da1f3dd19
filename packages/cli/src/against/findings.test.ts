import { expect, test } from "vitest";
import { countsOf, type Finding, renderFindings } from "./findings.ts";

const finding = (
  caseId: string,
  verdict: Finding["verdict"],
  cpuVerdict: Finding["cpuVerdict"],
): Finding => ({
  caseId,
  target: "node",
  verdict,
  ratio: { estimate: 1.05, low: 1.03, high: 1.07, level: 0.95 },
  cpuVerdict,
  cpuRatio: null,
});

test("verdicts are counted in four groups", () => {
  expect(countsOf(["slower", "faster", "faster", "inconclusive", "not warm", "same"])).toBe(
    "2 faster, 1 slower, 1 same, 1 inconclusive, 1 not warm",
  );
});

test("the first line counts, the table follows, and what was not compared stands below", () => {
  const text = renderFindings([finding("math", "slower", "inconclusive"), finding("trig", "same", null)], {
    equal: ["vercel"],
    oneSided: ["The case word-count is not in the base."],
  });
  const [first, , ...rest] = text.split("\n");
  expect(first).toBe(
    "0 faster, 1 slower, 1 same, 0 inconclusive, 0 not warm (CPU time: 0 faster, 0 slower, 0 same, 1 inconclusive, 0 not warm)",
  );
  expect(rest).toContainEqual(expect.stringMatching(/^math +node +1\.05× \(1\.03–1\.07\) +slower/));
  expect(rest.slice(-2)).toEqual([
    "Not measured, because equal byte for byte: vercel.",
    "The case word-count is not in the base.",
  ]);
});

test("where nothing was measured there is no table", () => {
  const text = renderFindings([], { equal: ["node", "vercel"], oneSided: [] });
  expect(text).toBe(
    "0 faster, 0 slower, 0 same, 0 inconclusive, 0 not warm\n\nNot measured, because equal byte for byte: node and vercel.",
  );
});
