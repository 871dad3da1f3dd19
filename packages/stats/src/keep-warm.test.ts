import { expect, test } from "vitest";
import { isMostlyCold, keepWarm } from "./keep-warm.ts";

const WARM = { warm: true, reason: null };
const COLD = { warm: false, reason: "fell by 20 %" };
const warm = new Map([
  ["node", new Map([0, 1, 2].map((trial) => [trial, trial === 0 ? COLD : WARM] as const))],
  ["worker", new Map([0, 1, 2].map((trial) => [trial, trial === 0 ? WARM : COLD] as const))],
]);
const items = ["node", "worker", "unknown"].flatMap((target) =>
  [0, 1, 2].map((trial) => ({ target, trial })),
);

test("what cold instances did is left out, but of a target with more cold than warm ones", () => {
  const kept = keepWarm(items, warm).map(({ target, trial }) => `${target} ${trial}`);
  expect(kept).toEqual([
    "node 1",
    "node 2",
    "worker 0",
    "worker 1",
    "worker 2",
    "unknown 0",
    "unknown 1",
    "unknown 2",
  ]);
});

test("a target is mostly cold with fewer than half of its trials warm", () => {
  expect(["node", "worker", "unknown"].map((target) => isMostlyCold(warm, target))).toEqual([
    false,
    true,
    false,
  ]);
});
