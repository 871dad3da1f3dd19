import type { Sample } from "@evenbench/results";
import { testSample } from "@evenbench/stats/testing";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { CaseState } from "./case-work.ts";
import { progressReporter, timeLeft } from "./progress.ts";
import { type TrialTime, warmUpEnd } from "./trial.ts";
import { CaseSchedule, measureRoundRobin, type TimeBudget } from "./turns.ts";
import type { CaseCost } from "./warm-up-needs.ts";

beforeEach(() => vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => vi.useRealTimers());

const COST: CaseCost = { startMs: 1000, warmUpMs: 4000, roundMs: 40, searchMs: 0 };

interface Made {
  readonly id?: string;
  readonly said?: string[];
  readonly purse?: TimeBudget;
  readonly budgetMs?: number | null;
  readonly least?: number;
  readonly trials?: number;
  readonly cost?: CaseCost;
  /** What it turns out to need, in milliseconds. */
  readonly warmUpMs?: number;
  readonly searchMs?: number;
  readonly isWarm?: (trial: number) => boolean;
  /** Of target b in each trial; the baseline takes about 10. */
  readonly times?: readonly number[];
  readonly seen?: (TrialTime & { readonly shareMs: number })[];
  /** What each trial takes beyond its share, as slow starts do. */
  readonly overMs?: number;
  readonly place?: string;
}

/** A case whose trials take what is made up for them. */
function course({
  id = "case",
  said = [],
  purse = { remainingMs: Number.POSITIVE_INFINITY },
  budgetMs = null,
  least = 3,
  trials = 10,
  cost = COST,
  warmUpMs = cost.warmUpMs,
  searchMs = cost.searchMs,
  isWarm = () => true,
  times = [],
  seen = [],
  overMs = 0,
  place = "local",
}: Made = {}): CaseSchedule {
  let known = false;
  const names = ["a", "a~copy", "b"];
  const work = {
    samples: [] as Sample[],
    warmTrials: 0,
    baseline: "a",
    mayGoOn: true,
    plan: {
      trials: { minimum: least, maximum: trials },
      targets: names.map((name) => ({ name, place })),
      roundsPerTrial: null,
      caseBudgetMs: budgetMs === null ? {} : { [id]: budgetMs },
    },
    manifest: { id, headline: "lastByteMs" },
    measuredTargets: names.map((name) => ({ name, copyOf: name === "a~copy" ? "a" : null })),
    session: { recorder: { record: { warmUps: [] } } },
    warmUps: { isFixed: false },
    cost: () => (known ? { ...cost, warmUpMs, searchMs: 0 } : cost),
    summarise() {},
  };
  return new CaseSchedule(work as unknown as CaseState, purse, async (_, time) => {
    const { trial } = time;
    const shareMs = time.endsAt - performance.now();
    seen.push({ ...time, shareMs });
    said.push(`${id}${trial}`);
    const warmedMs = warmUpMs + (trial === 0 ? searchMs : 0);
    const restMs = 2000;
    const ms = Math.min(cost.startMs + warmedMs + restMs, shareMs) + overMs;
    vi.advanceTimersByTime(ms);
    known = true;
    work.warmTrials += isWarm(trial) ? 1 : 0;
    const at = [10, 10.1, 9.9][trial % 3] as number;
    const values = [at, at + 0.05, times[trial % times.length] ?? Number.NaN];
    for (const [index, target] of names.entries()) {
      for (const roundIndex of times.length === 0 ? [] : [0, 1, 2]) {
        const lastByteMs = values[index] as number;
        work.samples.push(testSample({ caseId: id, target, trial, roundIndex, lastByteMs }));
      }
    }
    return { startMs: cost.startMs, warmUpMs: warmedMs, restMs };
  });
}

const open = { id: "open", times: [10.8, 9.7, 11.5] };

