import type { Exchange } from "@evenbench/probe";
import type { OfferedLoad, OpenLoad } from "@evenbench/results";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { expected } from "../../test/k6/answers.ts";
import { arrivalTimes } from "./loops.ts";
import { runStage, type StageOptions } from "./stage.ts";

beforeEach(() => void vi.useFakeTimers({ fakeNodeBuiltins: true }));
afterEach(() => void vi.useRealTimers());
const after = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** There is none: it takes 2 ms of the held clock for an answer while its gate is open. */
function madeServer() {
  const held: (() => void)[] = [];
  const server = {
    isOpen: true,
    error: null as Exchange["error"],
    requests: 0,
    now: 0,
    most: 0,
    isChecked: true,
  };
  const exchange = async (): Promise<Exchange> => {
    const startedAt = performance.now();
    server.requests += 1;
    server.most = Math.max(server.most, ++server.now);
    await new Promise<void>((answer) => {
      if (server.isOpen) {
        setTimeout(answer, 2);
      } else {
        held.push(answer);
      }
    });
    server.now -= 1;
    const ms = performance.now() - startedAt;
    return {
      startedAt,
      connectMs: null,
      firstByteMs: ms,
      lastByteMs: ms,
      status: 200,
      bodyBytes: 5,
      instanceId: null,
      served: null,
      inFlight: null,
      account: null,
      body: null,
      arrivals: null,
      withDigest: false,
      isChecked: server.isChecked,
      isChunked: false,
      cost: { cpuMs: null, minorFaults: null },
      error: server.error,
    };
  };
  const open = () => {
    server.isOpen = true;
    for (const answer of held.splice(0)) {
      answer();
    }
  };
  return Object.assign(server, { open, probe: { exchange, close: async () => open() } });
}

function begin(load: OfferedLoad, server = madeServer(), changes: Partial<StageOptions> = {}) {
  return runStage({
    load,
    stageMs: 400,
    seed: 1,
    path: "/",
    expected,
    ownCores: true,
    connections: Array.from({ length: load.connections }, () => server.probe),
    runStartedAt: performance.now() - 1000,
    signal: new AbortController().signal,
    interruption: new AbortController().signal,
    account: async () => null,
    prove: async () => null,
    ...changes,
  });
}
const shutServer = () => Object.assign(madeServer(), { isOpen: false });
const closed = (connections: number) => ({ kind: "closed", connections }) as const;
const open = (perSecond: number, connections: number): OpenLoad => {
  return { kind: "open", arrivals: "uniform", perSecond, connections };
};

describe("at a concurrency", () => {
  test("every connection has one request under way, and warm-up is told from what is measured", async () => {
    const server = madeServer();
    const onWindow = vi.fn();
    const played = begin(closed(3), server, { onWindow });
    await after(402);
    // A quarter of the stage is not measured.
    const { outcome, samples } = await played;
    expect(outcome).toMatchObject({
      sent: 600,
      queued: 0,
      late: 0,
      dropped: 0,
      completed: 450,
      startedAtMs: 1100,
      windowMs: 300,
      meanInFlight: 3,
      ended: null,
      usage: null,
    });
    expect(server).toMatchObject({ requests: 600, most: 3 });
    expect(samples).toHaveLength(600);
    expect(samples.filter(({ phase }) => phase === "measure")).toHaveLength(450);
    expect(new Set(samples.map(({ connection }) => connection))).toEqual(new Set([0, 1, 2]));
    expect(Math.max(...samples.map(({ outstanding }) => outstanding))).toBe(2);
    expect(onWindow).toHaveBeenCalledTimes(1);
  });

  test("a dead server gives errors, and is not hammered: a connection waits before it tries again", async () => {
    const error = { kind: "connection", detail: "ECONNREFUSED" } as const;
    const played = begin(closed(2), Object.assign(madeServer(), { error }));
    await after(500);
    const { outcome, samples } = await played;
    // 52 ms each.
    expect(outcome).toMatchObject({ sent: 16, completed: 0, ended: null });
    expect(samples.map((sample) => sample.error)).toEqual(samples.map(() => error));
  });

  test("what nobody checked is no answer where one behind the load is wrong", async () => {
    const wrong = { kind: "digest", detail: "another body" } as const;
    const stage = (isChecked: boolean) =>
      begin(closed(2), Object.assign(madeServer(), { isChecked }), { prove: async () => wrong });
    const unchecked = stage(false);
    await after(402);
    const { outcome, samples, wrong: found } = await unchecked;
    expect([outcome.sent, outcome.completed, found]).toEqual([400, 0, wrong]);
    const detail = "not checked, and a later answer was wrong: another body";
    expect(samples.map(({ error }) => error)).toEqual(samples.map(() => ({ kind: "digest", detail })));
    const checked = stage(true);
    await after(402);
    expect((await checked).outcome.completed).toBe(300);
  });

  test("an interrupted stage does not wait for its end, and what was cut short is no sample", async () => {
    const abort = new AbortController();
    const server = shutServer();
    const { signal } = abort;
    const played = begin(closed(2), server, { stageMs: 3_600_000, signal, interruption: signal });
    abort.abort();
    server.open();
    const { outcome, samples } = await played;
    expect(outcome).toMatchObject({ sent: 2, completed: 0, ended: "the run was interrupted" });
    expect(samples).toEqual([]);
  });

  test("a stage whose time is over sends nothing more, and waits for what is under way", async () => {
    const abort = new AbortController();
    const server = madeServer();
    const played = begin(closed(2), server, { stageMs: 400, signal: abort.signal });
    await after(301);
    server.isOpen = false;
    await after(1);
    abort.abort();
    await after(5000);
    server.open();
    const { outcome, samples } = await played;
    // Answers of the window: from 100 ms to the end.
    expect(outcome).toMatchObject({ sent: 304, completed: 202, ended: "the load's time was over" });
    expect(samples).toHaveLength(304);
    expect(samples.filter(({ error }) => error !== null)).toEqual([]);
    expect(Math.max(...samples.map(({ lastByteMs }) => lastByteMs ?? 0))).toBe(5000);
  });
});

