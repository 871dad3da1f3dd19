import { testSample } from "@evenbench/stats/testing";
import { expect, test } from "vitest";
import { analysedWithCpu, type CpuOf, STEADY_CPU } from "../test/synthetic.ts";
import measured from "../test-data/warm-exchanges.json" with { type: "json" };
import type { AnalysedRun } from "./analyse-run.ts";
import { makeFacts } from "./facts/make-facts.ts";
import { kindsByTarget, kindsOf } from "./kinds.ts";

/** CPU time of exchanges of warm instances, two of each target, on one core. */
const ofMeasured = (name: string) => measured.find((target) => target.name === name)?.cpuMs ?? [];

test.each([
  // A collection in every second one.
  ["react-ssr on cloudflare", 13, 22.8, 0.49],
  ["sveltekit-page on cloudflare", 13.4, 36.5, 0.6],
  ["sveltekit-page on node", 24.4, 51.9, 0.7],
])("measured exchanges of %s come in two kinds", (name, low, high, share) => {
  const { ofExchanges, ofInstances } = kindsOf(ofMeasured(name), "cpuMs");
  const { lowMs = 0, lowCount: often = 0, highMs = 0, highCount: seldom = 0 } = ofExchanges ?? {};
  expect(Math.abs(lowMs / low - 1)).toBeLessThan(0.03);
  expect(Math.abs(highMs / high - 1)).toBeLessThan(0.03);
  expect(Math.abs(often / (often + seldom) - share)).toBeLessThan(0.08);
  expect(ofInstances).toBe(null);
});

test.each(["next-landing on node", "json-reviver on vercel", "trig on cloudflare", "next-api on vercel"])(
  "measured exchanges of %s are of one kind",
  (name) => expect(kindsOf(ofMeasured(name), "cpuMs").ofExchanges).toBe(null),
);

test("instances on two levels come in two kinds, and on one level, or where the others were not warm, in one", () => {
  const levels = [10, 10.1, 9.9, 10, 10.1, 9.9, 20, 20.1, 19.9];
  const samples = levels.flatMap((cpuMs, trial) =>
    Array.from({ length: 10 }, (_, roundIndex) => testSample({ trial, roundIndex, cpuMs })),
  );
  const kinds = (warm: Parameters<typeof kindsByTarget>[3]) =>
    kindsByTarget(samples, ["node"], "cpuMs", warm).find(({ of }) => of === "instances");
  expect(kinds(new Map())).toMatchObject({ highMs: 20, highCount: 3 });
  const cold = new Map([6, 7, 8].map((trial) => [trial, { code: "still-falling" } as const]));
  expect(kinds(new Map([["node", cold]]))).toBeUndefined();
});

/** The collector runs in every second or third exchange of one target. */
const collecting =
  (every: number, extraMs: number): CpuOf =>
  (sample) => {
    const { caseId, target, roundIndex } = sample;
    if (caseId !== "react-ssr" || target !== "cloudflare") {
      return STEADY_CPU(sample);
    }
    return 13 + 0.1 * Math.sin(sample.startedAtMs) + (roundIndex % every === 0 ? extraMs : 0);
  };

const kindsIn = (data: AnalysedRun, caseId: string, target: string) => {
  const { details } = makeFacts(data, []);
  const found = details.cases.find((each) => each.case === caseId);
  return found?.kinds.filter((each) => each.target === target) ?? [];
};

test("two kinds of exchanges, or of instances, are details of their target", () => {
  const data = analysedWithCpu({ rounds: 40 }, collecting(2, 10));
  const [kinds] = kindsIn(data, "react-ssr", "cloudflare");
  expect(kinds).toMatchObject({ of: "requests", metric: "cpuMs", lowCount: 100, highCount: 100 });
  expect(kinds?.lowMs).toBeCloseTo(13, 0);
  expect(kindsIn(data, "react-ssr", "vercel")).toEqual([]);

  const instances = analysedWithCpu({ rounds: 20, trials: 10 }, (sample) => {
    const slow = sample.caseId === "trig" && sample.target === "vercel" && sample.trial % 2 === 0;
    return 30 * (1 + 0.02 * Math.sin(sample.startedAtMs)) * (slow ? 1.4 : 1);
  });
  expect(kindsIn(instances, "trig", "vercel")).toMatchObject([
    { of: "instances", lowCount: 5, highCount: 5 },
  ]);
});