describe("cases are measured in turns", () => {
  const said = async (courses: (said: string[]) => CaseSchedule[]) => {
    const all: string[] = [];
    await measureRoundRobin(courses(all), null);
    return all.join(" ");
  };

  test("after three of them it is first the turn of the case with the fewest warm trials", async () => {
    const turns = await said((said) => [
      course({ id: "a", said, trials: 4 }),
      course({ id: "b", said, trials: 4, isWarm: (trial) => trial === 0 }),
      course({ id: "c", said, trials: 3, isWarm: () => false }),
    ]);
    expect(turns).toBe("a0 b0 c0 a1 b1 c1 a2 b2 c2 b3 a3");
  });

  test.each([null, 0])(
    "where the time is over, asked for: %s, each case still has three",
    async (budgetMs) => {
      const made = { purse: { remainingMs: 0 }, budgetMs };
      const turns = await said((said) => ["a", "b"].map((id) => course({ id, said, ...made })));
      expect(turns).toBe("a0 b0 a1 b1 a2 b2");
    },
  );

  const clear = { id: "clear", times: [20, 20.1, 19.8] };
  const near = { id: "near", times: [10.7, 10.3, 10.6] };
  test.each([
    ["of a case that is decided to the one that is not", [clear, open], 8, "open3 open4"],
    ["to the nearest decision, and then to the others", [open, near], 11, "near3 open3 open4 open5 open6"],
  ])("after three trials of each the common time goes %s", async (_, made, trials, later) => {
    const purse = { remainingMs: trials * 7000 };
    const turns = await said((said) => made.map((settings) => course({ said, purse, ...settings })));
    const [a, b] = made.map(({ id }) => id);
    expect(turns).toBe(`${[0, 1, 2].map((trial) => `${a}${trial} ${b}${trial}`).join(" ")} ${later}`);
  });

  test("a time for each case is that case's alone, and bounds its trials; a fixed number of trials fills it", async () => {
    const first: Required<Made>["seen"] = [];
    const second: Required<Made>["seen"] = [];
    const filled: Required<Made>["seen"] = [];
    const having = (seen: Required<Made>["seen"] = [], budgetMs: number, more: Made = {}) =>
      course({ ...open, seen, budgetMs, purse: { remainingMs: budgetMs }, ...more });
    const courses = [having(first, 40_000), having(second, 9000), having(filled, 90_000, { trials: 3 })];
    await measureRoundRobin(courses, null);
    expect([first?.length, second?.length, filled?.length]).toEqual([5, 3, 3]);
    expect(courses[1]?.tookMs).toBe(9000);
    expect(filled?.every(({ endsAt, leastUntil }) => endsAt === leastUntil)).toBe(true);
    expect(first?.[0]?.leastUntil).toBeLessThan(first?.[0]?.endsAt ?? 0);
  });

  test("what the first trials take too long is not all taken from the last, and a search leaves them room to be warm", async () => {
    const shares = async (budgetMs: number, made: Made = {}) => {
      const seen: Required<Made>["seen"] = [];
      const time = { budgetMs, purse: { remainingMs: budgetMs } };
      await measureRoundRobin([course({ seen, ...time, overMs: 2500, ...made })], null);
      return seen.map(({ shareMs }) => shareMs);
    };
    expect(await shares(9000)).toEqual([3000, 2250, 2250]);
    const searching = { cost: { ...COST, searchMs: 6000 }, overMs: 0, trials: 3 };
    expect(await shares(26_000, searching)).toEqual([12_000, 7000, 7000]);
  });

  test("warm-up leaves a trial its least rounds, but never has less than half of it", () => {
    const endOf = (minMeasureMs: number) => warmUpEnd({ endsAt: 11_000, minMeasureMs: minMeasureMs }, 1000);
    expect([0, 3000, 9000].map(endOf)).toEqual([10_000, 8000, 6000]);
    expect(warmUpEnd({ endsAt: Number.POSITIVE_INFINITY, minMeasureMs: 1 })).toBe(Number.POSITIVE_INFINITY);
  });

  test("running servers may differ by more than their trials show: fresh ones are decided earlier", async () => {
    const times = [10.2, 10.21, 10.19];
    const courses = ["local", "url"].map((place) => course({ place, trials: 6, times }));
    for (const single of courses) {
      await measureRoundRobin([single], null);
    }
    expect(courses.map(({ done }) => done)).toEqual([4, 6]);
  });
});

