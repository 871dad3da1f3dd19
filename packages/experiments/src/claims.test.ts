// What experiments decide, from data that was made up to have a known answer.
import type { StageSummary } from "@evenbench/load";
import type { OfferedLoad } from "@evenbench/results";
import { seededRandom } from "@evenbench/stats";
import { simulateSamples, TEST_SCENARIO } from "@evenbench/stats/testing";
import { describe, expect, test } from "vitest";
import { clusterOn } from "../cluster/experiment.ts";
import { noiseOf } from "../correlated-noise/experiment.ts";
import { around, experiment, experiments, measured } from "../test/measured.ts";
import type { ComparisonPlan, Experiment, LoadAnswer, MeasuredEvidence } from "./define.ts";
import { decided } from "./judge.ts";
import { valueAt } from "./load-sides.ts";
import { besideFirst } from "./run.ts";
import type { SideResult } from "./side-results.ts";

const V8 = { "V8 in Node.js": "13.6.1 and 14.6.2", "V8 in workerd": "15.8.2" };
const NOTHING = { comparisons: {}, loads: {}, measured: undefined, versions: V8 };

type Given = Partial<MeasuredEvidence> & {
  /** Default: 1. */
  ratioOf?(side: string, against: string, plan: ComparisonPlan): number;
  more?(side: string, plan: ComparisonPlan): Partial<SideResult>;
};

/** Decides a claim whose contrasts and sides are as given. */
function outcomeOf(id: string, { ratioOf = () => 1, more = () => ({}), ...given }: Given) {
  const claim = experiment(id);
  const comparisons = (claim.comparisons ?? []).map((plan) => [
    plan.id,
    measured(
      plan,
      (side, against) => ratioOf(side, against, plan),
      (side) => more(side, plan),
    ),
  ]);
  return decided(claim, { ...NOTHING, comparisons: Object.fromEntries(comparisons), measured: [], ...given });
}

test.each(experiments)(
  "$id asks for sides and ratios that its comparisons have",
  ({ figures = [], comparisons = [] }) => {
    for (const question of figures) {
      if ("load" in question) {
        continue;
      }
      const { sides = [], contrasts } = comparisons.find(({ id }) => id === question.comparison) ?? {};
      const [first, ...others] = sides.map(({ name }) => name);
      expect([first, ...others]).toContain(question.side);
      if ("against" in question) {
        expect(contrasts ?? others.map((side) => [side, first])).toContainEqual([
          question.side,
          question.against,
        ]);
      }
    }
  },
);

test.each(experiments.filter(({ measure }) => measure === undefined))(
  "$id cannot tell when nothing was measured, and does not fail",
  (claim) => {
    const reason = expect.stringMatching(/\w/);
    expect(decided(claim, NOTHING)).toMatchObject({ verdict: "unclear", reason });
  },
);

test.each([
  ["same-engine", 1.05, "reproduced"],
  ["trig", 3.1, "reproduced"],
  ["stream-copies", 1.5, "reproduced"],
  ["node-env", 3, "reproduced"],
  ["one-vcpu", 1, "reproduced"],
  ["second-core", 0.8, "reproduced"],
  ["concurrent-recompilation", 1.6, "reproduced"],
  ["young-generation", 1.3, "reproduced"],
  ["nagle", 20, "reproduced"],
])("the claim %s, where the ratio is %d, is %s", (id, ratio, verdict) => {
  expect(outcomeOf(id, { ratioOf: () => ratio }).verdict).toBe(verdict);
});

const reviver = (withOne: number, without: number): Given => ({
  ratioOf: (side, against) => {
    if (side.endsWith("without")) {
      return without;
    }
    return against.endsWith("without") && side.endsWith("with") ? 4 : withOne;
  },
});
const lastByte = (times: number): Given => ({
  more: () => ({ firstByteMs: around(10), lastByteMs: around(10 * times) }),
});
const inBlocks: Given = { ratioOf: (_, __, { spacing }) => (spacing === 1 ? 0.9 : 0.6) };
const onOneCore: Given = { ratioOf: (side) => (side.endsWith("one") ? 0.9 : 0.6) };
const collector = (...shares: readonly number[]): Given => ({
  measured: [{ target: "node", caseId: "react-ssr", shares, why: null }],
});
const noise = (low: number, high: number): Given => ({
  measured: { rounds: 1000, observed: 0.02, explained: 0.01, excess: { estimate: 1, low, high } },
});

