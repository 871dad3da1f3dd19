import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { holdClocks, madeServer, releaseClocks, traffic } from "../../test/made-server.ts";
import { arrivalTimes, closedLoop, type OpenLoopOptions, openLoop } from "./loops.ts";

const PATIENT: Omit<OpenLoopOptions, "arrivals"> = { mostWaiting: 1000, drainMs: 60_000, spinMs: 0 };

beforeEach(holdClocks);
afterEach(releaseClocks);
const after = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe("closed loop", () => {
  test("every connection has one request under way, and every request is answered and counted once", async () => {
    const server = madeServer();
    const sent = traffic(server.connections(5));
    const loop = closedLoop(sent, 200);
    await after(202);
    // An answer takes 2 ms.
    expect(await loop).toEqual({ sent: 500, queued: 0, late: 0, dropped: 0 });
    expect(server.seen).toEqual({ requests: 500, most: 5 });
    expect(sent.over).toHaveLength(500);
    expect(new Set(sent.over.map(({ connection }) => connection))).toEqual(new Set([0, 1, 2, 3, 4]));
    expect(Math.max(...sent.over.map(({ outstanding }) => outstanding))).toBe(4);
    expect(sent.underWay).toBe(0);
  });

  test("a connection that failed waits before it tries again: a dead server is not hammered", async () => {
    const server = madeServer();
    server.fail({ kind: "connection", detail: "ECONNREFUSED" });
    const loop = closedLoop(traffic(server.connections(1)), 200);
    await after(300);
    expect(await loop).toMatchObject({ sent: 4 });
  });
});

describe("open loop", () => {
  test("sends everything that is due, whether or not earlier requests have been answered", async () => {
    const server = madeServer();
    server.shut();
    const sent = traffic(server.connections(6));
    const loop = openLoop(sent, { ...PATIENT, arrivals: arrivalTimes(200, "uniform", 30, 1) });
    await after(30);
    server.open();
    expect(await loop).toEqual({ sent: 6, queued: 0, late: 0, dropped: 0 });
    expect(sent.over.map(({ outstanding }) => outstanding)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test("what finds all connections taken waits in order, and its wait counts from when it was due", async () => {
    const server = madeServer();
    server.shut();
    const sent = traffic(server.connections(2));
    const begunAt = performance.now();
    const loop = openLoop(sent, { ...PATIENT, arrivals: Float64Array.from([0, 0, 1, 2, 3]) });
    await after(30);
    server.open();
    await after(10);
    expect(await loop).toMatchObject({ sent: 5, queued: 3, dropped: 0 });
    const waits = sent.over.map(({ intendedAt, exchange }) => [
      intendedAt - begunAt,
      exchange.startedAt - intendedAt,
    ]);
    expect(waits).toEqual([
      [0, 0],
      [0, 0],
      [1, 29],
      [2, 28],
      [3, 29],
    ]);
  });

  test.each([
    ["beyond the bound on waiting", { mostWaiting: 3 }, { sent: 4, queued: 3, dropped: 6 }],
    ["when the time after the last arrival is over", { drainMs: 5 }, { sent: 1, queued: 9, dropped: 9 }],
  ])("what waits %s is dropped and counted", async (_what, bounds, counts) => {
    const server = madeServer();
    server.shut();
    const arrivals = new Float64Array(10);
    const loop = openLoop(traffic(server.connections(1)), { ...PATIENT, ...bounds, arrivals });
    await after(20);
    server.open();
    await after(20);
    expect(await loop).toMatchObject(counts);
  });

  test("its connections take turns, and looking at the clock instead of sleeping sends the same", async () => {
    for (const spinMs of [0, 1.5]) {
      const sent = traffic(madeServer().connections(4));
      const loop = openLoop(sent, { ...PATIENT, spinMs, arrivals: arrivalTimes(50, "uniform", 400, 1) });
      await after(410);
      expect(await loop).toMatchObject({ sent: 20, dropped: 0 });
      const byConnection = Map.groupBy(sent.over, ({ connection }) => connection);
      expect([...byConnection.values()].map((own) => own.length)).toEqual([5, 5, 5, 5]);
    }
  });
});

const gapsOf = (times: Float64Array) =>
  Array.from(times.subarray(1), (time, index) => time - (times[index] ?? 0));
const mean = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / values.length;

test("uniform arrivals fill the time with equal gaps", () => {
  const times = arrivalTimes(40, "uniform", 1000, 1);
  expect(times).toHaveLength(40);
  for (const gap of gapsOf(times)) expect(gap).toBeCloseTo(25, 9);
  expect(times[0]).toBeCloseTo(12.5, 9);
});

test("Poisson arrivals have exponential gaps: mean and deviation are one, and e^-1 of them exceed the mean", () => {
  const times = arrivalTimes(100, "poisson", 500_000, 7);
  const gaps = gapsOf(times);
  expect(arrivalTimes(100, "poisson", 500_000, 7)).toEqual(times);
  expect(arrivalTimes(100, "poisson", 500_000, 8)).not.toEqual(times);
  const average = mean(gaps);
  const deviation = Math.sqrt(mean(gaps.map((gap) => (gap - average) ** 2)));
  expect(average).toBeCloseTo(10, 0);
  expect(deviation / average).toBeCloseTo(1, 1);
  expect(gaps.filter((gap) => gap > average).length / gaps.length).toBeCloseTo(Math.exp(-1), 2);
});