describe("at a rate", () => {
  test("what is due is sent in its time, and is measured to its end though the last answer comes early", async () => {
    const played = begin(open(5, 2));
    await after(400);
    const { outcome, samples } = await played;
    expect(outcome).toMatchObject({ sent: 2, dropped: 0, completed: 2, windowMs: 300, ended: null });
    expect(samples.map(({ intendedAtMs }) => intendedAtMs)).toEqual([1100, 1300]);
  });

  test("whether or not earlier requests have been answered", async () => {
    const server = shutServer();
    const played = begin(open(15, 6), server);
    await after(400);
    server.open();
    const { outcome, samples } = await played;
    expect(outcome).toMatchObject({ sent: 6, queued: 0, dropped: 0 });
    expect(samples.map(({ outstanding }) => outstanding)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test("what finds all connections taken waits in order, and its wait counts from when it was due", async () => {
    const server = shutServer();
    const played = begin(open(10, 2), server);
    await after(380);
    server.open();
    await after(20);
    const { outcome, samples } = await played;
    expect(outcome).toMatchObject({ sent: 4, queued: 2, dropped: 0 });
    const times = samples.map(({ intendedAtMs, startedAtMs }) => [intendedAtMs, startedAtMs - intendedAtMs]);
    expect(times).toEqual([
      [1050, 0],
      [1150, 0],
      [1250, 130],
      [1350, 30],
    ]);
  });

  test.each([
    // Twenty wait at most: a second's worth.
    ["beyond a second's worth", 2000, 1980, { sent: 21, queued: 20, dropped: 19 }],
    ["a second after the last arrival", 400, 1500, { sent: 1, queued: 7, dropped: 7 }],
  ])("what waits %s is dropped and counted", async (_what, stageMs, opensAt, counts) => {
    const server = shutServer();
    const played = begin(open(20, 1), server, { stageMs });
    await after(opensAt);
    server.open();
    await after(200);
    expect((await played).outcome).toMatchObject(counts);
  });

  test.each([true, false])(
    "connections take turns, also where nothing looks at the clock (%s)",
    async (ownCores) => {
      const played = begin(open(50, 4), madeServer(), { ownCores });
      await after(410);
      const { outcome, samples } = await played;
      expect(outcome).toMatchObject({ sent: 20, dropped: 0 });
      const byConnection = Map.groupBy(samples, ({ connection }) => connection);
      expect([...byConnection.values()].map(({ length }) => length)).toEqual([5, 5, 5, 5]);
    },
  );
});

const gapsOf = (times: Float64Array) =>
  Array.from(times.subarray(1), (time, index) => time - (times[index] ?? 0));
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

test("uniform arrivals fill the time with equal gaps", () => {
  const times = arrivalTimes(40, "uniform", 1000, 1);
  expect(times).toHaveLength(40);
  for (const gap of gapsOf(times)) {
    expect(gap).toBeCloseTo(25, 9);
  }
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