const flagsIn = (data: AnalysedRun, caseId: string, metric: string) => {
  const { facts } = makeFacts(data, []);
  const main = facts.changes.filter(({ role }) => role === "main");
  const own = main.filter((change) => change.case === caseId && change.metric === metric);
  return own.map(({ verdict, why, flags }) => ({ verdict, why, isMarked: flags.includes("copy-differs") }));
};

test("where a copy differs in time, the verdicts of its case have a flag, and those of others none", () => {
  const data = analysedWithCpu({ rounds: 20 }, undefined, (sample) => {
    const isSlower = sample.caseId === "trig" && sample.target === "node~copy" && sample.lastByteMs !== null;
    return isSlower ? { ...sample, lastByteMs: 1.3 * (sample.lastByteMs ?? 0) } : sample;
  });
  expect(flagsIn(data, "trig", "lastByteMs").map(({ isMarked }) => isMarked)).toEqual([true, true]);
  expect(flagsIn(data, "empty", "lastByteMs").map(({ isMarked }) => isMarked)).toEqual([false, false]);
});

test("where a copy differs in CPU time alone, CPU time decides nothing there", () => {
  const ofTrig = { node: 30, "node~copy": 40 } as Readonly<Record<string, number>>;
  const cpu: CpuOf = ({ caseId, target, startedAtMs }) => {
    const level = caseId === "trig" ? (ofTrig[target] ?? 90) : 30;
    return level * (1 + 0.01 * Math.sin(startedAtMs));
  };
  const data = analysedWithCpu({ rounds: 60, seed: 3 }, cpu);
  const withheld = { verdict: "none", why: "copy-differs", isMarked: false };
  expect(flagsIn(data, "trig", "cpuMs")).toEqual([withheld, withheld]);
  expect(flagsIn(data, "trig", "lastByteMs").map(({ isMarked }) => isMarked)).toEqual([false, false]);
});

test("trials in which all servers of this machine took longer are a notice, with how much; servers elsewhere say nothing of it", () => {
  const data = analysedWithCpu({ rounds: 20 }, STEADY_CPU, (sample) => {
    const isSlow = sample.caseId === "trig" && sample.trial === 3;
    const lastByteMs = sample.lastByteMs && sample.lastByteMs * (isSlow ? 1.6 : 1);
    // Longer times need more room.
    return { ...sample, startedAtMs: 3 * sample.startedAtMs, lastByteMs };
  });
  const { notices } = makeFacts(data, []).facts;
  expect(notices).toMatchObject([{ code: "machine-unsteady", found: [{ case: "trig", target: null }] }]);
  expect(notices[0]?.found[0]?.numbers.longer).toBeCloseTo(0.6, 1);
  const targets = data.run.plan.targets.map((target) => ({ ...target, url: "https://elsewhere.example/" }));
  const elsewhere = { ...data, run: { ...data.run, plan: { ...data.run.plan, targets } } };
  expect(makeFacts(elsewhere, []).facts.notices).toEqual([]);
});

test("a warm-up's details say from which exchange on a target is warm, where that was found, and what the first ones cost", () => {
  const warmUpIn = (data: AnalysedRun) =>
    makeFacts(data, [])
      .details.cases.find((each) => each.case === "trig")
      ?.warmUps.find(({ target }) => target === "node");
  const { warmFrom, first = [] } = warmUpIn(analysedWithCpu({ rounds: 120 })) ?? {};
  const [ten] = first;
  expect(warmFrom).toBe(6);
  // The synthetic warm-up: five exchanges of one and a half times the usual 30 ms.
  expect(ten?.lastByteMs).toBeGreaterThan(5 * 15 * 0.6);
  expect(ten?.lastByteMs).toBeLessThan(5 * 15 * 1.6);
  const unknown = analysedWithCpu({ rounds: 120 }, STEADY_CPU, (sample) => sample, null);
  expect(warmUpIn(unknown)?.warmFrom).toBe(null);
});
