// What experiments decide, from data that was made up to have a known answer.
import type { StageSummary } from "@evenbench/load";
import type { OfferedLoad, SideResult } from "@evenbench/results";
import { describe, expect, test } from "vitest";
import { clusterOn } from "../cluster/experiment.ts";
import { around, experiment, experiments, measured } from "../test/measured.ts";
import type { Experiment, LoadAnswer, StagePlace } from "./define.ts";
import { decided } from "./judge.ts";
import { valueAt } from "./load-sides.ts";

const V8 = { "V8 in Node.js": "13.6.1", "V8 in workerd": "15.8.2" };
type Plan = NonNullable<Experiment["comparisons"]>[number];

const NOTHING = { comparisons: {}, loads: {}, own: undefined, versions: V8 };
type Measured = Parameters<typeof decided>[1];

/** What an experiment says when its contrasts and its sides are as given. */
function outcomeOf(
  id: string,
  ratioOf: (side: string, against: string, plan: Plan) => number,
  {
    more,
    ...given
  }: Partial<Measured> & { readonly more?: (side: string, plan: Plan) => Partial<SideResult> } = {},
) {
  const one = experiment(id);
  const comparisons = (one.comparisons ?? []).map((plan) => [
    plan.id,
    measured(
      plan,
      (side, against) => ratioOf(side, against, plan),
      (side) => more?.(side, plan) ?? {},
    ),
  ]);
  return decided(one, { ...NOTHING, comparisons: Object.fromEntries(comparisons), own: [], ...given });
}

test.each(experiments)(
  "$id asks for sides and ratios that its comparisons have",
  ({ figures = [], comparisons = [] }) => {
    for (const question of figures) {
      if ("load" in question) continue;
      const plan = comparisons.find(({ id }) => id === question.of);
      const names = plan?.sides.map(({ name }) => name);
      expect(names).toContain(question.side);
      if (!("against" in question)) continue;
      const divisors =
        plan?.contrasts?.flatMap(([side, against]) => (side === question.side ? [against] : [])) ??
        names?.slice(0, 1);
      expect(divisors).toContain(question.against);
    }
  },
);

const WITHOUT_OWN = experiments.filter(({ measure }) => measure === undefined);

test.each(WITHOUT_OWN)("$id cannot tell when nothing was measured, and does not fail", (one) => {
  const { verdict, reason } = decided(one, NOTHING);
  expect(verdict).toBe("inconclusive");
  expect(reason).toMatch(/\w/);
});

describe("claims that contrasts decide", () => {
  test.each([
    ["same-engine", 1.05, "reproduced"],
    ["same-engine", 1.6, "not reproduced"],
    ["trig", 3.1, "reproduced"],
    ["trig", 1.2, "not reproduced"],
    ["stream-copies", 1.5, "reproduced"],
    ["stream-copies", 1, "not reproduced"],
    ["node-env", 3, "reproduced"],
    ["node-env", 1, "not reproduced"],
    ["one-vcpu", 1, "reproduced"],
    ["one-vcpu", 0.8, "not reproduced"],
    ["second-core", 0.8, "reproduced"],
    ["concurrent-recompilation", 1.6, "reproduced"],
    ["concurrent-recompilation", 1, "not reproduced"],
    ["concurrent-recompilation", 0.8, "reversed"],
    ["young-generation", 1.3, "reproduced"],
    ["young-generation", 1, "not reproduced"],
    ["nagle", 20, "reproduced"],
    ["nagle", 1.1, "not reproduced"],
  ])("%s with a ratio of %d: %s", (id, ratio, verdict) => {
    const found = outcomeOf(id, () => ratio);
    expect(found.verdict).toBe(verdict);
    for (const { head, rows } of found.tables) for (const row of rows) expect(row).toHaveLength(head.length);
  });

  const reviver = (withOne: number, without: number) => (side: string, against: string) =>
    against.endsWith("without") && side.endsWith("with") ? 4 : side.endsWith("without") ? without : withOne;

  test.each([
    [1.6, 1.2, "reproduced"],
    [1.6, 1.6, "inconclusive"],
    [1.05, 1, "not reproduced"],
  ])("a reviver %d times as slow, and %d without one: %s", (withOne, without, verdict) => {
    expect(outcomeOf("reviver", reviver(withOne, without)).verdict).toBe(verdict);
  });

  test("the gain of the reviver needs engines on either side of the change", () => {
    const versions = { ...V8, "V8 in Node.js": "14.4.1" };
    const { verdict, figures } = outcomeOf("reviver", () => 4, { versions });
    expect(verdict).toBe("inconclusive");
    expect(figures.map(({ note }) => note).join()).toContain("14.4.1");
  });

  test.each([
    [5, "reproduced"],
    [1.1, "not reproduced"],
    [2, "inconclusive"],
  ])("first-byte with a last byte %d times as late as the first: %s", (ratio, verdict) => {
    const more = () => ({ firstByteMs: around(10), lastByteMs: around(10 * ratio) });
    expect(outcomeOf("first-byte", () => 1, { more }).verdict).toBe(verdict);
  });

  test("a ratio that one core or spacing changes is said to be another answer", () => {
    const bySpacing = outcomeOf("spacing", (_, __, plan) => (plan.spacing === 1 ? 0.9 : 0.6));
    const byCores = outcomeOf("second-core", (side) => (side.endsWith("one") ? 0.9 : 0.6));
    expect([bySpacing.verdict, byCores.verdict]).toEqual(["not reproduced", "not reproduced"]);
  });
});