test.each<[id: string, verdict: string, what: string, given: Given]>([
  [
    "reviver",
    "reproduced",
    "the older engine is 1.6 times as slow, and 1.2 without a reviver",
    reviver(1.6, 1.2),
  ],
  ["reviver", "reproduced in part", "the older engine is as slow without a reviver", reviver(1.6, 1.6)],
  ["reviver", "reproduced in part", "a reviver hardly slows", reviver(1.05, 1)],
  ["first-byte", "reproduced", "the last byte comes five times as late as the first", lastByte(5)],
  ["first-byte", "not reproduced", "the last byte comes hardly later than the first", lastByte(1.1)],
  ["first-byte", "unclear", "the last byte comes as late as decides", lastByte(2)],
  ["spacing", "reproduced in part", "requests in blocks give another answer", inBlocks],
  ["second-core", "not reproduced", "one core gives another answer", onOneCore],
  [
    "gc-share",
    "reproduced",
    "the collector's share lies within what was published",
    collector(0.15, 0.16, 0.15),
  ],
  ["gc-share", "not reproduced", "the collector's share lies below it", collector(0.02, 0.021, 0.022)],
  ["gc-share", "unclear", "the collector's share lies across its end", collector(0.09, 0.12, 0.1)],
  ["gc-share", "unclear", "one profile was made", collector(0.15)],
  ["correlated-noise", "reproduced", "trials scatter more than requests explain", noise(1.5, 3)],
  ["correlated-noise", "not reproduced", "trials scatter as requests explain", noise(0.8, 1.3)],
  ["correlated-noise", "unclear", "trials may scatter more than requests explain", noise(0.8, 2)],
  ["correlated-noise", "unclear", "nothing is known of the scatter", { measured: null }],
])("the claim %s is %s where %s", (id, verdict, _, given) => {
  expect(outcomeOf(id, given).verdict).toBe(verdict);
});

test("scatter between trials is computed from the samples of a run, and is unknown with four trials", () => {
  const scenario = { ...TEST_SCENARIO, instanceSd: 0.1 };
  const samplesOf = (trials: number) =>
    simulateSamples({ ...scenario, trials }, 1, seededRandom(1), "html-template");
  const noise = noiseOf(samplesOf(20));
  expect(noise?.rounds).toBe(20 * TEST_SCENARIO.roundsPerTrial);
  expect(noise?.excess.low).toBeGreaterThan(1);
  expect(noiseOf(samplesOf(4))).toBeNull();
});

test("the gain of the reviver needs engines on either side of the change", () => {
  const versions = { ...V8, "V8 in Node.js": "14.4.1 and 14.6.2" };
  const { verdict, figures } = outcomeOf("reviver", { ratioOf: () => 4, versions });
  expect(verdict).toBe("reproduced in part");
  expect(figures.map(({ note }) => note).join()).toContain("14.4.1");
});

test.each([
  ["one platform renders and the others do not", [0.02, 0.125], [1, 1], "reproduced", 1],
  ["they differ only when requests come at once", [1, 1], [1, 0.125], "reproduced", 1],
  ["all do the same", [0.02, 0.125], [0.02, 0.125], "not reproduced", 1],
  ["the pin does not hold", [1, 1], [1, 1], "unclear", 0.125],
  ["a side fails", [1, 1], [1, 1], "unclear", "no answer"],
] as const)(
  "the claim force-dynamic is judged by how often pages are rendered: %s",
  (_, others, cloudflare, verdict, forced) => {
    const rendered = (target: string) => (target === "next-cloudflare" ? cloudflare : others);
    const targets = ["next-node", "next-cloudflare", "next-vercel"];
    const renderings = targets.flatMap((target) => [
      [`${target}, forced`, forced],
      [`${target}, not forced`, rendered(target)[1]],
    ]);
    const found = outcomeOf("force-dynamic", {
      measured: Object.fromEntries(renderings),
      more: (side, { id }) => ({ rendersPerRequest: side === "forced" ? 1 : rendered(id)[0] }),
    });
    expect(found.verdict).toBe(verdict);
    const failed = forced === "no answer" ? "next-node, forced, 8 at once: no answer" : "control failed";
    expect(found.reason).toContain(forced === 1 ? `next-node ${others[0].toFixed(2)}` : failed);
  },
);

test.each([
  [0.128, "reproduced"],
  [0.2, "not reproduced"],
])(
  "the first part of the claim price, where an hour costs $%d on Vercel, is %s; what a million requests cost follows their CPU time",
  (usdOnVercel, verdict) => {
    const prices = Object.entries({ vercel: usdOnVercel, cloudflare: 0.072 }).map(
      ([platform, usdPerCpuHour]) => ({
        platform,
        title: "Plan",
        usdPerCpuHour,
        stated: `$${usdPerCpuHour}`,
        readOn: "2026-11-21",
        source: "https://example.com/",
      }),
    );
    const more = () => ({ cpuMsPerExchange: around(3.6) });
    const found = outcomeOf("price", { measured: prices, more });
    const ofClaim = verdict === "reproduced" ? verdict : "reproduced in part";
    expect([found.verdict, found.figures[0]?.verdict]).toEqual([ofClaim, verdict]);
    expect(found.figures[0]?.note).toContain("2026-11-21");
    // A million requests of 3.6 ms are an hour.
    const costs = found.figures.filter(({ label }) => label.includes("million"));
    const known = [usdOnVercel, 0.072].map((usd) => expect.closeTo(usd));
    expect(costs.map(({ value }) => value?.estimate)).toEqual(known);
  },
);

const closed = (connections: number): OfferedLoad => ({ kind: "closed", connections });

