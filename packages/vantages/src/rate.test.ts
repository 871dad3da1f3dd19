import { describe, expect, test } from "vitest";
import type { RequestLine } from "./lines.ts";
import { betweenTimes, dueCount, dueRequests, loadSampleOf, rateOf } from "./rate.ts";

function line(begunAtMs: number, ms = 1): RequestLine {
  return {
    evenbench: "request",
    nonce: "0".repeat(16),
    stage: 0,
    protocol: "HTTP/1.1",
    connection: 0,
    begunAtMs,
    blockedMs: 0.5,
    overAtMs: begunAtMs + ms,
    connectMs: null,
    firstByteMs: ms / 2,
    lastByteMs: ms - 0.5,
    status: 200,
    bodyBytes: 5,
    instanceId: null,
    served: null,
    inFlight: null,
    error: null,
  };
}

/** Ten arrivals, 100 ms apart. */
const PLAN = {
  rate: rateOf({ kind: "open", perSecond: 10, arrivals: "uniform", connections: 8 }),
  stageMs: 1000,
};
const dueTimes = (begun: readonly number[]) =>
  dueRequests(
    begun.map((at) => line(at)),
    PLAN,
  ).map(({ dueAtMs }) => dueAtMs);

test("rates are whole numbers to k6, and its gaps whole nanoseconds", () => {
  const rate = (perSecond: number) =>
    rateOf({ kind: "open", perSecond, arrivals: "uniform", connections: 1 });
  expect([rate(0.5), rate(12.3456), rate(0.0001)]).toEqual([500, 12_346, 1]);
  const thirds = { rate: rate(3), stageMs: 1000 };
  expect(dueRequests([line(0), line(400), line(700)], thirds)[1]?.dueAtMs).toBe(333.333333);
  expect(dueCount(PLAN)).toBe(10);
  expect(dueCount({ rate: rate(3), stageMs: 1000 })).toBe(3);
  expect(dueCount({ rate: rate(3), stageMs: 1001 })).toBe(4);
});

describe("when requests were due", () => {
  test("without any that was left out, the n-th was the n-th, however late", () => {
    expect(dueTimes([0, 100, 200, 300, 400, 500, 900.2, 900.3, 900.4, 900.5])).toEqual([
      0, 100, 200, 300, 400, 500, 600, 700, 800, 900,
    ]);
    // Slow from the start, and to the end.
    expect(dueTimes([50, 150, 300, 450, 600, 750, 900, 950, 980, 999])).toEqual([
      0, 100, 200, 300, 400, 500, 600, 700, 800, 900,
    ]);
  });

  test("those that were left out leave a gap, and nobody is late for it", () => {
    expect(dueTimes([0.1, 100.1, 200.1, 700.1, 800.1, 900.1])).toEqual([0, 100, 200, 700, 800, 900]);
  });

  test("a burst after a pause was due in the pause, also where others were left out", () => {
    expect(dueTimes([0, 100, 550, 550.1, 550.2, 600, 900])).toEqual([0, 100, 300, 400, 500, 600, 900]);
  });

  test("one of several machines has every so many-th arrival, from its own first one on", () => {
    // Of three, the second: 100, 400 and 700 ms.
    const own = { ...PLAN, first: 1, every: 3 };
    expect(dueCount(own)).toBe(3);
    expect([0, 1, 2].map((first) => dueCount({ ...own, first }))).toEqual([4, 3, 3]);
    const dueOf = (begun: readonly number[]) =>
      dueRequests(
        begun.map((at) => line(at)),
        own,
      ).map(({ dueAtMs }) => dueAtMs);
    expect(dueOf([100, 450, 701])).toEqual([100, 400, 700]);
    expect(dueOf([100, 750])).toEqual([100, 700]);
  });

  test("the order of lines does not matter, and rounded stamps are never before their arrival", () => {
    expect(dueTimes([300, 0, 200, 100, 400, 500, 600, 700, 800, 899.999])).toEqual([
      0, 100, 200, 300, 400, 500, 600, 700, 800, 899.999,
    ]);
  });
});

test("latency counts from when it was due: late beginning and the wait for a connection are in it", () => {
  const [, second] = dueRequests(
    [line(0), line(130, 20), ...[2, 3, 4, 5, 6, 7, 8, 9].map((n) => line(n * 100))],
    PLAN,
  );
  const sample = loadSampleOf(second as NonNullable<typeof second>, 5000, 1000);
  expect(sample).toMatchObject({
    phase: "warmup",
    intendedAtMs: 5100,
    startedAtMs: 5130.5,
    lastByteMs: 19.5,
  });
  expect(Object.keys(sample)).not.toContain("begunAtMs");
});

test("others under way are those that had begun and were not over", () => {
  const lines = [line(0, 350), line(100, 50), line(200, 200), line(300, 10), line(400, 1)];
  expect(dueRequests(lines, PLAN).map(({ outstanding }) => outstanding)).toEqual([0, 1, 1, 2, 0]);
  expect(betweenTimes(lines, 100, 200)).toEqual({ completed: 1, meanInFlight: 1.5 });
  expect(betweenTimes(lines, 200, 200).meanInFlight).toBe(0);
});
