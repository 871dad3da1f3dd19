// What each experiment decides, from data that was made up to have a known answer.
import type { ComparisonResult, Estimate, SideResult } from "@evenbench/core";
import { type CorrelatedNoise, correlatedNoise } from "@evenbench/stats";
import { describe, expect, test } from "vitest";
import { decide as decideNoise } from "../correlated-noise/experiment.ts";
import { decide as decideDynamic } from "../force-dynamic/experiment.ts";
import { decide as decideShare } from "../gc-share/experiment.ts";
import { decide as decidePrice } from "../price/experiment.ts";
import type { ComparisonPlan, Experiment } from "./define.ts";
import { sidesOf } from "./define.ts";
import { discoverExperiments } from "./discover.ts";

const experiments = await discoverExperiments();
const experiment = (id: string): Experiment => {
  const found = experiments.find((one) => one.id === id);
  if (found === undefined) throw new Error(`There is no experiment ${id}.`);
  return found;
};

const around = (estimate: number): Estimate => ({ estimate, low: estimate * 0.98, high: estimate * 1.02 });

function side(name: string, more: Partial<SideResult> = {}): SideResult {
  return {
    name,
    target: name,
    otherwise: null,
    bodyBytes: 100,
    bodySha256: "ab".repeat(32),
    exchanges: 50,
    errors: 0,
    rendersPerRequest: 1,
    firstByteMs: around(10),
    lastByteMs: around(20),
    lastToFirst: around(2),
    cpuMsPerExchange: around(15),
    residentBytes: 50e6,
    peakResidentBytes: 60e6,
    ...more,
  };
}

/** A measured comparison of a plan, in which every contrast is what `ratioOf` says. */
function measured(
  { id, caseId, sides }: ComparisonPlan,
  ratioOf: (side: string, against: string) => number,
  more: (name: string) => Partial<SideResult> = () => ({}),
): ComparisonResult {
  const names = sides.map(({ name }) => name);
  const all = (value: number) => ({
    firstByteMs: around(value),
    lastByteMs: around(value),
    cpu: around(value),
  });
  return {
    id,
    caseId,
    sides: names.map((name) => side(name, more(name))),
    unmeasured: [],
    contrasts: names.flatMap((one) =>
      names
        .filter((other) => other !== one)
        .map((other) => ({ side: one, against: other, ...all(ratioOf(one, other)) })),
    ),
    control: { side: `${names[0]}~twin`, against: names[0] ?? "", ...all(1) },
    generations: 5,
    events: [],
  };
}

/** What an experiment without measurements of its own says when every contrast is `ratio`. */
function verdictOf(id: string, ratio: number, more?: (name: string) => Partial<SideResult>) {
  const { comparisons = [], decide } = experiment(id);
  const results = comparisons.map((plan) => [plan.id, measured(plan, () => ratio, more)]);
  const versions = { "V8 in Node.js": "13.6.1", "V8 in workerd": "15.8.2" };
  return decide({ comparisons: Object.fromEntries(results), own: [], versions });
}

test.each(experiments)("$id says what was published, where, and which sides it needs", (one) => {
  for (const text of [one.title, one.claim, one.published, one.source.title, one.source.publisher]) {
    expect(text).toMatch(/\w/);
  }
  expect(one.source.date ?? "2025").toMatch(/^\d{4}(-\d{2}){0,2}$/);
  expect(sidesOf(one).length).toBeGreaterThan(0);
});

test("all claims together have a time that somebody waits for", () => {
  const totalS = experiments.reduce((sum, { timeS }) => sum + timeS, 0);
  expect(totalS).toBeLessThanOrEqual(45 * 60);
});

const goByRounds = experiments.filter(({ measure }) => measure === undefined);

test.each(goByRounds)("$id cannot tell when nothing was measured, and does not fail", ({ id, decide }) => {
  const { verdict, reason } = decide({ comparisons: {}, own: undefined, versions: {} });
  // Prices are not measured: they are read.
  expect(verdict).toBe(id === "price" ? "reproduced" : "cannot tell");
  expect(reason).toMatch(/\w/);
});

