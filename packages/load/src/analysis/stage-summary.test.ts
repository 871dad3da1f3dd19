import { describe, expect, test } from "vitest";
import { sampleOf, simulateArrivals, simulateClosed, stageOf } from "../../test/simulated-queue.ts";
import { arrivalTimes } from "../plan/arrivals.ts";
import { holds, littlesLaw, StageTally } from "./stage-summary.ts";

const SERVICE_MS = 10;

describe("an open loop on a simulated queue M/D/1", () => {
  test.each([0.5, 0.8])("waits as Pollaczek and Khinchine say at a load of %d", (rho) => {
    const durationMs = 4_000_000;
    const perSecond = (rho * 1000) / SERVICE_MS;
    const load = { kind: "open", perSecond, arrivals: "poisson", connections: 1000 } as const;
    const served = simulateArrivals(
      { servers: 1, serviceMs: SERVICE_MS },
      arrivalTimes(perSecond, "poisson", durationMs, 11),
    );
    const { summary } = stageOf(served, load, durationMs);
    // Mean wait of M/D/1: ρ · D / (2 (1 - ρ)).
    const expected = (rho * SERVICE_MS) / (2 * (1 - rho));
    const wait = (summary.latency?.mean ?? 0) - SERVICE_MS;
    expect(wait / expected).toBeGreaterThan(0.95);
    expect(wait / expected).toBeLessThan(1.05);
    expect(summary.perSecond / perSecond).toBeCloseTo(1, 1);
    expect(summary.little?.holds).toBe(true);
  });

  test("equal gaps below capacity never wait", () => {
    const served = simulateArrivals(
      { servers: 1, serviceMs: SERVICE_MS },
      arrivalTimes(95, "uniform", 60_000, 1),
    );
    const load = { kind: "open", perSecond: 95, arrivals: "uniform", connections: 10 } as const;
    expect(stageOf(served, load, 60_000).summary.latency?.most).toBeCloseTo(SERVICE_MS, 6);
  });
});

test("Little's law holds for connections on a simulated queue, and their number is what is under way", () => {
  const served = simulateClosed({ servers: 2, serviceMs: SERVICE_MS }, 7, 20_000);
  const { summary } = stageOf(served, { kind: "closed", connections: 7 }, 20_000);
  expect(summary.little).toMatchObject({ holds: true });
  expect(summary.little?.counted).toBeCloseTo(7, 1);
  expect(summary.perSecond).toBeCloseTo(200, 0);
});

test("Little's law fails where stamps miss a quarter of the time under way", () => {
  expect(littlesLaw(8, 0.4, 20, 5000).holds).toBe(true);
  expect(littlesLaw(8, 0.4, 15, 5000).holds).toBe(false);
});

test("latency counts from the intended send time, service from the sending", () => {
  const tally = new StageTally();
  tally.push(sampleOf(100, 130, 20));
  const { stage } = stageOf([], { kind: "closed", connections: 1 }, 1000);
  const summary = tally.summarise(stage);
  expect(summary).toMatchObject({ serviceMeanMs: 20, waitMeanMs: 30, exchanges: 1, errors: 0 });
  expect(summary.latency?.p50).toBe(50);
});

test("warm-up and failed exchanges are in no quantile", () => {
  const tally = new StageTally();
  tally.push({ ...sampleOf(0, 0, 500), phase: "warmup" });
  tally.push({ ...sampleOf(0, 0, 500), error: { kind: "status", detail: "HTTP 500" } });
  tally.push(sampleOf(0, 0, 5));
  const { stage } = stageOf([], { kind: "closed", connections: 1 }, 1000);
  expect(tally.summarise(stage)).toMatchObject({ exchanges: 1, errors: 1, latency: { most: 5 } });
});

test("a condition holds by the share within its limit; errors, drops and early ends do not hold it", () => {
  const condition = { quantile: 0.9, limitMs: 10 };
  const { stage } = stageOf([], { kind: "closed", connections: 1 }, 1000);
  const tally = new StageTally();
  for (let n = 0; n < 9; n++) tally.push(sampleOf(0, 0, 10));
  tally.push(sampleOf(0, 0, 11));
  expect(holds(tally, stage, condition)).toBe(true);
  expect(holds(tally, { ...stage, dropped: 1 }, condition)).toBe(false);
  expect(holds(tally, { ...stage, ended: "nothing but errors" }, condition)).toBe(false);
  tally.push({ ...sampleOf(0, 0, 1), error: { kind: "timeout", detail: "" } });
  expect(holds(tally, stage, condition)).toBe(false);
  expect(holds(new StageTally(), stage, condition)).toBe(false);
});

test("CPU time is divided by the answers of the window", () => {
  const { stage } = stageOf([], { kind: "closed", connections: 1 }, 1000);
  const usage = {
    cpuMs: 300,
    userMs: 250,
    systemMs: 50,
    minorFaults: 0,
    residentBytes: 1,
    peakResidentBytes: 2,
  };
  expect(new StageTally().summarise({ ...stage, completed: 30, usage }).cpuMsPerExchange).toBe(10);
  expect(new StageTally().summarise({ ...stage, completed: 0, usage }).cpuMsPerExchange).toBeNull();
});
