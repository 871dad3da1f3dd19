import { type RunTarget, type Sample, SampleTable } from "@evenbench/results";
import { expect, test } from "vitest";
import { analysed, analysedApps, syntheticRun, syntheticSamples } from "../test/synthetic.ts";
import type { AnalysedRun } from "./analyse-run.ts";
import { analyseRun } from "./analyse-run.ts";
import type { Facts } from "./facts/facts.ts";
import { makeFacts } from "./facts/make-facts.ts";
import { factsSoFar } from "./facts/so-far.ts";
import { soFar } from "./media/so-far.ts";
import { terminal } from "./media/terminal.ts";

const plainOutput = { width: 100, color: false };
const factsOf = (data: AnalysedRun): Facts => makeFacts(data, []).facts;
const printed = (data: AnalysedRun) => terminal(factsOf(data), { ...plainOutput, report: null });
const among = (change: (targets: readonly RunTarget[]) => readonly RunTarget[]) =>
  analysed({ rounds: 10 }, (run) => ({ ...run, plan: { ...run.plan, targets: change(run.plan.targets) } }));

test("a report finds the differences that were put into the samples, and no others; against another target a ratio is the inverse", () => {
  const data = analysed({});
  expect(factsOf(data).notices).toEqual([]);
  const verdicts = data.cases.map(({ manifest, lastByte }) => [
    manifest.id,
    ...(lastByte?.comparisons.map(({ target, verdict }) => `${target} ${verdict}`) ?? []),
  ]);
  expect(verdicts).toEqual([
    ["empty", "cloudflare slower", "vercel slower"],
    ["react-ssr", "cloudflare same", "vercel slower"],
    ["trig", "cloudflare slower", "vercel same"],
    ["react-ssr-native", "cloudflare faster", "vercel same"],
  ]);

  const [first] = data.cases;
  const { estimate, low, high } = first?.lastByte?.comparisons[0]?.ratio ?? { estimate: 0, low: 0, high: 0 };
  const { lastByte } = first?.against.find(({ baseline }) => baseline === "cloudflare") ?? {};
  expect(lastByte).toMatchObject({ baseline: "cloudflare", control: null });
  expect(lastByte?.comparisons).toMatchObject([
    { target: "node", verdict: "faster", ratio: { estimate: 1 / estimate, low: 1 / high, high: 1 / low } },
    { target: "vercel", baseline: "cloudflare", verdict: "faster" },
  ]);
});

const DROPPED = { atMs: 1, kind: "target-dropped", caseId: "trig", target: "cloudflare", trial: 1 } as const;

test.each([
  ["was dropped after it answered for a while", 0],
  ["has no measured answer", 1],
])("a target that %s has no result, and no advice to measure longer", (_, failEvery) => {
  const detail = "cloudflare was dropped from trig: HTTP 500 in 12 of 30 requests.";
  const isFailed = ({ caseId, target, phase }: Sample) =>
    failEvery === 1 && caseId === "trig" && target === "cloudflare" && phase === "measure";
  const run = syntheticRun({ events: [{ ...DROPPED, detail }] });
  const error = { kind: "status", detail: "HTTP 500" } as const;
  const samples = Array.from(syntheticSamples(run, {}), (sample) =>
    isFailed(sample) ? { ...sample, error, firstByteMs: null, lastByteMs: null } : sample,
  );
  const data = analyseRun(run, SampleTable.from(samples));
  const trig = data.cases.find(({ manifest }) => manifest.id === "trig");
  expect(trig?.lastByte?.comparisons[0]).toMatchObject({
    target: "cloudflare",
    verdict: "no result",
    ratio: null,
  });
  expect(trig?.cpu.find(({ target }) => target === "cloudflare")?.compared ?? null).toBeNull();
  const facts = factsOf(data);
  const ofTrig = facts.changes.filter((change) => change.case === "trig" && change.target === "cloudflare");
  const main = ofTrig.filter(({ role, metric }) => role === "main" && metric === "lastByteMs");
  expect(main).toMatchObject([{ verdict: "none", estimate: null, low: null, high: null }]);
  expect(["no-answer", "dropped"]).toContain(main[0]?.why);
  expect(facts.notices[0]).toMatchObject({ code: "target-dropped", weight: "void" });
  expect(facts.next).toEqual([]);
});

test("a run whose end is before its start names no duration, and is not damaged", () => {
  const facts = factsOf(
    analysed({ rounds: 10 }, (run) => ({ ...run, finishedAt: "2026-11-20T00:00:00.000Z" })),
  );
  expect(facts.run.tookMs).toBeNull();
  expect(facts.notices).toEqual([]);
});

