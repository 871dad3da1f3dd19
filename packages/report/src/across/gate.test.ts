import { expect, test } from "vitest";
import type { Change, TargetFacts } from "../facts/facts.ts";
import { failing, gate, smallestFound } from "./gate.ts";
import { withoutVerdict } from "./states.ts";

const TARGETS = [
  { name: "node (after)", column: "node", absent: null },
  { name: "vercel (after)", column: "vercel", absent: null },
] as unknown as readonly TargetFacts[];

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
  ["sameness whose 90 % interval reaches so far", same, 0.04, "open"],
  ["sameness whose 90 % interval does not", same, 0.046, "ruled out"],
  ["what is unclear and reaches so far", unclear, 0.1, "open"],
  ["what is unclear and does not", unclear, 0.2, "ruled out"],
  ["what has no verdict", changeOf({ why: "not-warm" }), 0.5, "open"],
  ["what is unclear without an interval", changeOf({ verdict: "unclear", why: "few-trials" }), 0.5, "open"],
] as const)("%s is %s", (_, change, by, expected) => {
  const { met, open, ruledOut } = gate({ changes: [change], targets: TARGETS }, { verdict: "slower", by });
  const found = { met: met.length, open: open.length, "ruled out": ruledOut.length };
  expect(found).toEqual({ met: 0, open: 0, "ruled out": 0, [expected]: 1 });
});

test("a condition on CPU time looks at CPU time alone, and names what has none", () => {
  const other = { target: "vercel (after)", baseline: "vercel (before)" };
  const changes = [unclear, { ...slower, metric: "cpuMs" as const }, { ...unclear, ...other }];
  const result = gate({ changes, targets: TARGETS }, { of: "CPU time", verdict: "slower", by: 0.05 });
  expect(result.met.map(({ metric }) => metric)).toEqual(["cpuMs"]);
  expect(result.unknown.map(({ target }) => target)).toEqual(["vercel (after)"]);
});

test("a target that is absent leaves a condition open, but for one whose builds are equal", () => {
  const [node, vercel] = TARGETS as [TargetFacts, TargetFacts];
  const targets = [
    { ...node, absent: { code: "equal-builds", quote: null } },
    { ...vercel, absent: { code: "not-built", quote: "boom" } },
  ] as const;
  const result = gate({ changes: [], targets }, { verdict: "slower", by: 0.05 });
  expect(result).toMatchObject({ absent: ["vercel"], asked: 1 });
});

test("only what a run was made for counts, over all places", () => {
  const changes = [
    { ...slower, role: "copy" as const },
    { ...slower, role: "other" as const },
    { ...slower, place: "Paris" },
  ];
  expect(failing({ changes, targets: TARGETS }, { verdict: "slower", by: 0.05 })).toEqual([]);
});

test("the smallest slowdown that would have been found is that of the widest interval", () => {
  const facts = { changes: [slower, unclear], targets: TARGETS } as unknown as Parameters<
    typeof smallestFound
  >[0];
  const found = smallestFound(facts, "time");
  // By the width of the interval alone: 1.75 half-widths on the scale of logarithms.
  expect(found.get("node")).toBeCloseTo((1.11 / 0.9) ** (1.75 / 2) - 1, 10);
});
