import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { MADE_COST, type MadeCase, madeSchedule, type PlayedTrial } from "../test/made-case.ts";
import { SharedTime } from "./time-budget.ts";
import { type CaseSchedule, measureRoundRobin } from "./turns.ts";

beforeEach(() => vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => vi.useRealTimers());

const undecided = { id: "open", times: [10.8, 9.7, 11.5] };

describe("cases are measured in turns", () => {
  const turnsOf = async (schedules: (turns: string[]) => CaseSchedule[]) => {
    const turns: string[] = [];
    await measureRoundRobin(schedules(turns));
    return turns.join(" ");
  };

  test("after three of them it is first the turn of the case with the fewest warm trials", async () => {
    const turns = await turnsOf((turns) => [
      madeSchedule({ id: "a", turns, maxTrials: 4 }),
      madeSchedule({ id: "b", turns, maxTrials: 4, isWarm: (trial) => trial === 0 }),
      madeSchedule({ id: "c", turns, maxTrials: 3, isWarm: () => false }),
    ]);
    expect(turns).toBe("a0 b0 c0 a1 b1 c1 a2 b2 c2 b3 a3");
  });

  test.each([null, 0])(
    "where the time is over, asked for: %s, each case still has three",
    async (limitMs) => {
      const made = { shared: new SharedTime(0), limitMs };
      const turns = await turnsOf((turns) => ["a", "b"].map((id) => madeSchedule({ id, turns, ...made })));
      expect(turns).toBe("a0 b0 a1 b1 a2 b2");
    },
  );

  const clear = { id: "clear", times: [20, 20.1, 19.8] };
  const near = { id: "near", times: [10.7, 10.3, 10.6] };
  test.each([
    ["of a case that is decided to the one that is not", [clear, undecided], 8, "open3 open4"],
    [
      "to the nearest decision, and then to the others",
      [undecided, near],
      11,
      "near3 open3 open4 open5 open6",
    ],
  ])("after three trials of each the common time goes %s", async (_, made, trials, later) => {
    const shared = new SharedTime(trials * 7000);
    const turns = await turnsOf((turns) =>
      made.map((settings) => madeSchedule({ turns, shared, ...settings })),
    );
    const [a, b] = made.map(({ id }) => id);
    expect(turns).toBe(`${[0, 1, 2].map((trial) => `${a}${trial} ${b}${trial}`).join(" ")} ${later}`);
  });

  test("a time for each case is that case's alone, and bounds its trials; a fixed number of trials fills it", async () => {
    const first: PlayedTrial[] = [];
    const second: PlayedTrial[] = [];
    const filled: PlayedTrial[] = [];
    const withTime = (played: PlayedTrial[], limitMs: number, more: MadeCase = {}) =>
      madeSchedule({ ...undecided, played, limitMs, shared: new SharedTime(limitMs), ...more });
    const short = withTime(second, 9000);
    await measureRoundRobin([withTime(first, 40_000), short, withTime(filled, 90_000, { maxTrials: 3 })]);
    expect([first.length, second.length, filled.length]).toEqual([5, 3, 3]);
    expect(short.budget.spentMs).toBe(9000);
    expect(filled.every(({ atMostUntil, atLeastUntil }) => atMostUntil === atLeastUntil)).toBe(true);
    expect(first[0]?.atLeastUntil).toBeLessThan(first[0]?.atMostUntil ?? 0);
  });

  test("what the first trials take too long is not all taken from the last, and a search leaves them room to be warm", async () => {
    const allowed = async (limitMs: number, made: MadeCase = {}) => {
      const played: PlayedTrial[] = [];
      const time = { limitMs, shared: new SharedTime(limitMs) };
      await measureRoundRobin([madeSchedule({ played, ...time, overMs: 2500, ...made })]);
      return played.map(({ allowedMs }) => allowedMs);
    };
    expect(await allowed(9000)).toEqual([3000, 2250, 2250]);
    const searching = { cost: { ...MADE_COST, searchMs: 6000 }, overMs: 0, maxTrials: 3 };
    expect(await allowed(26_000, searching)).toEqual([12_000, 7000, 7000]);
  });

  test("running servers may differ by more than their trials show: fresh ones are decided earlier", async () => {
    const times = [10.2, 10.21, 10.19];
    const schedules = (["local", "url"] as const).map((place) =>
      madeSchedule({ place, maxTrials: 6, times }),
    );
    for (const single of schedules) {
      await measureRoundRobin([single]);
    }
    expect(schedules.map(({ trialsDone }) => trialsDone)).toEqual([3, 6]);
  });

  test("who says what is open ends a case, whatever its intervals are", async () => {
    const schedule = madeSchedule({ ...undecided, maxTrials: 9 });
    await measureRoundRobin([schedule], {
      precision: 0,
      openTargets: ({ samples }) => (samples.some(({ trial }) => trial === 4) ? [] : ["b"]),
    });
    expect(schedule.trialsDone).toBe(5);
  });

  test.each([
    ["ends a case whose time the trials left cannot decide", [20, 20.1, 19.8], true, 3],
    ["ends none that asks for its time alone", [20, 20.1, 19.8], false, 6],
    ["that is open, too, ends none", [10.8, 9.7, 11.5], true, 6],
  ])("CPU time %s", async (_, cpuTimes, endsOnCpuTime, trials) => {
    const schedule = madeSchedule({ id: "open", times: [13, 8, 10.2], cpuTimes, maxTrials: 6 });
    await measureRoundRobin([schedule], { endsOnCpuTime });
    expect(schedule.trialsDone).toBe(trials);
  });
});
