import { describe, expect, test } from "vitest";
import { drawNormal, testSample } from "../test/samples.ts";
import real from "../test-data/warm-up-cpu-ms.json" with { type: "json" };
import { type Random, seededRandom } from "./random.ts";
import { warmInstances } from "./warm.ts";
import { warmthOfTrial, warmUpNeed } from "./warm-up.ts";

type Name = keyof typeof real;

const costsAround = (level: number, count: number, random: Random, spread = 0.05) =>
  Array.from({ length: count }, () => level * Math.exp(spread * drawNormal(random)));

const byRound = (costs: readonly number[]) => new Map(costs.entries());

/** Of an instance that is measured in turns with two others that are warm. */
function warmth(costs: readonly number[]) {
  const random = seededRandom(41);
  const others = [0, 1].map(() => byRound(costsAround(10, costs.length, random)));
  const trial = new Map(
    [costs, ...others].map((one, index) => [index, Array.isArray(one) ? byRound(one) : one]),
  );
  return warmthOfTrial(trial as Map<number, Map<number, number>>).get(0);
}

describe("real series of fresh instances", () => {
  // The first and the last exchange from which on each may be called warm, read off the series by eye.
  test.each<[Name, number, number]>([
    ["math on cloudflare, 1 core, start 0", 11, 14],
    ["math on node, 1 core, start 0", 0, 3],
    ["react-ssr on cloudflare, 2 cores, start 0", 48, 60],
    ["react-ssr on cloudflare, 2 cores, start 1", 40, 135],
    ["html-template on vercel, 2 cores, start 0", 95, 140],
    ["trig on node, 1 core, start 0", 0, 3],
    ["json-reviver on cloudflare, 1 core, start 0", 1, 10],
    ["sveltekit-page on cloudflare, 1 core, start 1", 9, 30],
  ])("%s needs %i to %i exchanges", (name, least, most) => {
    const { exchanges, reached } = warmUpNeed(real[name]);
    expect(exchanges).toBeGreaterThanOrEqual(least);
    expect(exchanges).toBeLessThanOrEqual(most);
    expect(reached).toBe(true);
  });

  test("a page that still falls at the end of its series has not come to its level", () => {
    expect(warmUpNeed(real["next-landing on node, 2 cores, start 0"]).reached).toBe(false);
  });

  test("the plateau of math before its twelfth exchange is found not warm by what follows", () => {
    const series = real["math on cloudflare, 1 core, start 0"];
    expect(warmth(series.slice(5, 17))).toMatchObject({ warm: false });
    expect(warmth(series.slice(5, 17))?.reason).toMatch(/^fell by 2\d % after [567] rounds$/);
    expect(warmth(series.slice(12))).toEqual({ warm: true, reason: null });
  });

  test("a program that collects in every second exchange stays on one level", () => {
    const series = real["react-ssr on cloudflare, 1 core, start 0"];
    expect(warmth(series.slice(100, 140))?.warm).toBe(true);
  });
});

describe("simulated series", () => {
  test("warm instances are called warm, whatever the number of rounds: at most 3 of 100 are not", () => {
    const random = seededRandom(17);
    for (const rounds of [5, 8, 20, 60]) {
      const cold = Array.from({ length: 300 }, () => warmth(costsAround(20, rounds, random))).filter(
        (one) => !one?.warm,
      );
      expect(cold.length, `${rounds} rounds`).toBeLessThanOrEqual(9);
    }
  });

  test("single high costs, as of a collection, are no level of their own", () => {
    const costs = costsAround(20, 120, seededRandom(11), 0.01);
    const collected = costs.map((cost, index) => (index % 17 === 3 ? 3 * cost : cost));
    expect(warmUpNeed(collected)).toEqual({ exchanges: 0, reached: true });
    expect(warmth(collected)).toEqual({ warm: true, reason: null });
  });

  test("what moves all instances of a trial alike is the machine's, and none of them is cold for it", () => {
    const random = seededRandom(37);
    const slowed = (level: number) =>
      byRound(costsAround(level, 30, random).map((cost, round) => (round < 12 ? cost : cost * 1.6)));
    const trial = new Map(["a", "b", "c"].map((name, index) => [name, slowed(10 * (index + 1))]));
    expect([...warmthOfTrial(trial).values()].map(({ warm }) => warm)).toEqual([true, true, true]);
  });

  test("costs that a coarse account gives as 0 are no failure", () => {
    expect(warmUpNeed(Array.from({ length: 40 }, () => 0))).toEqual({ exchanges: 0, reached: true });
    expect(warmth([0, 0, 0, 0, 0])).toEqual({ warm: true, reason: null });
    expect(warmUpNeed([])).toEqual({ exchanges: 0, reached: true });
    expect(warmth([])).toEqual({ warm: true, reason: null });
  });
});

