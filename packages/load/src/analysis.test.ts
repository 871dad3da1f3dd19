import type { LatencyCondition, LoadSample, LoadStage } from "@evenbench/results";
import { describe, expect, test } from "vitest";
import { sampleOf, simulateArrivals, simulateClosed, stageOf } from "../test/synthetic-load.ts";
import { bracketOf, findCapacity, nextRate, type SearchStep } from "./capacity.ts";
import { parseCondition } from "./condition.ts";
import { arrivalTimes } from "./engine/loops.ts";
import { findSaturation } from "./saturation.ts";
import { describeOtherAnswers, littlesLawHolds, summarise } from "./stage-summary.ts";

const SERVICE_MS = 10;

test("an open loop on a simulated queue M/D/1 waits as Pollaczek and Khinchine say", () => {
  const durationMs = 4_000_000;
  const perSecond = 80;
  const rho = 0.8;
  const arrivals = arrivalTimes(perSecond, "poisson", durationMs, 11);
  const served = simulateArrivals({ servers: 1, serviceMs: SERVICE_MS }, arrivals);
  const load = { kind: "open", perSecond, arrivals: "poisson", connections: 1000 } as const;
  const { summary } = stageOf(served, load, durationMs);
  // Mean wait of M/D/1: ρ · D / (2 (1 - ρ)).
  const wait = (summary.latency?.mean ?? 0) - SERVICE_MS;
  const ratio = wait / ((rho * SERVICE_MS) / (2 * (1 - rho)));
  expect(Math.abs(ratio - 1)).toBeLessThan(0.05);
  expect(summary.perSecond / perSecond).toBeCloseTo(1, 1);
  expect(summary.holdsLittlesLaw).toBe(true);
});

test("Little's law holds for connections on a simulated queue, and their number is what is under way", () => {
  const served = simulateClosed({ servers: 2, serviceMs: SERVICE_MS }, 7, 20_000);
  const { summary } = stageOf(served, { kind: "closed", connections: 7 }, 20_000);
  expect(summary.holdsLittlesLaw).toBe(true);
  expect(summary.stage.meanInFlight).toBeCloseTo(7, 1);
  expect(summary.perSecond).toBeCloseTo(200, 0);
});

test("Little's law fails where stamps miss a quarter of the time under way", () => {
  expect(littlesLawHolds(8, 0.4, 20, 5000)).toBe(true);
  expect(littlesLawHolds(8, 0.4, 15, 5000)).toBe(false);
});

const { stage } = stageOf([], { kind: "closed", connections: 1 }, 1000);

test("latency counts from the intended send time", () => {
  const summary = summarise(stage, [sampleOf(100, 130, 20)]);
  expect(summary).toMatchObject({ exchanges: 1, errors: 0 });
  expect(summary.latency?.p50).toBe(50);
});

test("warm-up and failed exchanges are in no quantile", () => {
  const samples: LoadSample[] = [
    { ...sampleOf(0, 0, 500), phase: "warmup" },
    { ...sampleOf(0, 0, 500), error: { kind: "status", detail: "HTTP 500" } },
    sampleOf(0, 0, 5),
  ];
  const summary = summarise({ ...stage, completed: 1 }, samples);
  expect(summary).toMatchObject({ exchanges: 1, errors: 1, latency: { mean: 5 }, holdsLittlesLaw: null });
});

test("a stage has failed where more than three and 1 % of its requests did, or all; one of a search has not", () => {
  const failed = { ...sampleOf(0, 0, 5), error: { kind: "status", detail: "HTTP 500" } } as const;
  const paused = { ...failed, error: { kind: "client-pause", detail: "" } } as const;
  const hasFailed = (
    bad: LoadSample,
    count: number,
    right: number,
    condition: LatencyCondition | null = null,
  ) => {
    const samples = [...Array(count).fill(bad), ...Array(right).fill(sampleOf(0, 0, 5))];
    return summarise(stage, samples, condition).isFailed;
  };
  expect([hasFailed(failed, 4, 100), hasFailed(failed, 1, 0)]).toEqual([true, true]);
  expect([hasFailed(failed, 3, 100), hasFailed(failed, 4, 400), hasFailed(paused, 4, 100)]).toEqual([
    false,
    false,
    false,
  ]);
  expect(hasFailed(failed, 4, 100, { quantile: 0.9, limitMs: 10 })).toBe(false);
});

