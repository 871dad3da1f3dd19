import type { StartUp } from "@evenbench/results";
import { expect, test } from "vitest";
import { compareStartUps } from "./start-ups.ts";

const BOTH = { targets: ["node", "worker"], baseline: "node", copy: null };

/** Starts of a server of Node.js that takes `ms`, and of a Worker that compiles for 90 ms and runs for 10. */
function starts(ms: number): readonly StartUp[] {
  return [0, 1, 2, 3, 4, 5].flatMap((repetition) => [
    { target: "node", repetition, readyMs: 60 + ms + repetition / 10, controlMs: 60, compiledMs: null },
    {
      target: "worker",
      repetition,
      readyMs: 130 + repetition / 10,
      controlMs: 30,
      compiledMs: 120 + repetition / 10,
    },
  ]);
}

test("a start is what it takes beyond its control, in its parts where these are known", () => {
  const [node, worker] = compareStartUps(starts(200), BOTH);
  expect(node).toMatchObject({ target: "node", compile: null, run: null, compared: null });
  expect(node?.whole.ms).toBeCloseTo(200.25, 9);
  expect(worker?.compile?.ms).toBeCloseTo(90.25, 9);
  expect(worker?.run?.ms).toBeCloseTo(10, 9);
  expect(worker?.whole.ms).toBeCloseTo(100.25, 9);
  expect(worker?.compared).toMatchObject({ verdict: "faster" });
  expect(worker?.compared?.ratio?.estimate).toBeCloseTo(0.5, 2);
});

test("a start that takes no more than its control is not compared, nor is anything with it", () => {
  const rows = compareStartUps(starts(-0.3), BOTH);
  expect(rows.map(({ isTooSmall, compared }) => ({ isTooSmall, compared }))).toEqual([
    { isTooSmall: true, compared: null },
    { isTooSmall: true, compared: null },
  ]);
});

test("a single start has a value and no interval, and is not compared", () => {
  const [, worker] = compareStartUps(starts(200).slice(0, 2), BOTH);
  expect(worker).toMatchObject({ whole: { ms: 100, interval: null }, compared: null, isTooSmall: false });
});

test.each([
  ["that other programs made long", 20, 60, 0, "slower"],
  ["that took less than its control", 200, -205, 100, "faster"],
])("one start %s leaves a start comparable", (_, ms, more, reachesBelow, verdict) => {
  const disturbed = starts(ms).map((start) =>
    start.target === "node" && start.repetition === 3 ? { ...start, readyMs: start.readyMs + more } : start,
  );
  const [node, worker] = compareStartUps(disturbed, BOTH);
  expect(node?.whole.interval?.low).toBeLessThan(reachesBelow);
  expect(worker).toMatchObject({ isTooSmall: false, compared: { verdict } });
});
