import type { LoadSample, OfferedLoad } from "@evenbench/results";
import { expect, test } from "vitest";
import { expected, gatedServer } from "../../test/gated-server.ts";
import { HealthWatch } from "./health-watch.ts";
import { runStage, type StageOptions } from "./stage.ts";
import { UnderWay } from "./under-way.ts";

function stageOptions(load: OfferedLoad, connections: StageOptions["connections"]) {
  const samples: Omit<LoadSample, "stage">[] = [];
  const options: StageOptions = {
    load,
    connections,
    stageMs: 400,
    seed: 1,
    path: "/",
    expected,
    ownCores: true,
    runStartedAt: performance.now(),
    signal: new AbortController().signal,
    account: async () => null,
    sample: (sample) => samples.push(sample),
  };
  return { options, samples };
}

test("a closed stage tells warm-up from what it measures, and every exchange is a sample", async () => {
  await using server = await gatedServer();
  const { options, samples } = stageOptions({ kind: "closed", connections: 3 }, server.connections(3));
  const outcome = await runStage(options);
  expect(samples).toHaveLength(server.seen.requests);
  expect(outcome).toMatchObject({ sent: samples.length, dropped: 0, ended: null, usage: null });
  const measured = samples.filter(({ phase }) => phase === "measure");
  expect(measured.length).toBeGreaterThan(0);
  expect(samples.length).toBeGreaterThan(measured.length);
  // All but what was under way at the window's edges.
  expect(Math.abs(outcome.completed - measured.length)).toBeLessThanOrEqual(3);
  expect(outcome.meanInFlight).toBeLessThanOrEqual(3);
  expect(outcome.meanInFlight).toBeGreaterThan(1);
});

test("an open stage sends what is due in its time", async () => {
  await using server = await gatedServer();
  const load = { kind: "open", perSecond: 100, arrivals: "uniform", connections: 8 } as const;
  const { options, samples } = stageOptions(load, server.connections(8));
  expect(await runStage(options)).toMatchObject({ sent: 40, dropped: 0, ended: null });
  expect(samples).toHaveLength(40);
  expect(samples.every((sample) => sample.startedAtMs >= sample.intendedAtMs)).toBe(true);
});

test("a stage whose last answer comes early is measured to its end all the same", async () => {
  await using server = await gatedServer();
  const load = { kind: "open", perSecond: 5, arrivals: "uniform", connections: 2 } as const;
  const { options, samples } = stageOptions(load, server.connections(2));
  const { startedAtMs, windowMs, completed } = await runStage(options);
  // 400 ms from the stage's start, which comes after the run's; timers may be early by one.
  expect(startedAtMs + windowMs).toBeGreaterThanOrEqual(399);
  expect(completed).toBe(samples.filter(({ phase }) => phase === "measure").length);
});

test("an interrupted stage does not wait for its end", async () => {
  await using server = await gatedServer();
  const load = { kind: "open", perSecond: 5, arrivals: "uniform", connections: 2 } as const;
  const { options } = stageOptions(load, server.connections(2));
  const abort = new AbortController();
  const ended = runStage({ ...options, stageMs: 3_600_000, signal: abort.signal });
  abort.abort();
  expect(await ended).toMatchObject({ ended: "the run was interrupted" });
});

test("the window's beginning is told once", async () => {
  await using server = await gatedServer();
  let told = 0;
  const { options } = stageOptions({ kind: "closed", connections: 1 }, server.connections(1));
  await runStage({ ...options, onWindow: () => told++ });
  expect(told).toBe(1);
});

test("a server that is gone gives errors, and no endless stage", async () => {
  const server = await gatedServer();
  const connections = server.connections(2);
  await server[Symbol.asyncDispose]();
  const { options, samples } = stageOptions({ kind: "closed", connections: 2 }, connections);
  const outcome = await runStage(options);
  expect(outcome.completed).toBe(0);
  expect(samples.every(({ error }) => error?.kind === "connection")).toBe(true);
});

test("nothing but errors for long enough is the end; a good answer between them is not", () => {
  const bad = { error: { kind: "status", detail: "HTTP 503" } } as const;
  const clock = { now: 0 };
  const watch = new HealthWatch(new AbortController().signal, () => clock.now);
  const fail = (times: number) => {
    for (let n = 0; n < times; n++) {
      clock.now += 500;
      watch.saw(bad);
    }
  };
  fail(5);
  watch.saw({ error: null });
  fail(5);
  expect(watch.failure).toBeNull();
  fail(1);
  expect(watch.failure).toContain("HTTP 503");
  expect(watch.signal.aborted).toBe(true);
});

test("requests under way are integrated over time", () => {
  const underWay = new UnderWay();
  expect(underWay.enter(0)).toBe(0);
  expect(underWay.enter(10)).toBe(1);
  underWay.startWindow(10);
  underWay.leave(20);
  expect(underWay.mean(30)).toBe(1.5);
  expect(underWay.count).toBe(1);
});
