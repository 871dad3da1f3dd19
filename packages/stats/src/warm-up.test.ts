import { describe, expect, test } from "vitest";
import { drawNormal, testSample } from "../test/samples.ts";
import real from "../test-data/warm-up-cpu-ms.json" with { type: "json" };
import { type Random, seededRandom } from "./random.ts";
import { warmInstances } from "./warm-instances.ts";
import { warmUpNeed } from "./warm-up-need.ts";
import { warmthOfTrial } from "./warmth.ts";

const WARM = { warm: true, reason: null };

const costsAround = (level: number, count: number, random: Random, spread = 0.05) =>
  Array.from({ length: count }, () => level * Math.exp(spread * drawNormal(random)));

const byRound = (costs: readonly number[]) => new Map(costs.entries());

/** Of an instance that is measured in turns with two others that are warm. */
function warmth(costs: readonly number[]) {
  const random = seededRandom(41);
  const others = [1, 2].map((name) => [name, byRound(costsAround(10, costs.length, random))] as const);
  return warmthOfTrial(new Map([[0, byRound(costs)], ...others])).get(0);
}

describe("real series of fresh instances", () => {
  // The first and the last exchange from which on each may be called warm, read off the series by eye.
  test.each<[keyof typeof real, number, number]>([
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
    const reason = expect.stringMatching(/^fell by 2\d % after [567] rounds$/);
    expect(warmth(series.slice(5, 17))).toEqual({ warm: false, reason });
    expect(warmth(series.slice(12))).toEqual(WARM);
  });

  test("a program that collects in every second exchange stays on one level", () => {
    const series = real["react-ssr on cloudflare, 1 core, start 0"];
    expect(warmth(series.slice(100, 140))?.warm).toBe(true);
  });
});

describe("simulated series", () => {
  test.each([5, 8, 20, 60])(
    "warm instances are called warm: at most 3 of 100 of %i rounds are not",
    (rounds) => {
      const random = seededRandom(17);
      const all = Array.from({ length: 300 }, () => warmth(costsAround(20, rounds, random)));
      expect(all.filter((warmth) => !warmth?.warm).length).toBeLessThanOrEqual(9);
    },
  );

  test("single high costs, as of a collection, are no level of their own", () => {
    const costs = costsAround(20, 120, seededRandom(11), 0.01);
    const collected = costs.map((cost, index) => (index % 17 === 3 ? 3 * cost : cost));
    expect(warmUpNeed(collected)).toEqual({ exchanges: 0, reached: true });
    expect(warmth(collected)).toEqual(WARM);
  });

  test("what moves all instances of a trial alike is the machine's, and none of them is cold for it", () => {
    const random = seededRandom(37);
    const slowed = (level: number) =>
      byRound(costsAround(level, 30, random).map((cost, round) => (round < 12 ? cost : cost * 1.6)));
    const trial = new Map(["a", "b", "c"].map((name, index) => [name, slowed(10 * (index + 1))]));
    expect([...warmthOfTrial(trial).values()].map(({ warm }) => warm)).toEqual([true, true, true]);
  });

  test.each([0, 5, 40])("%i costs that a coarse account gives as 0 are no failure", (count) => {
    const costs = new Array<number>(count).fill(0);
    expect(warmUpNeed(costs)).toEqual({ exchanges: 0, reached: true });
    expect(warmth(costs)).toEqual(WARM);
  });
});

describe("an instance", () => {
  const ROUNDS = 40;
  const random = seededRandom(3);
  const about = (ms: number) => ms * Math.exp(0.01 * drawNormal(random));
  /** A target that becomes twice as fast in the middle, beside one that stays. */
  const falling = Array.from({ length: ROUNDS }, (_, roundIndex) => [
    testSample({ target: "still", roundIndex, lastByteMs: about(20) }),
    testSample({ target: "falling", roundIndex, lastByteMs: about(roundIndex < ROUNDS / 2 ? 40 : 20) }),
  ]).flat();
  const isWarm = (samples: typeof falling, by: "times" | "cpuTime") =>
    warmInstances(samples, [])[by].get("falling")?.get(0)?.warm;

  test("that becomes faster while it is measured is not warm, also where another gives its last answer", () => {
    const { times } = warmInstances(falling, []);
    expect(times.get("still")?.get(0)).toEqual(WARM);
    expect(times.get("falling")?.get(0)).toEqual({ warm: false, reason: "fell by 50 % after 20 rounds" });
    const other = falling.map((was) => ({ ...was, instanceId: was.roundIndex === ROUNDS - 1 ? "b" : "a" }));
    expect(isWarm(other, "times")).toBe(false);
  });

  test("whose time is nearly all waiting is not warm for CPU time alone where code becomes faster", () => {
    const waiting = falling.map((was) => ({ ...was, cpuMs: was.lastByteMs, lastByteMs: about(600) }));
    expect([isWarm(waiting, "cpuTime"), isWarm(waiting, "times")]).toEqual([false, true]);
    const working = waiting.map((sample) => ({ ...sample, lastByteMs: about(200) }));
    expect(isWarm(working, "times")).toBe(false);
  });

  test("that got less warm-up than its target needs is not warm, however still it was", () => {
    const warmUp = { caseId: "case", target: "still", trial: 0, exchanges: 2, needed: 68, warmAfter: 54 };
    const reason = "got 2 of the 68 requests that warm it up";
    expect(warmInstances(falling, [warmUp]).times.get("still")?.get(0)).toEqual({ warm: false, reason });
  });
});

test.each([
  ["judged trial by trial unless it is named", false, [10, 10, 12, 10, 10, 12, 10, 10], "ynyy"],
  ["warm where a trial's speed comes and goes", true, [10, 10, 12, 10, 10, 12, 10, 10], "yyyy"],
  ["warm from its lasting level on", true, [20, 20, 10, 10, 10, 10, 10, 10], "nyyy"],
  ["never warm where that came last", true, [40, 40, 30, 30, 20, 20, 20, 10], "nnnn"],
  [
    "warm where another became faster alike",
    true,
    [40, 40, 30, 30, 20, 20, 20, 10],
    "yyyy",
    ["lasting", "b"],
  ],
])(
  "a process that lasts for the whole run is %s",
  (_, isLasting, levels, expected, targets = ["lasting"]) => {
    const samples = levels.flatMap((ms, half) =>
      Array.from({ length: 30 }, (_round, index) => {
        const at = { trial: half >> 1, roundIndex: 30 * (half % 2) + index };
        const lastByteMs = ms + (index % 3) / 10;
        return targets.map((target) => testSample({ target, ...at, lastByteMs }));
      }).flat(),
    );
    const { times } = warmInstances(samples, [], new Set(isLasting ? ["lasting"] : []));
    const warm = [...(times.get("lasting")?.values() ?? [])].map((warmth) => (warmth.warm ? "y" : "n"));
    expect(warm.join("")).toBe(expected);
  },
);
