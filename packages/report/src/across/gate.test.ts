import { expect, test } from "vitest";
import { testTrend } from "../../test/synthetic.ts";
import type { Change, Level, TargetFacts } from "../facts/facts.ts";
import { withoutVerdict } from "../facts/rows.ts";
import { type FailOn, failing, type GateFacts, gate, smallestFound } from "./gate.ts";

const TARGETS = [
  { name: "node (after)", column: "node", absent: null, copyOf: null },
  { name: "vercel (after)", column: "vercel", absent: null, copyOf: null },
] as unknown as readonly TargetFacts[];

/** The facts that a condition looks at, of two states unless another run is given. */
function facts(given: Partial<GateFacts>): GateFacts {
  const run = { of: "states" } as GateFacts["run"];
  return { run, changes: [], levels: [], trends: [], targets: TARGETS, ...given };
}

/** How many rows a condition is met by, stays open for, and is ruled out for. */
function counted(given: Partial<GateFacts>, failOn: FailOn) {
  const { met, open, ruledOut } = gate(facts(given), failOn);
  return { met: met.length, open: open.length, "ruled out": ruledOut.length };
}

/** A change of node in a case, by the ends of its intervals. */
function changeOf(given: Partial<Change>): Change {
  return {
    ...withoutVerdict({
      case: "trig",
      target: "node (after)",
      baseline: "node (before)",
      metric: "lastByteMs",
      why: null,
    }),
    ...given,
  };
}

const slower = changeOf({
  verdict: "slower",
  estimate: 1.06,
  low: 1.02,
  high: 1.1,
  low90: 1.03,
  high90: 1.09,
});
const same = changeOf({ verdict: "same", estimate: 1.03, low: 1.01, high: 1.05, low90: 1.02, high90: 1.045 });
const unclear = changeOf({
  verdict: "unclear",
  estimate: 1,
  low: 0.9,
  high: 1.11,
  low90: 0.94,
  high90: 1.07,
});

test.each([
  ["a difference that is as large as asked", slower, 0.05, "met"],
  ["a difference that is smaller", slower, 0.07, "ruled out"],
  ["sameness whose whole interval lies to the asked side, below 5 %", same, 0.02, "met"],
  ["sameness whose 90 % interval does not", same, 0.046, "ruled out"],
  ["what is unclear and reaches so far", unclear, 0.1, "open"],
  ["what is unclear and does not", unclear, 0.2, "ruled out"],
  ["what is unclear without an interval", changeOf({ verdict: "unclear", why: "few-trials" }), 0.5, "open"],
] as const)("%s is %s", (_, change, by, expected) => {
  expect(counted({ changes: [change] }, { verdict: "slower", by })).toEqual({
    met: 0,
    open: 0,
    "ruled out": 0,
    [expected]: 1,
  });
});

test("a condition on start-up looks at starts, which are of no case, and names a target once that has none", () => {
  const start = { ...slower, case: null, metric: "startupCpuMs" as const };
  const vercel = { target: "vercel (after)", baseline: "vercel (before)" };
  const ofVercel = [
    { ...unclear, ...vercel },
    { ...unclear, ...vercel, case: "math" },
  ];
  const failOn = { of: "start-up", verdict: "slower", by: 0.05 } as const;
  const { met, unknown } = gate(facts({ changes: [unclear, ...ofVercel, start] }), failOn);
  expect(met).toEqual([start]);
  expect(unknown).toEqual([{ case: null, target: "vercel (after)" }]);
});

const grows = testTrend();
const flat = testTrend({ estimate: 20, low: -50, high: 90, low90: -30, high90: 70, verdict: "flat" });

test.each([
  ["growth by as much as asked", grows, 1000, "met"],
  ["what is flat", flat, 500, "ruled out"],
  ["what is flat within a bound that is larger than asked", flat, 60, "open"],
  ["what is unclear and reaches so far", { ...grows, low: 100, verdict: "unclear" as const }, 1600, "open"],
] as const)("of memory, %s is %s", (_, trend, by, expected) => {
  const run = { of: "app" } as GateFacts["run"];
  const found = counted({ run, trends: [trend] }, { of: "memory", verdict: "grows", by });
  expect(found).toEqual({ met: 0, open: 0, "ruled out": 0, [expected]: 1 });
});

test("of two states memory is asked how it grows beyond the earlier one; elsewhere a target that was not read is named", () => {
  const beyond = { ...flat, baseline: "node (before)" };
  const failOn = { of: "memory", verdict: "grows", by: 1000 } as const;
  expect(counted({ trends: [grows, beyond] }, failOn)).toEqual({ met: 0, open: 0, "ruled out": 1 });
  const run = { of: "servers" } as GateFacts["run"];
  const timed = ["node (after)", "vercel (after)"].map(
    (target) => ({ case: "trig", target, metric: "lastByteMs" }) as Level,
  );
  const { met, unknown } = gate(facts({ run, levels: timed, trends: [grows, beyond] }), failOn);
  expect(met).toEqual([grows]);
  expect(unknown.map(({ target }) => target)).toEqual(["vercel (after)"]);
});

test("only what a run was made for counts, over all places", () => {
  const changes = [
    { ...slower, role: "copy" as const },
    { ...slower, role: "other" as const },
    { ...slower, place: "Paris" },
  ];
  expect(failing(facts({ changes }), { verdict: "slower", by: 0.05 })).toEqual([]);
});

test("the smallest slowdown that would have been found is that of the widest interval", () => {
  const found = smallestFound({ changes: [slower, unclear], targets: TARGETS }, "time");
  // By the width of the interval alone: 1.75 half-widths on the scale of logarithms.
  expect(found.get("node")).toBeCloseTo((1.11 / 0.9) ** (1.75 / 2) - 1, 10);
});