describe("what is left", () => {
  /** A run of seven cases: what it said at each trial's start, and what it took. */
  async function runOf(made: readonly Made[], mostMs: number) {
    const purse = { remainingMs: mostMs };
    const courses = made.map((settings, index) => course({ purse, ...settings, id: `c${index}` }));
    const announcedMs = timeLeft(courses);
    const begunAt = performance.now();
    const said: { readonly atMs: number; readonly remainingMs: number }[] = [];
    await measureRoundRobin(courses, null, async () => {
      said.push({ atMs: performance.now() - begunAt, remainingMs: timeLeft(courses) });
    });
    return { announcedMs, said, tookMs: performance.now() - begunAt };
  }

  const slow = { ...open, warmUpMs: 20_000 };
  const seven = (made: Made) => Array.from({ length: 7 }, () => ({ ...open, ...made }));

  test("is what was announced where costs are as expected, search and all", async () => {
    const cost = { ...COST, searchMs: 6000 };
    const { announcedMs, said, tookMs } = await runOf(seven({ cost }), 0);
    expect(announcedMs / tookMs).toBeCloseTo(1, 1);
    for (const { atMs, remainingMs } of said) {
      expect((atMs + remainingMs) / tookMs).toBeCloseTo(1, 1);
    }
  });

  test.each([
    ["warm-up of all takes twice as long", seven({ warmUpMs: 8000 })],
    ["warm-up of two takes five times as long", [...seven({}).slice(2), slow, slow]],
    ["searches take three times as long", seven({ cost: { ...COST, searchMs: 4000 }, searchMs: 12_000 })],
    ["all costs half", seven({ warmUpMs: 1000, cost: { ...COST, startMs: 500 } })],
  ])("is within a fifth of the truth from the end of the first turn on, where %s", async (_, made) => {
    const { said, tookMs } = await runOf(made, 301_000);
    for (const { atMs, remainingMs } of said.slice(7)) {
      expect((atMs + remainingMs) / tookMs).toBeGreaterThan(0.8);
      expect((atMs + remainingMs) / tookMs).toBeLessThan(1.2);
      expect(remainingMs).toBeGreaterThan(0);
    }
  });

  test("is the time that was asked for, or what starts and least rounds take; within the first trial, too", () => {
    const purse = { remainingMs: 80_000 };
    const asked = (budgetMs: number, searchMs = 0) =>
      course({ purse, budgetMs, cost: { ...COST, warmUpMs: 90_000, searchMs } });
    const first = asked(20_000);
    const second = asked(60_000);
    expect(timeLeft([first, second])).toBeCloseTo(80_000);
    expect(timeLeft([asked(80_000, 9000)])).toBeCloseTo(80_000);
    expect(timeLeft([course({ purse: { remainingMs: 3000 }, budgetMs: 3000 })])).toBeCloseTo(
      3 * (1000 + 6 * 40),
    );
    first.begunAt = 0;
    expect(timeLeft([first, second], 0)).toBeCloseTo(80_000);
  });

  test("is never nothing while a trial takes longer than it was to, and is counted down within a trial", () => {
    const running = course({ trials: 1, least: 1 });
    running.begunAt = 0;
    const left = [0, 3000, 7000, 60_000].map((now) => timeLeft([running], now));
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
  const at = { caseId: "b", trial: 0, trials: 3, roundIndex: 0 };
  const start = performance.now();
  progress.show({ ...at, phase: "start" });
  for (const ms of [0, 100, 100]) {
    vi.advanceTimersByTime(ms);
    progress.show({ ...at, phase: "measure" });
  }
  expect(seen).toEqual([1000, 1000, 800].map((ms) => [1, ms - start]));
});
