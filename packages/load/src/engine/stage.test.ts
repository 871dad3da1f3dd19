import type { OfferedLoad } from "@evenbench/results";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { expected, holdClocks, madeServer, releaseClocks } from "../../test/made-server.ts";
import { runStage, type StageOptions } from "./stage.ts";

beforeEach(holdClocks);
afterEach(releaseClocks);
const after = (ms: number) => vi.advanceTimersByTimeAsync(ms);

function begin(load: OfferedLoad, server = madeServer(), changes: Partial<StageOptions> = {}) {
  return runStage({
    load,
    connections: server.connections(load.connections),
    stageMs: 400,
    seed: 1,
    path: "/",
    expected,
    ownCores: true,
    runStartedAt: performance.now() - 1000,
    signal: new AbortController().signal,
    account: async () => null,
    ...changes,
  });
}
const OPEN = { kind: "open", arrivals: "uniform" } as const;

test("a closed stage tells warm-up from what it measures, and every exchange is a sample", async () => {
  let told = 0;
  const played = begin({ kind: "closed", connections: 3 }, madeServer(), {
    onWindow: () => told++,
  });
  await after(402);
  // An answer takes 2 ms, and a quarter of the stage is not measured.
  const { outcome, samples } = await played;
  expect(outcome).toMatchObject({
    ...{ sent: 600, dropped: 0, completed: 450, startedAtMs: 1100, windowMs: 300, meanInFlight: 3 },
    ...{ ended: null, usage: null },
  });
  expect(samples).toHaveLength(600);
  expect(samples.filter(({ phase }) => phase === "measure")).toHaveLength(450);
  expect(told).toBe(1);
});

test("an open stage sends what is due in its time, and is measured to its end though the last answer comes early", async () => {
  const played = begin({ ...OPEN, perSecond: 5, connections: 2 });
  await after(400);
  const { outcome, samples } = await played;
  expect(outcome).toMatchObject({ sent: 2, dropped: 0, completed: 2, windowMs: 300, ended: null });
  expect(samples.map(({ intendedAtMs }) => intendedAtMs)).toEqual([1100, 1300]);
});

test("an interrupted stage does not wait for its end, and what was cut short is no sample", async () => {
  const abort = new AbortController();
  const server = madeServer();
  server.shut();
  const changes = { stageMs: 3_600_000, signal: abort.signal };
  const played = begin({ kind: "closed", connections: 2 }, server, changes);
  abort.abort();
  server.open();
  const { outcome, samples } = await played;
  expect(outcome).toMatchObject({ sent: 2, completed: 0, ended: "the run was interrupted" });
  expect(samples).toEqual([]);
});

test("a server that is gone gives errors, and no endless stage", async () => {
  const server = madeServer();
  server.fail({ kind: "connection", detail: "ECONNREFUSED" });
  const played = begin({ kind: "closed", connections: 2 }, server);
  await after(450);
  const { outcome, samples } = await played;
  expect(outcome).toMatchObject({ completed: 0, ended: null });
  expect(new Set(samples.map(({ error }) => error?.detail))).toEqual(new Set(["ECONNREFUSED"]));
});