describe("claims that contrasts decide", () => {
  test.each([
    ["same-engine", 1.05, "reproduced"],
    ["same-engine", 1.6, "not reproduced"],
    ["same-engine", 0.6, "not reproduced"],
    ["trig", 3.1, "reproduced"],
    ["trig", 1.2, "not reproduced"],
    ["trig", 0.5, "reversed"],
    ["stream-copies", 1.5, "reproduced"],
    ["stream-copies", 1, "not reproduced"],
    ["stream-copies", 0.8, "reversed"],
    ["node-env", 3, "reproduced"],
    ["node-env", 1, "not reproduced"],
    ["one-vcpu", 1, "reproduced"],
    ["one-vcpu", 0.8, "not reproduced"],
    ["young-generation", 1.3, "reproduced"],
    ["young-generation", 1, "not reproduced"],
    ["young-generation", 0.9, "reversed"],
  ])("%s with a ratio of %d: %s", (id, ratio, verdict) => {
    expect(verdictOf(id, ratio).verdict).toBe(verdict);
  });

  test.each([
    [1.6, 1.2, "reproduced"],
    [1.6, 1.6, "cannot tell"],
    [1.05, 1, "not reproduced"],
  ])("a reviver %d times as slow, and %d without one: %s", (withOne, without, verdict) => {
    const { comparisons = [], decide } = experiment("reviver");
    const ratioOf = (side: string, against: string) =>
      against.endsWith("without") && side.endsWith("with") ? 4 : side.endsWith("without") ? without : withOne;
    const results = Object.fromEntries(comparisons.map((plan) => [plan.id, measured(plan, ratioOf)]));
    const versions = { "V8 in Node.js": "13.6.1", "V8 in workerd": "15.8.2" };
    expect(decide({ comparisons: results, own: undefined, versions }).verdict).toBe(verdict);
  });

  test("the gain of the reviver needs engines on either side of the change", () => {
    const { comparisons = [], decide } = experiment("reviver");
    const results = Object.fromEntries(comparisons.map((plan) => [plan.id, measured(plan, () => 4)]));
    const versions = { "V8 in Node.js": "14.4.1", "V8 in workerd": "15.8.2" };
    const { verdict, reason } = decide({ comparisons: results, own: undefined, versions });
    expect([verdict, reason]).toEqual(["cannot tell", expect.stringContaining("14.4.1")]);
  });

  test.each([
    [5, "reproduced"],
    [1.1, "not reproduced"],
    [2, "cannot tell"],
  ])("first-byte with a last byte %d times as late as the first: %s", (ratio, verdict) => {
    expect(verdictOf("first-byte", 1, () => ({ lastToFirst: around(ratio) })).verdict).toBe(verdict);
  });

  test("tables have a cell for every head", () => {
    for (const id of ["stream-copies", "young-generation"]) {
      const { tables } = verdictOf(id, 1.3);
      expect(tables.length).toBeGreaterThan(0);
      for (const { head, rows } of tables) for (const row of rows) expect(row).toHaveLength(head.length);
    }
  });
});

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

  test("cannot be told where the pin itself does not hold, or a side is missing", () => {
    const same = { "next-node": [1, 1], "next-cloudflare": [1, 1], "next-vercel": [1, 1] } as const;
    expect(decide(same, 0.5)).toMatchObject({
      verdict: "cannot tell",
      reason: expect.stringContaining("control"),
    });
    expect(decide({ "next-node": [1, 1] }).verdict).toBe("cannot tell");
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
    [[0.09, 0.12, 0.1], "cannot tell"],
    [[0.15], "cannot tell"],
    [[], "cannot tell"],
  ])("%j is %s", (values, verdict) => {
    expect(decideShare(shares(...values)).verdict).toBe(verdict);
  });

  test("no interval of a share reaches below nothing", () => {
    expect(decideShare(shares(0.01, 0.2, 0.02)).figures[0]?.value?.low).toBe(0);
  });

  test("says why a profile could not be taken", () => {
    const failed = [{ target: "node", caseId: "react-ssr", profiles: 3, shares: [], why: "no inspector" }];
    expect(decideShare(failed).figures[0]?.note).toContain("no inspector");
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

  test("is reproduced while the prices are the published ones, and costs 1,000 requests by their CPU time", () => {
    if (plan === undefined) throw new Error("The experiment has no comparison.");
    const prices = [price("vercel", 0.128), price("cloudflare", 0.072)];
    const hour = () => ({ cpuMsPerExchange: around(3600) });
    const { verdict, figures } = decidePrice(
      measured(plan, () => 1, hour),
      prices,
    );
    expect(verdict).toBe("reproduced");
    // 1,000 requests of 3.6 s are an hour.
    const costs = figures.filter(({ label }) => label.includes("1,000"));
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
    generations: 20,
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
    [noise(0.8, 2), "cannot tell"],
    [null, "cannot tell"],
  ])("%#", (found, verdict) => {
    expect(decideNoise(found).verdict).toBe(verdict);
  });

  test("counts what is between instances apart from what is within them", () => {
    const question = { caseId: "c", metric: "lastByteMs", target: "b", baseline: "a", seed: 1 } as const;
    const sample = (target: string, generation: number, roundIndex: number, lastByteMs: number) => ({
      caseId: "c",
      target,
      generation,
      phase: "measure" as const,
      roundIndex,
      position: 0,
      startedAtMs: 0,
      connectMs: null,
      firstByteMs: lastByteMs,
      lastByteMs,
      status: 200,
      bodyBytes: 1,
      instanceId: null,
      served: null,
      inFlight: null,
      error: null,
    });
    const wobble = (index: number) => 1 + 0.01 * Math.sin(index * 2.4);
    const samplesOf = (lean: (generation: number) => number) =>
      Array.from({ length: 10 * 30 }, (_, index) => {
        const [generation, round] = [Math.floor(index / 30), index % 30];
        return [
          sample("a", generation, round, 10 * wobble(index)),
          sample("b", generation, round, 10 * wobble(index * 3 + 1) * lean(generation)),
        ];
      }).flat();
    const leaning = correlatedNoise(
      samplesOf((generation) => 1 + 0.05 * Math.sin(generation * 1.9)),
      question,
    );
    const level = correlatedNoise(
      samplesOf(() => 1),
      question,
    );
    expect(leaning?.excess.low).toBeGreaterThan(2);
    expect(leaning?.generations).toBe(10);
    expect(level?.excess.estimate).toBeLessThan(1.5);
    expect(correlatedNoise([], question)).toBeNull();
  });
});
