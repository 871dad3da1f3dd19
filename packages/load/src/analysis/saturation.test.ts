import { expect, test } from "vitest";
import { simulateClosed, stageOf } from "../../test/simulated-queue.ts";
import { findSaturation } from "./saturation.ts";

const CONCURRENCY = [1, 2, 4, 8, 16, 32];

function sweepOf(servers: number) {
  return [0, 1, 2].flatMap((trial) =>
    CONCURRENCY.map((connections) => {
      // Instances differ a little from one another, as real ones do.
      const served = simulateClosed({ servers, serviceMs: 10 + trial / 10 }, connections, 5_000);
      return stageOf(served, { kind: "closed", connections }, 5_000, trial).summary;
    }),
  );
}

test.each([
  [1, 2],
  [4, 8],
  [8, 16],
])("%i servers work on as many at a time, and requests wait from a concurrency of %i on", (servers, from) => {
  const found = findSaturation(sweepOf(servers));
  expect(found?.atATime).toBeCloseTo(servers, 1);
  expect(found?.queuesFrom).toBe(from);
  expect(found?.levels.map(({ connections }) => connections)).toEqual(CONCURRENCY);
});

test("what never waits queues nowhere", () => {
  const found = findSaturation(sweepOf(64));
  expect(found?.queuesFrom).toBeNull();
  expect(found?.atATime).toBeCloseTo(32, 0);
});

test("one trial gives no interval, so nothing is certain", () => {
  const found = findSaturation(sweepOf(1).filter(({ stage }) => stage.trial === 0));
  expect(found?.queuesFrom).toBeNull();
  expect(found?.levels.map(({ slowdown }) => slowdown)).toEqual(CONCURRENCY.map(() => null));
});
