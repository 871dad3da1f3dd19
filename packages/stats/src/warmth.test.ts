import { describe, expect, test } from "vitest";
import { drawNormal } from "../test/samples.ts";
import real from "../test-data/warm-up-cpu-ms.json" with { type: "json" };
import { type Random, seededRandom } from "./random.ts";
import { warmthOfTrial } from "./warmth.ts";

const costsAround = (level: number, count: number, random: Random, spread = 0.05) =>
  Array.from({ length: count }, () => level * Math.exp(spread * drawNormal(random)));

const byRound = (costs: readonly number[]) => new Map(costs.entries());

/** Judges an instance that is measured in turns with two others that are warm. */
function warmth(costs: readonly number[]) {
  const random = seededRandom(41);
  const others = [1, 2].map((name) => [name, byRound(costsAround(10, costs.length, random))] as const);
  return warmthOfTrial(new Map([[0, byRound(costs)], ...others])).get(0);
}

describe("real series of fresh instances", () => {
  test("the plateau of math before its twelfth exchange is found not warm by what follows", () => {
    const series = real["math on cloudflare, 1 core, start 0"];
    const fall = warmth(series.slice(5, 17));
    expect(fall).toEqual({ code: "fell", by: expect.closeTo(0.25, 1), afterRounds: expect.closeTo(6, -1) });
    expect(warmth(series.slice(12))).toBeNull();
  });

  test("a program that collects in every second exchange stays on one level", () => {
    const series = real["react-ssr on cloudflare, 1 core, start 0"];
    expect(warmth(series.slice(100, 140))).toBeNull();
  });
});

describe("simulated series", () => {
  test.each([5, 8, 20, 60])(
    "warm instances are called warm: at most 3 of 100 of %i rounds are not",
    (rounds) => {
      const random = seededRandom(17);
      const all = Array.from({ length: 300 }, () => warmth(costsAround(20, rounds, random)));
      expect(all.filter((warmth) => warmth !== null).length).toBeLessThanOrEqual(9);
    },
  );

  test("single high costs, as of a collection, are no level of their own", () => {
    const costs = costsAround(20, 120, seededRandom(11), 0.01);
    const collected = costs.map((cost, index) => (index % 17 === 3 ? 3 * cost : cost));
    expect(warmth(collected)).toBeNull();
  });

  test("what moves all instances of a trial alike is the machine's, and none of them is cold for it", () => {
    const random = seededRandom(37);
    const slowed = (level: number) =>
      byRound(costsAround(level, 30, random).map((cost, round) => (round < 12 ? cost : cost * 1.6)));
    const trial = new Map(["a", "b", "c"].map((name, index) => [name, slowed(10 * (index + 1))]));
    expect([...warmthOfTrial(trial).values()]).toEqual([null, null, null]);
  });

  test.each([0, 5, 40])("%i costs that a coarse account gives as 0 are no failure", (count) => {
    const costs = new Array<number>(count).fill(0);
    expect(warmth(costs)).toBeNull();
  });
});
