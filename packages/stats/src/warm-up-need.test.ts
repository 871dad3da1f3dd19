import { describe, expect, test } from "vitest";
import { drawNormal } from "../test/samples.ts";
import real from "../test-data/warm-up-cpu-ms.json" with { type: "json" };
import { seededRandom } from "./random.ts";
import { warmUpNeed } from "./warm-up-need.ts";

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
});

describe("simulated series", () => {
  test("single high costs, as of a collection, are no level of their own", () => {
    const random = seededRandom(11);
    const costs = Array.from({ length: 120 }, () => 20 * Math.exp(0.01 * drawNormal(random)));
    const collected = costs.map((cost, index) => (index % 17 === 3 ? 3 * cost : cost));
    expect(warmUpNeed(collected)).toEqual({ exchanges: 0, reached: true });
  });

  test.each([0, 5, 40])("%i costs that a coarse account gives as 0 need no warm-up", (count) => {
    const costs = new Array<number>(count).fill(0);
    expect(warmUpNeed(costs)).toEqual({ exchanges: 0, reached: true });
  });
});
