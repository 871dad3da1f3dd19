import { describe, expect, test } from "vitest";
import { answered } from "../../test/k6/answers.ts";
import { phaseOf } from "../engine/window.ts";
import type { RequestLine } from "./lines.ts";
import { dueCount, dueRequests, type OwnArrivals, playedStage, rateOf } from "./rate.ts";

function line(begunAtMs: number, ms = 1): RequestLine {
  return {
    evenbench: "request",
    nonce: "0".repeat(16),
    stage: 0,
    protocol: "HTTP/1.1",
    connection: 0,
    bodyBytes: 5,
    ...answered,
    begunAtMs,
    blockedMs: 0.5,
    overAtMs: begunAtMs + ms,
    connectMs: null,
    firstByteMs: ms / 2,
    lastByteMs: ms - 0.5,
  };
}

/** Ten arrivals, 100 ms apart. */
const PLAN = { rate: rateOf(open(10)), stageMs: 1000 };
const TIMES = { startMs: 5000, fromMs: 100, toMs: 200 };

function open(perSecond: number) {
  return { kind: "open", perSecond, arrivals: "uniform", connections: 8 } as const;
}

const dueTimes = (begun: readonly number[], arrivals: OwnArrivals = PLAN) =>
  dueRequests(
    begun.map((at) => line(at)),
    arrivals,
  ).map(({ dueAtMs }) => dueAtMs);

test("rates are whole numbers to k6, and its gaps whole nanoseconds", () => {
  expect([0.5, 12.3456, 0.0001].map((rate) => rateOf(open(rate)))).toEqual([500, 12_346, 1]);
  const thirds = { rate: rateOf(open(3)), stageMs: 1000 };
  expect(dueTimes([0, 400, 700], thirds)[1]).toBe(333.333333);
  expect([PLAN, thirds, { ...thirds, stageMs: 1001 }].map(dueCount)).toEqual([10, 3, 4]);
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
    const machine = { ...PLAN, first: 1, every: 3 };
    expect(dueCount(machine)).toBe(3);
    expect([0, 1, 2].map((first) => dueCount({ ...machine, first }))).toEqual([4, 3, 3]);
    expect(dueTimes([100, 450, 701], machine)).toEqual([100, 400, 700]);
    expect(dueTimes([100, 750], machine)).toEqual([100, 700]);
  });
});

test("latency counts from when it was due: late beginning and the wait for a connection are in it", () => {
  const lines = [line(0), line(130, 20), ...[2, 3, 4, 5, 6, 7, 8, 9].map((n) => line(n * 100))];
  const { samples, counts } = playedStage(lines, PLAN, TIMES);
  expect(samples[1]).toMatchObject({ phase: "warmup", intendedAtMs: 5100, startedAtMs: 5130.5 });
  expect(samples[1]).toMatchObject({ lastByteMs: 19.5, connection: 0 });
  expect(samples.at(-1)?.phase).toBe("measure");
  expect(counts).toMatchObject({ sent: 10, late: 1, dropped: 0 });
});

test("others under way are those that had begun and were not over, and only what is answered in time is completed", () => {
  const lines = [line(0, 350), line(100, 50), line(200, 200), line(300, 10), line(400, 1)];
  const { samples, counts } = playedStage(lines, PLAN, TIMES);
  expect(samples.map(({ outstanding }) => outstanding)).toEqual([0, 1, 1, 2, 0]);
  expect(counts).toEqual({ sent: 5, late: 0, dropped: 5, completed: 1, meanInFlight: 1.5 });
  expect(playedStage(lines, PLAN, { ...TIMES, fromMs: 200 }).counts.meanInFlight).toBe(0);
});

test("a request from before the window that hung through it counts there; one that was over before does not", () => {
  expect(phaseOf(10, null, 100)).toBe("warmup");
  expect(phaseOf(10, 90, 100)).toBe("warmup");
  expect(phaseOf(10, 30_010, 100)).toBe("measure");
  expect(phaseOf(100, null, 100)).toBe("measure");
});

test("what nobody checked is no answer where a later one of the stage, or one behind it, is wrong", () => {
  const wrong = { kind: "digest", detail: "another body" } as const;
  const unchecked = (at: number) => ({ ...line(at), isChecked: false });
  // As they were over, not as they were written.
  const lines = [{ ...unchecked(150), error: wrong }, line(110), unchecked(120), unchecked(160)];
  const kinds = (last: typeof wrong | null) =>
    playedStage(lines, PLAN, TIMES, last).samples.map(({ error }) => error?.kind ?? null);
  expect(kinds(null)).toEqual([null, "digest", "digest", null]);
  expect(kinds(wrong)).toEqual([null, "digest", "digest", "digest"]);
  expect(playedStage(lines, PLAN, TIMES, wrong).counts.completed).toBe(1);
  expect(lines.map(({ error }) => error)).toEqual([wrong, null, null, null]);
});