test("while a run goes on the same table says what is known so far, of one trial without an interval", () => {
  const soFarOf = (trials: number) => {
    const { run, cases } = analysed({ trials });
    const analyses = cases.flatMap(({ lastByte }) => lastByte ?? []);
    return soFar(factsSoFar(run, analyses), plainOutput);
  };
  const [title, , ...rows] = soFarOf(1);
  expect(title).toBe("So far, after 1 trial of each case:");
  expect(rows[0]).toMatch(/^Empty +\S+ ms +\S \+\d+ % \(1 trial\) +\S \+\d+ % \(1 trial\)$/);
  // The first bytes, the totals and the order by effect are of the end.
  const atEnd = printed(analysed({ trials: 3 })).split("\n");
  for (const line of soFarOf(3).slice(1)) {
    expect(atEnd).toContain(line);
  }
});

test("while a run goes on nothing is said of a cache", () => {
  const { run, cases } = analysed({ trials: 3 });
  const analyses = cases.flatMap(({ lastByte }) => lastByte ?? []);
  const ofCaches = analyses.map((analysis) => ({ ...analysis, comparisons: [] }));
  expect(soFar(factsSoFar(run, ofCaches), plainOutput)).toEqual([]);
});

test("a trial that was cut counts for nothing where another one was whole", () => {
  const load = { caseId: "empty", wallMs: 1, cpuMs: 1, eventLoopDelayP90Ms: 0, othersCpuMs: null };
  const trialsOf = (loads: readonly number[]) => {
    const clientLoad = loads.map((trial) => ({ ...load, trial }));
    const data = analysed({ rounds: 20, trials: 3 }, (run) => ({
      ...run,
      status: "interrupted",
      clientLoad,
    }));
    return factsOf(data).levels.find(({ case: of, metric }) => of === "empty" && metric === "lastByteMs")
      ?.byTrial.length;
  };
  expect([trialsOf([0, 1, 2]), trialsOf([0, 1]), trialsOf([])]).toEqual([3, 2, 3]);
});

test("a run without any sample has no results and says which cases", () => {
  const data = analyseRun(syntheticRun({}), new SampleTable());
  const [notice] = factsOf(data).notices;
  expect(notice).toMatchObject({ code: "nothing-measured", weight: "void" });
  expect(notice?.found.map((place) => place.case)).toEqual([
    "empty",
    "react-ssr",
    "trig",
    "react-ssr-native",
  ]);
  expect(printed(data)).toContain("Nothing was compared.");
});

test("what voids a result is told before what asks for caution; failed requests are counted by target and kind", () => {
  const event = { atMs: 1, caseId: "trig", target: "vercel", trial: 0, detail: "" };
  const kinds = ["warmup-unstable", "pin-allowed", "target-dropped"] as const;
  const data = analysed({ rounds: 60, events: kinds.map((kind) => ({ ...event, kind })), failEvery: 30 });
  const weights = factsOf(data).notices.map(({ weight }) => weight);
  expect(weights).toEqual(["void", "caution", "caution", "caution"]);
  const failed = { target: "cloudflare", kind: "length", count: 10, detail: "99 bytes instead of 100" };
  expect(data.cases[0]?.errors).toMatchObject([failed]);
});

test("without an A/A copy the first target of an app is the baseline, and there is no control; one target alone has no comparison", () => {
  const data = among((targets) => targets.filter(({ copyOf }) => copyOf === null));
  expect(data.cases[0]).toMatchObject({ baseline: "node", lastByte: { control: null } });
  expect(factsOf(data).changes.filter(({ role }) => role === "copy")).toEqual([]);
  const alone = among((targets) => targets.slice(0, 1));
  expect(factsOf(alone).changes).toEqual([]);
  expect(printed(alone)).toMatch(/^Empty +0\.\d+ ms$/m);
});

test("targets of another app are not compared with those of this one, and a platform's colour is the same in every app", () => {
  const data = analysedApps(["bundle", "next"], { rounds: 5 });
  const names = ["node", "cloudflare", "vercel", "node~copy"].map((name) => `bundle-${name}`);
  expect(data.cases[0]?.targets).toEqual(names);
  expect(data.cases.at(-1)).toMatchObject({ baseline: "next-node" });
  const { targets } = factsOf(data);
  const colours = Map.groupBy(
    targets.filter(({ copyOf }) => copyOf === null),
    ({ platform }) => platform,
  );
  for (const alike of colours.values()) {
    expect(new Set(alike.map(({ colour }) => colour)).size).toBe(1);
    expect(new Set(alike.map(({ column }) => column)).size).toBe(1);
  }
});

test.each([
  ["node", ["node 0", "cloudflare 1", "vercel 2", "copy 0"]],
  ["vercel", ["vercel 2", "node 0", "cloudflare 1", "copy 2"]],
])("with %s as the baseline it comes first, wherever the plan names it", (baseline, expected) => {
  const { targets } = among((all) => {
    const originals = all.filter(({ copyOf }) => copyOf === null);
    const copies = originals.filter(({ name }) => name === baseline);
    return [...copies.map((copy) => ({ ...copy, name: "copy", copyOf: baseline })), ...originals.reverse()];
  });
  expect(targets.map(({ name, colour }) => `${name} ${colour}`)).toEqual(expected);
});
