import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { MADE_COST, type MadeCase, madeSchedule } from "../test/made-case.ts";
import { progressReporter, type TrialsAhead, timeLeft } from "./progress.ts";
import { SharedTime } from "./time-budget.ts";
import { measureRoundRobin } from "./turns.ts";

beforeEach(() => vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => vi.useRealTimers());

const undecided = { id: "open", times: [10.8, 9.7, 11.5] };

describe("the time that is left", () => {
  /** A run of several cases: what was left at each trial's start, and what the run took. */
  async function runOf(made: readonly MadeCase[], sharedMs: number) {
    const shared = new SharedTime(sharedMs);
    const schedules = made.map((settings, index) => madeSchedule({ shared, ...settings, id: `c${index}` }));
    const announcedMs = timeLeft(schedules);
    const begunAt = performance.now();
    const said: { readonly atMs: number; readonly leftMs: number }[] = [];
    await measureRoundRobin(schedules, {
      beforeTrial: async () => {
        said.push({ atMs: performance.now() - begunAt, leftMs: timeLeft(schedules) });
      },
    });
    return { announcedMs, said, tookMs: performance.now() - begunAt };
  }

  const slow = { ...undecided, warmUpMs: 10_000 };
  const seven = (made: MadeCase) => Array.from({ length: 7 }, () => ({ ...undecided, ...made }));

  test("is what was announced where costs are as expected, search and all", async () => {
    const cost = { ...MADE_COST, searchMs: 6000 };
    const { announcedMs, said, tookMs } = await runOf(seven({ cost }), 0);
    expect(announcedMs / tookMs).toBeCloseTo(1, 1);
    for (const { atMs, leftMs } of said) {
      expect((atMs + leftMs) / tookMs).toBeCloseTo(1, 1);
    }
  });

  test("is kept by fewer rounds where starts and warm-up take longer than expected", async () => {
    const { announcedMs, said, tookMs } = await runOf(seven({ warmUpMs: 2500 }), 7 * 3 * 6500);
    expect(announcedMs).toBeCloseTo(7 * 3 * 6500);
    expect(announcedMs / tookMs).toBeCloseTo(1, 1);
    for (const { atMs, leftMs } of said) {
      expect((atMs + leftMs) / tookMs).toBeCloseTo(1, 1);
    }
  });

  test.each([
    ["warm-up of all takes twice as long", seven({ warmUpMs: 4000 })],
    ["warm-up of two takes five times as long", [...seven({}).slice(2), slow, slow]],
    [
      "searches take three times as long",
      seven({ cost: { ...MADE_COST, searchMs: 4000 }, searchMs: 12_000 }),
    ],
    ["all costs half", seven({ warmUpMs: 1000, cost: { ...MADE_COST, startMs: 1500 } })],
  ])("is within a fifth of the truth from the end of the first turn on, where %s", async (_, made) => {
    const { said, tookMs } = await runOf(made, 301_000);
    for (const { atMs, leftMs } of said.slice(7)) {
      expect((atMs + leftMs) / tookMs).toBeGreaterThan(0.8);
      expect((atMs + leftMs) / tookMs).toBeLessThan(1.2);
      expect(leftMs).toBeGreaterThan(0);
    }
  });

  test("is the time that was asked for, or what starts and the smallest number of rounds take", () => {
    const shared = new SharedTime(80_000);
    const withLimit = (limitMs: number, searchMs = 0) =>
      madeSchedule({ shared, limitMs, cost: { ...MADE_COST, warmUpMs: 90_000, searchMs } });
    expect(timeLeft([withLimit(20_000), withLimit(60_000)])).toBeCloseTo(80_000);
    expect(timeLeft([withLimit(80_000, 9000)])).toBeCloseTo(80_000);
    const short = madeSchedule({ shared: new SharedTime(3000), limitMs: 3000 });
    expect(timeLeft([short])).toBeCloseTo(3 * (MADE_COST.startMs + 6 * 40));
  });

  const ahead: TrialsAhead = {
    trialsDone: 0,
    minTrials: 3,
    maxTrials: 10,
    begunAt: 0,
    expectedMs: 7000,
    laterMs: 5000,
    hasEnded: false,
    hasRoom: true,
    shared: { remainingMs: 30_000 },
  };

  test("is all of the time that undecided cases share, also within a trial", () => {
    const begun = { ...ahead, begunAt: performance.now() };
    expect(timeLeft([begun, { ...begun, hasEnded: true }])).toBe(30_000);
    expect(timeLeft([{ ...begun, hasRoom: false }])).toBe(7000 + 2 * 5000);
    vi.advanceTimersByTime(1000);
    expect(timeLeft([begun])).toBe(29_000);
  });

  test("is never nothing while a trial takes longer than it was to, and is counted down within a trial", () => {
    const last = { ...ahead, minTrials: 1, maxTrials: 1, shared: { remainingMs: Number.POSITIVE_INFINITY } };
    const begunAt = performance.now();
    const left = [0, 3000, 4000, 53_000].map((ms) => {
      vi.advanceTimersByTime(ms);
      return timeLeft([{ ...last, begunAt }]);
    });
    expect(left.slice(0, 2)).toEqual([7000, 4000]);
    expect(Math.min(...left)).toBeGreaterThan(500);
  });
});

test("a caller is told of each new phase, else at most five times a second, with what is left", () => {
  const seen: unknown[] = [];
  const progress = progressReporter(
    ({ caseIndex, etaMs }) => seen.push([caseIndex, etaMs]),
    ["a", "b"],
    (now) => 1000 - now,
  );
  const place = { caseId: "b", trial: 0, trials: 3, roundIndex: 0 };
  const start = performance.now();
  progress.show({ ...place, phase: "start" });
  for (const ms of [0, 100, 100]) {
    vi.advanceTimersByTime(ms);
    progress.show({ ...place, phase: "measure" });
  }
  expect(seen).toEqual([1000, 1000, 800].map((ms) => [1, ms - start]));
});
