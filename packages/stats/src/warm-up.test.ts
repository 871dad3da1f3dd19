import { describe, expect, test } from "vitest";
import real from "../test-data/warm-up-cpu-ms.json" with { type: "json" };
import { drawNormal, type Random, seededRandom } from "./random.ts";
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

  test("the plateau of react-ssr for 40 exchanges is found not warm, and the level after it warm", () => {
    const series = real["react-ssr on cloudflare, 2 cores, start 0"];
    expect(warmth(series.slice(20, 80))?.warm).toBe(false);
    expect(warmth(series.slice(80, 140))?.warm).toBe(true);
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

  test("a step of a quarter amid the measured rounds is seen", () => {
    const random = seededRandom(23);
    const missed = Array.from({ length: 100 }, () =>
      warmth([...costsAround(26, 10, random), ...costsAround(20, 10, random)]),
    ).filter((one) => one?.warm);
    expect(missed.length).toBeLessThanOrEqual(2);
  });

  test("a slow fall by a fifth over the measured rounds is seen in most instances", () => {
    const random = seededRandom(29);
    const fallen = Array.from({ length: 100 }, () => {
      const measured = costsAround(20, 30, random).map((cost, index) => cost * (1 - (0.2 * index) / 29));
      return warmth(measured);
    }).filter((one) => !one?.warm);
    expect(fallen.length).toBeGreaterThanOrEqual(80);
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