test("a target of which too many answers are other ones than in preflight is named, one that refuses under load is not", () => {
  const endedBy = (error: LoadSample["error"]): LoadSample => ({ ...sampleOf(0, 0, 5), error });
  const right = endedBy(null);
  const other = endedBy({ kind: "digest", detail: "another body than in preflight" });
  const refused = endedBy({ kind: "status", detail: "HTTP 503" });
  const halfWrong = Array.from({ length: 300 }, (_, index) => (index % 2 === 0 ? other : right));
  const fewWrong = Array.from({ length: 300 }, (_, index) => (index % 100 === 0 ? other : right));
  expect(describeOtherAnswers(halfWrong)).toMatch(/another body than in preflight/);
  expect(describeOtherAnswers([right, other, other, other, right])).toMatch(/^3 errors in a row/);
  expect(describeOtherAnswers(fewWrong)).toBeNull();
  expect(describeOtherAnswers(Array(300).fill(refused))).toBeNull();
});

test("new connections behind answered requests are counted, not those that open a stage or follow a failure", () => {
  const at = (startedAtMs: number, changes: Partial<LoadSample> = {}): LoadSample => {
    return { ...sampleOf(startedAtMs, startedAtMs, 5), connection: 0, ...changes };
  };
  const samples = [
    at(0, { connectMs: 1 }),
    at(10, { connectMs: 1 }),
    at(20, { connectMs: 1, resent: true }),
    at(30, { error: { kind: "timeout", detail: "No complete response within 30000 ms" } }),
    at(40, { connectMs: 1 }),
    at(5, { connectMs: 1, connection: 1 }),
  ];
  expect(summarise(stage, samples)).toMatchObject({
    reconnected: 2,
    resent: 1,
    commonError: "timeout: No complete response within 30000 ms",
  });
});

test("a condition holds by the share within its limit; errors and drops do not hold it, and a stage that was cut does not tell", () => {
  const condition = { quantile: 0.9, limitMs: 10 };
  const samples = [...Array(45).fill(10), ...Array(5).fill(11)].map((ms) => sampleOf(0, 0, ms));
  const held = (changes: Partial<LoadStage> = {}, exchanges = samples) =>
    summarise({ ...stage, ...changes }, exchanges, condition).held;
  const ended = { ended: "the run was interrupted", dropped: 1 };
  expect([held(), held({ dropped: 1 }), held(ended)]).toEqual([true, false, null]);
  const late = { ...sampleOf(0, 0, 1), error: { kind: "timeout", detail: "" } } as const;
  expect([held({}, [...samples, late]), held(ended, [...samples, late]), held({}, [])]).toEqual([
    false,
    false,
    false,
  ]);
});

test("a quantile decides only with the requests that it needs, or where those that were late decide it", () => {
  const condition = { quantile: 0.99, limitMs: 100 };
  const heldWith = (inTime: number, late: number) => {
    const samples = [...Array(inTime).fill(10), ...Array(late).fill(2000)].map((ms) => sampleOf(0, 0, ms));
    return summarise(stage, samples, condition).held;
  };
  expect([heldWith(100, 0), heldWith(98, 2), heldWith(94, 6), heldWith(495, 5), heldWith(490, 10)]).toEqual([
    null,
    null,
    false,
    true,
    false,
  ]);
});

test("a capacity is that of all trials, but of those in which the search was interrupted", () => {
  const served = simulateClosed({ servers: 1, serviceMs: 10 }, 1, 100);
  const tried = (perSecond: number, held: boolean | null, trial: number) => {
    const rate = { kind: "open", perSecond, arrivals: "uniform", connections: 8 } as const;
    return { ...stageOf(served, rate, 100, trial).summary, held };
  };
  const stages = (held: readonly (boolean | null)[]) =>
    held.map((isHeld, trial) => tried(100, isHeld, trial));
  const whole = [tried(100, true, 0), tried(104, false, 0)];
  expect(findCapacity([...whole, tried(50, true, 1)])).toMatchObject({ byTrial: [100], unbounded: 0 });
  expect(findCapacity(stages([true, true, true])).perSecond).toEqual({ median: 100, least: 100, most: 100 });
  expect(findCapacity(stages([true, false, false]))).toMatchObject({ perSecond: null, undecided: 0 });
  expect(findCapacity(stages([true, null, true]))).toMatchObject({ perSecond: null, undecided: 1 });
  expect(findCapacity([])).toMatchObject({ perSecond: null });
});

