import type { Change, Facts } from "@evenbench/report";
import { expect, test } from "vitest";
import { timeToDecide } from "./time-to-decide.ts";

const facts = { run: { tookMs: 60_000 }, cases: [{ id: "a" }] } as unknown as Facts;
const slower = { of: "CPU time", verdict: "slower", by: 0.1 } as const;
const change = (
  estimate: number | null,
  low: number | null,
  high: number | null,
  why: Change["why"] = null,
) => ({ estimate, low, high, why }) as Change;
const symmetric = (estimate: number, halfWidth: number) =>
  change(estimate, estimate / Math.exp(halfWidth), estimate * Math.exp(halfWidth));

test("half the width takes four times the time, and the widest comparison decides", () => {
  const bound = Math.log(1.1);
  expect(timeToDecide(facts, [symmetric(1, 2 * bound)], slower)).toBe(240_000);
  expect(timeToDecide(facts, [symmetric(1, 2 * bound), symmetric(1, 3 * bound)], slower)).toBe(540_000);
  // One that lies beyond is decided once its interval leaves 1.
  expect(timeToDecide(facts, [symmetric(1.2, 2 * Math.log(1.2))], slower)).toBe(240_000);
  const faster = { verdict: "faster", by: 0.1 } as const;
  expect(timeToDecide(facts, [symmetric(1, 2 * Math.log(0.9))], faster)).toBe(240_000);
});

test("what was too short is advised twice the time, and what nobody would wait for has no advice", () => {
  expect(timeToDecide(facts, [change(null, null, null, "not-warm")], slower)).toBe(120_000);
  expect(timeToDecide(facts, [change(null, null, null)], slower)).toBeNull();
  expect(timeToDecide(facts, [symmetric(1.0999, 0.1)], slower)).toBeNull();
  expect(timeToDecide(facts, [], slower)).toBeNull();
});
