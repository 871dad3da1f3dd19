import { expect, test } from "vitest";
import { boundOf, judge } from "./verdict.ts";

const ratio = (low: number, high: number) => ({ estimate: Math.sqrt(low * high), low, high, level: 0.99 });

test.each([
  [1.06, 1.2, "slower"],
  [1.001, 1.2, "slower"],
  [0.5, 0.9, "faster"],
  [0.97, 1.04, "same"],
  [1.01, 1.04, "same"],
  [0.96, 1.1, "inconclusive"],
  [0.9, 1.001, "inconclusive"],
] as const)("an interval from %f to %f is %s", (low, high, verdict) => {
  expect(judge(ratio(low, high)).verdict).toBe(verdict);
});

test("what is inconclusive has its bound", () => {
  expect(boundOf(ratio(0.87, 1.02))).toBe("between 13 % less and 2 % more");
  expect(judge(ratio(0.87, 1.02)).reason).toContain("between 13 % less and 2 % more");
});