describe("force-dynamic", () => {
  test.each([
    ["one platform renders and the others do not", [0.02, 0.125], [1, 1], "reproduced", 1],
    ["they differ only when requests come at once", [1, 1], [1, 0.125], "reproduced", 1],
    ["all do the same", [0.02, 0.125], [0.02, 0.125], "not reproduced", 1],
    ["the pin does not hold", [1, 1], [1, 1], "inconclusive", 0.125],
  ] as const)("where %s", (_, [alone, atOnce], [cloudflareAlone, cloudflareAtOnce], verdict, forced) => {
    const isCloudflare = (target: string) => target === "next-cloudflare";
    const own = Object.fromEntries(
      ["next-node", "next-cloudflare", "next-vercel"].flatMap((target) => [
        [`${target}, forced`, forced],
        [`${target}, not forced`, isCloudflare(target) ? cloudflareAtOnce : atOnce],
      ]),
    );
    const found = outcomeOf("force-dynamic", () => 1, {
      own,
      more: (side, { id }) => ({
        rendersPerRequest: side === "forced" ? 1 : isCloudflare(id) ? cloudflareAlone : alone,
      }),
    });
    expect(found.verdict).toBe(verdict);
    expect(found.reason).toContain(forced === 1 ? `next-node ${alone.toFixed(2)}` : "control failed");
    for (const { head, rows } of found.tables) for (const row of rows) expect(row).toHaveLength(head.length);
  });
});

test.each([
  [[0.15, 0.16, 0.15], "reproduced"],
  [[0.02, 0.021, 0.022], "not reproduced"],
  [[0.4, 0.41, 0.42], "not reproduced"],
  [[0.09, 0.12, 0.1], "inconclusive"],
  [[0.15], "inconclusive"],
  [[], "inconclusive"],
])("a collector's share of %j is %s", (shares, verdict) => {
  const own = [{ target: "node", caseId: "react-ssr", shares, why: null }];
  expect(outcomeOf("gc-share", () => 1, { own }).verdict).toBe(verdict);
});

describe("price", () => {
  const price = (platform: string, usdPerCpuHour: number) => ({
    ...{ platform, title: "Plan", usdPerCpuHour, stated: `$${usdPerCpuHour}` },
    ...{ readOn: "2026-11-21", source: "https://example.com/" },
  });

  test("is reproduced while the prices are the published ones, and costs a million requests by their CPU time", () => {
    const { verdict, figures } = outcomeOf("price", () => 1, {
      own: [price("vercel", 0.128), price("cloudflare", 0.072)],
      more: () => ({ cpuMsPerExchange: around(3.6) }),
    });
    expect(verdict).toBe("reproduced");
    // A million requests of 3.6 ms are an hour.
    const costs = figures.filter(({ label }) => label.includes("million"));
    expect(costs.map(({ value }) => value?.estimate)).toEqual([expect.closeTo(0.128), expect.closeTo(0.072)]);
  });

  test("is not when a price has changed, and says when it was read", () => {
    const own = [price("vercel", 0.2), price("cloudflare", 0.072)];
    const { verdict, figures } = outcomeOf("price", () => 1, { own });
    expect([verdict, figures[0]?.verdict]).toEqual(["not reproduced", "not reproduced"]);
    expect(figures[0]?.note).toContain("2026-11-21");
  });
});

test.each([
  [[1.5, 3], "reproduced"],
  [[0.8, 1.3], "not reproduced"],
  [[0.8, 2], "inconclusive"],
  [null, "inconclusive"],
])("correlated-noise with an excess of %j: %s", (excess, verdict) => {
  const [low, high] = excess ?? [];
  const own = excess && {
    ...{ trials: 20, rounds: 1000, observed: 0.02, explained: 0.01 },
    excess: { estimate: 1, low, high },
  };
  expect(outcomeOf("correlated-noise", () => 1, { own }).verdict).toBe(verdict);
});

const closed = (connections: number): OfferedLoad => ({ kind: "closed", connections });

