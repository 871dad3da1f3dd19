import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { gatedServer, traffic } from "../../test/gated-server.ts";
import { arrivalTimes } from "../plan/arrivals.ts";
import { closedLoop } from "./closed-loop.ts";
import { type OpenLoopOptions, openLoop } from "./open-loop.ts";

const PATIENT: Omit<OpenLoopOptions, "arrivals"> = { mostWaiting: 1000, drainMs: 60_000, spinMs: 0 };
const atOnce = (count: number) => new Float64Array(count);

describe("closed loop", () => {
  test("every connection has one request under way, and every request is answered and counted once", async () => {
    await using server = await gatedServer();
    const sent = traffic(server.connections(5));
    const counts = await closedLoop(sent, 200);
    expect(counts).toEqual({ sent: server.seen.requests, queued: 0, late: 0, dropped: 0 });
    expect(sent.all).toHaveLength(server.seen.requests);
    expect(server.seen.most).toBe(5);
    expect(new Set(sent.all.map(({ connection }) => connection))).toEqual(new Set([0, 1, 2, 3, 4]));
    expect(Math.max(...sent.all.map(({ outstanding }) => outstanding))).toBe(4);
    expect(sent.all.every(({ exchange }) => exchange.error === null)).toBe(true);
    expect(sent.underWay.count).toBe(0);
  });

  test("an abort ends it, and what it cut short is not told of", async () => {
    await using server = await gatedServer();
    server.shut();
    const connections = server.connections(3);
    const abort = new AbortController();
    const sent = traffic(connections, abort.signal);
    const loop = closedLoop(sent, 60_000);
    await server.arrived(3);
    abort.abort();
    await Promise.all(connections.map((connection) => connection.close()));
    await loop;
    expect(sent.all).toEqual([]);
  });
});

describe("open loop", () => {
  test("sends everything that is due, whether or not earlier requests have been answered", async () => {
    await using server = await gatedServer();
    server.shut();
    const sent = traffic(server.connections(6));
    const loop = openLoop(sent, { ...PATIENT, arrivals: arrivalTimes(200, "uniform", 30, 1) });
    await server.arrived(6);
    server.open();
    expect(await loop).toMatchObject({ sent: 6, queued: 0, dropped: 0 });
    expect(server.seen.most).toBe(6);
    expect(sent.all.map(({ outstanding }) => outstanding).sort()).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test("what finds all connections taken waits in order, and its wait counts from when it was due", async () => {
    await using server = await gatedServer();
    server.shut();
    const sent = traffic(server.connections(2));
    const loop = openLoop(sent, { ...PATIENT, arrivals: Float64Array.from([0, 0, 1, 2, 3]) });
    await server.arrived(2);
    await delay(30);
    server.open();
    expect(await loop).toMatchObject({ sent: 5, queued: 3, dropped: 0 });
    const due = sent.all.map(({ intendedAt }) => intendedAt);
    expect(due).toEqual(due.toSorted((a, b) => a - b));
    const waits = sent.all.slice(2).map(({ intendedAt, exchange }) => exchange.startedAt - intendedAt);
    for (const wait of waits) expect(wait).toBeGreaterThan(20);
  });

  test("what is due beyond the bound on waiting is dropped and counted", async () => {
    await using server = await gatedServer();
    server.shut();
    const sent = traffic(server.connections(2));
    const loop = openLoop(sent, { ...PATIENT, mostWaiting: 3, arrivals: atOnce(20) });
    await server.arrived(2);
    server.open();
    expect(await loop).toMatchObject({ sent: 5, queued: 3, dropped: 15 });
    expect(server.seen.requests).toBe(5);
  });

  test("what still waits when the time after the last arrival is over is dropped", async () => {
    await using server = await gatedServer();
    server.shut();
    const sent = traffic(server.connections(1));
    const loop = openLoop(sent, { ...PATIENT, drainMs: 5, arrivals: atOnce(10) });
    await server.arrived(1);
    await delay(20);
    server.open();
    expect(await loop).toMatchObject({ sent: 1, queued: 9, dropped: 9 });
  });

  test("its connections take turns, so that every instance gets its share", async () => {
    await using server = await gatedServer();
    const sent = traffic(server.connections(4));
    await openLoop(sent, { ...PATIENT, arrivals: arrivalTimes(50, "uniform", 400, 1) });
    const byConnection = Map.groupBy(sent.all, ({ connection }) => connection);
    expect([...byConnection.values()].map((own) => own.length)).toEqual([5, 5, 5, 5]);
  });

  test("looking at the clock instead of sleeping sends the same", async () => {
    await using server = await gatedServer();
    const sent = traffic(server.connections(4));
    const arrivals = arrivalTimes(500, "poisson", 100, 3);
    const counts = await openLoop(sent, { ...PATIENT, spinMs: 1.5, arrivals });
    expect(counts).toMatchObject({ sent: arrivals.length, dropped: 0 });
  });

  test("an abort ends it without sending the rest", async () => {
    await using server = await gatedServer();
    const abort = new AbortController();
    const sent = traffic(server.connections(2), abort.signal);
    const loop = openLoop(sent, { ...PATIENT, arrivals: arrivalTimes(100, "uniform", 60_000, 1) });
    await server.arrived(3);
    abort.abort();
    expect((await loop).sent).toBeLessThan(100);
  });
});
