// What the experiments that measure in their own way, or only read, decide: from data that was made up to
// have a known answer.

import { describe, expect, test } from "vitest";
import { decide as decideNoise } from "../correlated-noise/experiment.ts";
import type { CorrelatedNoise } from "../correlated-noise/noise.ts";
import { decide as decideDynamic } from "../force-dynamic/experiment.ts";
import { decide as decideShare } from "../gc-share/experiment.ts";
import { decide as decidePrice } from "../price/experiment.ts";
import { around, experiment, measured } from "../test/measured.ts";

describe("force-dynamic", () => {
  const plans = experiment("force-dynamic").comparisons ?? [];
  /** Renderings of a request without the pin, one at a time and at once, by target. */
  const decide = (renders: Record<string, readonly [alone: number, atOnce: number]>, forced = 1) =>
    decideDynamic(
      Object.fromEntries(
        plans.map((plan) => {
          const [alone = 0] = renders[plan.id] ?? [];
          const counted = (name: string) => ({ rendersPerRequest: name === "forced" ? forced : alone });
          return [plan.id, measured(plan, () => 1, counted)];
        }),
      ),
      Object.fromEntries(
        Object.entries(renders).map(([target, [, atOnce]]) => [target, { forced: 1, "not forced": atOnce }]),
      ),
    );

  test("is reproduced where one platform renders and the other does not", () => {
    const { verdict, reason, tables } = decide({
      "next-node": [0.02, 0.125],
      "next-cloudflare": [1, 1],
      "next-vercel": [0.02, 0.125],
    });
    expect(verdict).toBe("reproduced");
    expect(reason).toContain("next-node 0.02");
    for (const { head, rows } of tables) for (const row of rows) expect(row).toHaveLength(head.length);
  });

  test("is reproduced where they differ only when requests come at once", () => {
    expect(
      decide({ "next-node": [1, 1], "next-cloudflare": [1, 1], "next-vercel": [1, 0.125] }).verdict,
    ).toBe("reproduced");
  });

  test("is not where all do the same", () => {
    expect(
      decide({ "next-node": [0.02, 0.125], "next-cloudflare": [0.02, 0.125], "next-vercel": [0.02, 0.125] })
        .verdict,
    ).toBe("not reproduced");
  });
});

describe("gc-share", () => {
  const shares = (...values: number[]) => [
    { target: "node", caseId: "react-ssr", profiles: 3, shares: values, why: null },
  ];

  test.each([
    [[0.15, 0.16, 0.15], "reproduced"],
    [[0.02, 0.021, 0.022], "not reproduced"],
    [[0.4, 0.41, 0.42], "not reproduced"],
    [[0.09, 0.12, 0.1], "inconclusive"],
    [[0.15], "inconclusive"],
    [[], "inconclusive"],
  ])("%j is %s", (values, verdict) => {
    expect(decideShare(shares(...values)).verdict).toBe(verdict);
  });
});

describe("price", () => {
  const price = (platform: string, usdPerCpuHour: number) => ({
    platform,
    title: "Plan",
    usdPerCpuHour,
    stated: `$${usdPerCpuHour}`,
    readOn: "2026-11-21",
    source: "https://example.com/",
  });
  const [plan] = experiment("price").comparisons ?? [];

  test("is reproduced while the prices are the published ones, and costs a million requests by their CPU time", () => {
    if (plan === undefined) throw new Error("The experiment has no comparison.");
    const prices = [price("vercel", 0.128), price("cloudflare", 0.072)];
    const hour = () => ({ cpuMsPerExchange: around(3.6) });
    const { verdict, figures } = decidePrice(
      measured(plan, () => 1, hour),
      prices,
    );
    expect(verdict).toBe("reproduced");
    // A million requests of 3.6 ms are an hour.
    const costs = figures.filter(({ label }) => label.includes("million"));
    expect(costs.map(({ value }) => value?.estimate)).toEqual([expect.closeTo(0.128), expect.closeTo(0.072)]);
  });

  test("is not when a price has changed, and says when it was read", () => {
    const { verdict, figures } = decidePrice(undefined, [price("vercel", 0.2), price("cloudflare", 0.072)]);
    expect(verdict).toBe("not reproduced");
    expect(figures[0]).toMatchObject({
      verdict: "not reproduced",
      note: expect.stringContaining("2026-11-21"),
    });
  });
});

describe("correlated-noise", () => {
  const ratio = { estimate: 1, low: 0.98, high: 1.02, level: 0.95 };
  const noise = (low: number, high: number): CorrelatedNoise => ({
    trials: 20,
    rounds: 1000,
    byInstances: ratio,
    byRequests: { ...ratio, low: 0.995, high: 1.005 },
    observed: 0.02,
    explained: 0.01,
    excess: { estimate: (low + high) / 2, low, high, level: 0.95 },
  });

  test.each([
    [noise(1.5, 3), "reproduced"],
    [noise(0.8, 1.3), "not reproduced"],
    [noise(0.8, 2), "inconclusive"],
    [null, "inconclusive"],
  ])("%#", (found, verdict) => {
    expect(decideNoise(found).verdict).toBe(verdict);
  });
});