/** One side at one load, in three trials that differ by a little. */
function stages(
  target: string,
  load: OfferedLoad,
  { latencyMs, ...seen }: Partial<StageSummary> & { readonly latencyMs: number; readonly perSecond: number },
): StageSummary[] {
  return [0.99, 1, 1.01].map((scatter, trial) => {
    const ms = latencyMs * scatter;
    const { inFlightMean = 0, cpuMsPerExchange = 10 } = seen;
    return {
      stage: { target, load, trial, client: { wallMs: 1000, cpuMs: 100 } },
      ...{ errors: 0, serviceMeanMs: ms, outstandingMean: 0 },
      latency: { mean: ms, p50: ms, p95: ms, p99: ms, most: ms },
      ...seen,
      perSecond: seen.perSecond * scatter,
      inFlightMean: (inFlightMean ?? 0) * scatter,
      cpuMsPerExchange: (cpuMsPerExchange ?? 0) * scatter,
    } as StageSummary;
  });
}

const answer = (...all: StageSummary[][]): LoadAnswer => ({ stages: all.flat(), tables: [], notes: [] });
const verdicts = (figures: readonly { readonly verdict: string | null }[]) =>
  figures.map(({ verdict }) => verdict);

test("stages are averaged over trials, and divided within them", () => {
  const [one, eight] = [1, 8].map((offered) => ({ side: "a", offered })) as [StagePlace, StagePlace];
  const two = answer(
    ...[one, eight].map(({ offered }) =>
      stages("a", closed(offered), { latencyMs: 10 * offered, perSecond: 100 }),
    ),
  );
  const latency = (summary: StageSummary) => summary.latency?.mean ?? null;
  expect(valueAt(two, { at: one, value: latency })?.estimate).toBeCloseTo(10);
  const ratio = valueAt(two, { at: eight, against: one, value: latency });
  expect([ratio?.estimate, ratio?.high]).toEqual([expect.closeTo(8), expect.closeTo(8)]);
});

test.each([
  ["the CPU time does not", 10.5, "reproduced", "reproduced"],
  ["the CPU time does, too", 40, "not reproduced", "not reproduced"],
])(
  "head-of-line, where the wait grows, and a second instance takes of it: %s",
  (_, cpuMsPerExchange, ofCpu, verdict) => {
    const platforms = ["cloudflare", "node", "vercel"];
    const sweep = (platform: string) => [
      stages(platform, closed(1), { latencyMs: 10, perSecond: 100 }),
      stages(platform, closed(4), { latencyMs: 40, perSecond: 100 }),
      stages(platform, closed(32), { latencyMs: 320, perSecond: 100, cpuMsPerExchange }),
      stages(`${platform} x2`, closed(4), { latencyMs: 20, perSecond: 200 }),
    ];
    const loads = { "react-ssr": answer(...platforms.flatMap(sweep)) };
    const found = outcomeOf("head-of-line", () => 1, { loads });
    expect(found.verdict).toBe(verdict);
    expect(verdicts(found.figures)).toEqual(platforms.flatMap(() => ["reproduced", ofCpu, "reproduced"]));
  },
);

test.each([
  [204, "reproduced"],
  [100, "not reproduced"],
])("pool-limit, where %i wait: %s", (waiting, verdict) => {
  const rate = { kind: "open", perSecond: 200, arrivals: "poisson", connections: 512 } as const;
  const burst = { latencyMs: 506, perSecond: 440, inFlightMean: waiting + 19 };
  const loads = {
    burst: answer(stages("pool of 20", closed(225), burst)),
    rate: answer(
      stages("pool of 100", rate, { latencyMs: 46, perSecond: 200, inFlightMean: 9.2 }),
      stages("pool of 5", rate, { latencyMs: 2000, perSecond: 110, inFlightMean: 200 }),
    ),
  };
  const found = outcomeOf("pool-limit", () => 1, { loads });
  expect(found.verdict).toBe(verdict);
  expect(verdicts(found.figures).slice(0, 3)).toEqual([verdict, "reproduced", "reproduced"]);
});

describe("cluster", () => {
  const one = "1 worker";
  const scaling = (ratio: number, cores: number) =>
    answer(
      stages(one, closed(10), { latencyMs: 100, perSecond: 100 }),
      stages(`${cores} workers`, closed(10), { latencyMs: 50, perSecond: 100 * ratio }),
    );
  const decidedOn = (cores: number, ratio: number) => {
    const seen = scaling(ratio, cores);
    const loads = { "next-landing": seen, "next-page": seen };
    return decided({ ...clusterOn(cores), id: "cluster" } as Experiment, { ...NOTHING, loads });
  };

  test.each([
    [2.5, "reproduced"],
    [1.1, "not reproduced"],
  ])("with cores enough, %d times the answers of one process: %s", (ratio, verdict) => {
    expect(decidedOn(8, ratio).verdict).toBe(verdict);
  });

  test("shows its figures and decides nothing where the machine has too few cores for the published ratio", () => {
    const { verdict, reason, figures } = decidedOn(2, 1.9);
    expect(verdict).toBe("inconclusive");
    expect(reason).toContain("this machine has 2 cores");
    expect(verdicts(figures).every((one) => one === null)).toBe(true);
  });
});
