import { expect, test } from "vitest";
import { simulateLanes, stageOf } from "../../test/simulated-queue.ts";
import { findSaturation } from "./saturation.ts";

const LANES = [1, 2, 4, 8, 16, 32];

function sweepOf(servers: number) {
  return [0, 1, 2].flatMap((set) =>
    LANES.map((lanes) => {
      // Instances differ a little from one another, as real ones do.
      const served = simulateLanes({ servers, serviceMs: 10 + set / 10 }, lanes, 5_000);
      return stageOf(served, { kind: "closed", lanes }, 5_000, set).summary;
    }),
  );
}

test.each([
  [1, 2],
  [4, 8],
  [8, 16],
])("%i servers work on as many at a time, and requests wait from %i lanes on", (servers, from) => {
  const found = findSaturation(sweepOf(servers));
  expect(found?.atATime).toBeCloseTo(servers, 1);
  expect(found?.queuesFrom).toBe(from);
  expect(found?.levels.map(({ lanes }) => lanes)).toEqual(LANES);
});

test("what never waits queues nowhere", () => {
  const found = findSaturation(sweepOf(64));
  expect(found?.queuesFrom).toBeNull();
  expect(found?.atATime).toBeCloseTo(32, 0);
});

test("one set of instances gives no interval, so nothing is certain", () => {
  const found = findSaturation(sweepOf(1).filter(({ stage }) => stage.set === 0));
  expect(found?.queuesFrom).toBeNull();
  expect(found?.levels.every(({ slowdown }) => slowdown === null)).toBe(true);
});

test("without stages there is nothing to find", () => {
  expect(findSaturation([])).toBeNull();
});
