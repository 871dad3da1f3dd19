import { OWN_SERVER_APP } from "@evenbench/core";
import { expect, test } from "vitest";
import type { RunOptions } from "./options.ts";
import { ownServerCase, ownServerUrl } from "./own-targets.ts";
import { firstRunPlan, neededTimes, runPlanOf } from "./plan.ts";
import { deriveSeed } from "./seed.ts";
import { optimalMeasureMs, trialMs } from "./trial-time.ts";

const REQUEST = { method: "GET", headers: [], body: null };
const ASKED = { method: "GET", headers: {}, body: null };
const serverAt = (name: string) => ownServerUrl(name, "http://127.0.0.1:1", ASKED);
const options = (...paths: string[]) => ({
  targets: ["a", "b"].map(serverAt),
  cases: { [OWN_SERVER_APP]: paths.map((path) => ownServerCase({ path, name: null }, [], REQUEST, [])) },
});

const fast = { roundMs: 10, startMs: 1000, warmUpMs: 2000, searchMs: 0 };
const slow = { roundMs: 400, startMs: 1000, warmUpMs: 20_000, searchMs: 9000 };

test("a trial takes its start, its warm-up and 24 rounds, two to five seconds, and up to 100 where warm-up takes longer", () => {
  expect(trialMs(fast)).toBe(1000 + 2000 + 2000);
  expect(trialMs({ ...fast, roundMs: 100 })).toBe(3000 + 2400);
  expect(trialMs({ ...fast, roundMs: 400 })).toBe(3000 + 5000);
  expect(trialMs({ ...fast, roundMs: 1500 })).toBe(3000 + 6 * 1500);
  expect(trialMs({ ...fast, roundMs: 400, warmUpMs: 30_000 })).toBe(31_000 + 30_000);
  expect(trialMs({ ...fast, roundMs: 40, warmUpMs: 30_000 })).toBe(31_000 + 100 * 40);
  expect(trialMs({ ...fast, rounds: 300 })).toBe(3000 + 3000);
  expect(trialMs(fast, 100)).toBe(3000 + 1000);
});

test("rounds are measured the longer the more they vary, the shorter the more instances differ, and at least a second", () => {
  const cost = { instanceMs: 8000, roundsMs: 2000 };
  // Kalibera & Jones: the root of the ratio of costs times the ratio of variances.
  expect(optimalMeasureMs({ ...cost, ofRounds: 1, ofAll: 2 })).toBeCloseTo(4000);
  expect(optimalMeasureMs({ ...cost, ofRounds: 1, ofAll: 5 })).toBeCloseTo(2000);
  expect(optimalMeasureMs({ ...cost, ofRounds: 1, ofAll: 101 })).toBe(1000);
  expect(optimalMeasureMs({ ...cost, ofRounds: 4, ofAll: 4 })).toBeCloseTo(8000);
  expect(optimalMeasureMs({ instanceMs: 32_000, roundsMs: 8000, ofRounds: 4, ofAll: 4 })).toBe(12_000);
  expect(optimalMeasureMs({ ...cost, ofRounds: 0, ofAll: 0.1 })).toBe(1000);
});

test("a plan has three to ten trials where nobody asks for a number, and times only where somebody does", () => {
  const costs = { x: fast, y: slow };
  const usual = { trials: { minimum: 3, maximum: 10 }, caseLimitMs: {} };
  expect(runPlanOf(options("/x"), costs)).toMatchObject(usual);
  expect(runPlanOf({ ...options("/x"), trials: 5 }, costs).trials).toEqual({ minimum: 5, maximum: 5 });
  expect(runPlanOf({ ...options("/x", "/y"), timeMs: 7000 }, costs).caseLimitMs).toEqual({
    x: 7000,
    y: 7000,
  });
});

test("a time for all is divided by what three trials take, and none of it is lost; it bounds no sides", () => {
  const asked = { ...options("/x", "/constructor"), totalMs: 100_000 };
  // A case that is named as something every object inherits is planned like any other.
  const { caseLimitMs } = runPlanOf(asked, { x: fast, constructor: slow });
  const [x = 0, y = 0] = Object.values(caseLimitMs);
  expect(x + y).toBe(100_000);
  const sides = { ...options("/x"), totalMs: 100_000, sides: true };
  expect(runPlanOf(sides, { x: fast }).caseLimitMs).toEqual({});
  expect(y / x).toBeCloseTo((9000 + 3 * 41_000) / (3 * 5000), 1);
});

test("a time that three warm trials do not fit into is named with one that does", () => {
  const costs = { x: fast, y: slow };
  const said = (asked: Partial<RunOptions>) =>
    neededTimes(runPlanOf({ ...options("/x", "/y"), ...asked }, costs), costs);
  const all = { x: 12_000, y: 99_000 };
  expect(said({ timeMs: 9000 })).toEqual(all);
  expect(said({ timeMs: 79_000 })).toEqual({ y: 99_000 });
  expect(said({ timeMs: 80_000 })).toEqual({});
  expect(said({ totalMs: 20_000 })).toEqual(all);
  // Who fixes the warm-up asks for nothing that could be missed.
  for (const asked of [{ timeMs: 1, warmUp: 3 }, {}]) {
    expect(said(asked)).toEqual({});
  }
});

const MANY = Array.from({ length: 101 }, (_, n) => serverAt(`t${n}`));
test.each<[string, Partial<RunOptions>, string]>([
  ["no case", { cases: {} }, "There is nothing to measure: no case was given."],
  ["no target", { targets: [] }, 'There is nothing to measure: no target serves "root".'],
  ["more targets than its own record may have", { targets: MANY }, "at most 100 targets"],
])("a run of %s is refused before anything is measured", (_, asked, why) => {
  expect(() => firstRunPlan({ ...options("/"), ...asked })).toThrow(why);
});

test("seeds differ by purpose and repeat with the run's seed", () => {
  const seeds = [deriveSeed(1, "empty", 0), deriveSeed(1, "empty", 1), deriveSeed(2, "empty", 0)];
  expect(new Set(seeds).size).toBe(3);
  expect(deriveSeed(1, "empty", 0)).toBe(seeds[0]);
});