test("a connection that waits in vain through most of a window takes the quantiles away, however many others there are", () => {
  const served = simulateClosed({ servers: 1, serviceMs: 1 }, 1, 1000);
  const exchanges = served.map(({ arrivedAt, doneAt }) => sampleOf(arrivedAt, arrivedAt, doneAt - arrivedAt));
  const timeout = { kind: "timeout", detail: "" } as const;
  const hung = { ...sampleOf(0, 0, 1), connection: 7, error: timeout, lastByteMs: null };
  const condition = { quantile: 0.5, limitMs: 100 };
  expect(summarise(stage, exchanges, condition)).toMatchObject({ hung: 0, held: true });
  expect(summarise(stage, [...exchanges, hung], condition)).toMatchObject({
    hung: 1,
    latency: null,
    held: false,
  });
  const hungFrom = (ms: number) => [
    { ...sampleOf(0, 0, ms), connection: 7 },
    { ...hung, intendedAtMs: ms, startedAtMs: ms },
  ];
  expect(summarise(stage, [...exchanges, ...hungFrom(400)])).toMatchObject({ hung: 1, latency: null });
  expect(summarise(stage, [...exchanges, ...hungFrom(600)])).toMatchObject({ hung: 0, errors: 1 });
  // One that fails, and then answers, does not hang.
  const failed = [...exchanges, { ...hung, connection: exchanges[0]?.connection ?? 0 }];
  expect(summarise(stage, failed, condition)).toMatchObject({ hung: 0, errors: 1 });
});

const CONCURRENCY = [1, 2, 4, 8, 16, 32];

function sweepOf(servers: number, trials = 3) {
  return [0, 1, 2].slice(0, trials).flatMap((trial) =>
    CONCURRENCY.map((connections) => {
      // Instances differ a little from one another, as real ones do.
      const served = simulateClosed({ servers, serviceMs: 10 + trial / 10 }, connections, 5_000);
      return stageOf(served, { kind: "closed", connections }, 5_000, trial).summary;
    }),
  );
}

test.each([
  [1, 2, 3],
  [1, 2, 1],
  [8, 16, 3],
])("%i servers: requests wait from a concurrency of %i on, by %i trials", (servers, from, trials) => {
  const found = findSaturation(sweepOf(servers, trials));
  expect(found?.queuesFrom).toBe(from);
  expect(found?.levels).toBe(CONCURRENCY.length);
  expect(findSaturation(sweepOf(servers, 1).slice(1))).toBe(null);
});

describe("the search for the highest rate that holds", () => {
  test.each([3, 101, 5000])("brackets a capacity of %d from 70 on", (capacity) => {
    const steps: SearchStep[] = [];
    for (let rate = nextRate(steps, 70); rate !== null; rate = nextRate(steps, 70)) {
      steps.push({ perSecond: rate, held: rate <= capacity });
    }
    const { held, failed } = bracketOf(steps);
    expect(held).toBeLessThanOrEqual(capacity);
    expect(failed).toBeGreaterThan(capacity);
    expect((failed ?? 0) / (held ?? 1)).toBeLessThanOrEqual(1.05);
  });

  test("what held above a rate that failed does not count", () => {
    const steps = [10, 20, 30].map((perSecond) => ({ perSecond, held: perSecond !== 20 }));
    expect(bracketOf(steps)).toEqual({ held: 10, failed: 20 });
  });
});

test("conditions are read", () => {
  expect(parseCondition("p99 <= 250ms")).toEqual({ quantile: 0.99, limitMs: 250 });
  expect(parseCondition("p99.9<1s")).toEqual({ quantile: 0.999, limitMs: 1000 });
  for (const wrong of ["", "p99", "p100 <= 5ms", "p0 <= 5ms", "99 <= 5ms", "p99 <= 0ms", "p99 >= 5ms"]) {
    expect(parseCondition(wrong)).toBeNull();
  }
});