const ROUNDS = 40;
const random = seededRandom(3);
const about = (ms: number) => ms * Math.exp(0.01 * drawNormal(random));
/** A target that becomes twice as fast in the middle, beside one that stays. */
const falling = Array.from({ length: ROUNDS }, (_, roundIndex) => roundIndex).flatMap((roundIndex) => [
  testSample({ target: "still", roundIndex, lastByteMs: about(20) }),
  testSample({
    target: "falling",
    roundIndex,
    lastByteMs: about(roundIndex < ROUNDS / 2 ? 40 : 20),
    instanceId: "a",
  }),
]);

test("an instance that becomes faster while it is measured is not warm, also where another gives its last answer", () => {
  const warm = warmInstances(falling, []).times;
  expect(warm.get("still")?.get(0)).toEqual({ warm: true, reason: null });
  expect(warm.get("falling")?.get(0)).toEqual({ warm: false, reason: "fell by 50 % after 20 rounds" });
  const other = falling.map((sample) =>
    sample.target === "falling" && sample.roundIndex === ROUNDS - 1 ? { ...sample, instanceId: "b" } : sample,
  );
  expect(warmInstances(other, []).times.get("falling")?.get(0)?.warm).toBe(false);
});

test("where nearly all of the time is waiting, code that becomes faster is not warm for CPU time alone", () => {
  const waiting = falling.map((sample) => ({ ...sample, cpuMs: sample.lastByteMs, lastByteMs: about(600) }));
  expect(warmInstances(waiting, []).cpuTime.get("falling")?.get(0)?.warm).toBe(false);
  expect(warmInstances(waiting, []).times.get("falling")?.get(0)?.warm).toBe(true);
  const working = waiting.map((sample) => ({ ...sample, lastByteMs: about(200) }));
  expect(warmInstances(working, []).times.get("falling")?.get(0)?.warm).toBe(false);
});

test("one that got less warm-up than its target needs is not warm, however still it was", () => {
  const warmUp = { caseId: "case", target: "still", trial: 0, exchanges: 2, needed: 68, warmAfter: 54 };
  expect(warmInstances(falling, [warmUp]).times.get("still")?.get(0)).toEqual({
    warm: false,
    reason: "got 2 of the 68 requests that warm it up",
  });
});

describe("a process that lasts for the whole run", () => {
  const trialsOf = (...levels: readonly (readonly number[])[]) =>
    levels.flatMap((parts, trial) =>
      parts.flatMap((ms, part) =>
        Array.from({ length: 30 }, (_, index) => ({
          ...(falling[0] as (typeof falling)[number]),
          ...{ target: "lasting", trial, roundIndex: 30 * part + index },
          ...{ cpuMs: null, lastByteMs: ms + (index % 3) / 10 },
        })),
      ),
    );
  const warmTrials = (samples: ReturnType<typeof trialsOf>, lasting?: ReadonlySet<string>) =>
    [...(warmInstances(samples, [], lasting).times.get("lasting")?.values() ?? [])].map(({ warm }) => warm);

  test("is warm where a trial's speed comes and goes", () => {
    const samples = trialsOf([10, 10], [12, 10], [10, 12], [10, 10]);
    expect(warmTrials(samples)).toEqual([true, false, false, true]);
    expect(warmTrials(samples, new Set(["lasting"]))).toEqual([true, true, true, true]);
  });

  test("is warm from its lasting level on, and never where that came last", () => {
    const asked = new Set(["lasting"]);
    expect(warmTrials(trialsOf([20, 20], [10, 10], [10, 10], [10, 10]), asked)).toEqual([
      false,
      true,
      true,
      true,
    ]);
    expect(warmTrials(trialsOf([40, 40], [30, 30], [20, 20], [20, 10]), asked)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });
});