/** Makes the stages of one side at one load, in three trials that differ by a little. */
function stages(target: string, load: OfferedLoad, seen: Readonly<Record<string, number>>): StageSummary[] {
  return [0.99, 1, 1.01].map((scatter, trial) => {
    const scattered = Object.entries(seen).map(([name, value]) => [name, value * scatter]);
    const { latencyMs, ...numbers } = Object.fromEntries(scattered);
    const times = { serviceMeanMs: latencyMs, latency: { mean: latencyMs } };
    return { stage: { target, load, trial }, ...times, ...numbers } as StageSummary;
  });
}

const answer = (...all: StageSummary[][]): LoadAnswer => ({ stages: all.flat(), folder: "", notes: [] });
const verdicts = (figures: readonly { readonly verdict: string | null }[]) =>
  figures.map(({ verdict }) => verdict);

test("stages are averaged over trials, and divided within them", () => {
  const two = answer(...[1, 8].map((offered) => stages("a", closed(offered), { latencyMs: 10 * offered })));
  const [single, eight] = [1, 8].map((offered) => ({ side: "a", offered })) as [never, never];
  const value = (summary: StageSummary) => summary.latency?.mean ?? null;
  expect(valueAt(two, { at: single, value })?.estimate).toBeCloseTo(10);
  const ratio = valueAt(two, { at: eight, against: single, value });
  expect([ratio?.estimate, ratio?.high]).toEqual([expect.closeTo(8), expect.closeTo(8)]);
});

test.each([
  ["the CPU time does not", 10.5, "reproduced"],
  ["the CPU time does, too", 40, "not reproduced"],
])(
  "the claim head-of-line, where the wait grows and a second instance takes of it, is decided by CPU time: %s",
  (_, cpuMsPerExchange, verdict) => {
    const platforms = ["cloudflare", "node", "vercel"];
    const at = (target: string, connections: number, latencyMs: number, cpuMs = 10) =>
      stages(target, closed(connections), { latencyMs, cpuMsPerExchange: cpuMs });
    const sweep = (platform: string) => [
      at(platform, 1, 10),
      at(platform, 4, 40),
      at(platform, 32, 320, cpuMsPerExchange),
      at(`${platform} x2`, 4, 20),
    ];
    const loads = { "react-ssr": answer(...platforms.flatMap(sweep)) };
    const found = outcomeOf("head-of-line", { loads });
    expect(found.verdict).toBe(verdict === "reproduced" ? verdict : "reproduced in part");
    // The claim speaks of isolates: the other platforms stand beside it.
    const beside = Array.from({ length: 6 }, () => null);
    expect(verdicts(found.figures)).toEqual(["reproduced", verdict, "reproduced", ...beside]);
  },
);

test.each([
  [204, "reproduced"],
  [100, "not reproduced"],
])("the first part of the claim pool-limit, where %i wait, is %s", (waiting, verdict) => {
  const rate = { kind: "open", perSecond: 200, arrivals: "poisson", connections: 512 } as const;
  const burst = { latencyMs: 506, perSecond: 440, inFlightMean: waiting + 19 };
  const loads = {
    burst: answer(stages("pool of 20", closed(225), burst)),
    rate: answer(
      stages("pool of 100", rate, { latencyMs: 46, perSecond: 200, inFlightMean: 9.2 }),
      stages("pool of 5", rate, { latencyMs: 2000, perSecond: 110, inFlightMean: 200 }),
    ),
  };
  const found = outcomeOf("pool-limit", { loads });
  expect(found.verdict).toBe(verdict === "reproduced" ? verdict : "reproduced in part");
  expect(verdicts(found.figures)).toEqual([verdict, "reproduced", null, null]);
});

describe("the claim cluster", () => {
  const decidedOn = (cores: number, ratio: number) => {
    const seen = answer(
      stages("1 worker", closed(10), { perSecond: 100 }),
      stages(`${cores} workers`, closed(10), { perSecond: 100 * ratio }),
    );
    const loads = { "next-landing": seen, "next-page-large": seen };
    return decided({ ...clusterOn(cores), id: "cluster" } as Experiment, { ...NOTHING, loads });
  };

  test.each([
    [2.5, "reproduced"],
    [1.1, "not reproduced"],
  ])("with cores enough and %d times the answers of one process is %s", (ratio, verdict) => {
    expect(decidedOn(8, ratio).verdict).toBe(verdict);
  });

  test("shows its figures and decides nothing where the machine has too few cores for the published ratio", () => {
    const { verdict, reason, figures } = decidedOn(2, 1.9);
    expect(verdict).toBe("unclear");
    expect(reason).toContain("this machine has 2 cores");
    expect(verdicts(figures)).toEqual([null, null, null, null]);
  });
});

test("what stands beside a claim is measured first, and leaves its time to the claim's parts", () => {
  expect(besideFirst(experiment("young-generation")).map(({ id }) => id)).toEqual([
    "node-sizes",
    "cloudflare-sizes",
    "node-churn",
    "node-page",
    "cloudflare-churn",
    "cloudflare-page",
  ]);
});
