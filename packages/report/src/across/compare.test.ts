import { cp, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CaseManifest } from "@evenbench/core";
import { folderOfEachTest, testFolder } from "@evenbench/host/testing/folder";
import { type Run, readRun } from "@evenbench/results";
import { writeRun } from "@evenbench/results/testing";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { syntheticRun, syntheticSamples, written } from "../../test/synthetic.ts";
import type { Change, Facts } from "../facts/facts.ts";
import { compareRuns } from "./compare.ts";
import { failing, gate } from "./gate.ts";

const FIRST = "20261120-080000";
const SECOND = "20261121-080000";
const made = testFolder();
let results: string;
let before: string;
let after: string;

/** The same run; with a factor, one target took so many times as long in one case, on another machine. */
async function make(id: string, factor: number): Promise<void> {
  const run = { ...syntheticRun({}), id };
  const changed = { cpuModel: "Another processor", coresApart: null };
  const machine = run.machine && { ...run.machine, ...(factor === 1 ? {} : changed) };
  const samples = Array.from(syntheticSamples(run, { rounds: 30 }), (sample) => {
    const isSlower = sample.caseId === "trig" && sample.target === "vercel" && sample.lastByteMs !== null;
    return isSlower ? { ...sample, lastByteMs: factor * (sample.lastByteMs ?? 0) } : sample;
  });
  await rename(await written(made, { ...run, machine }, samples), join(made, id));
}

beforeAll(async () => {
  await make(FIRST, 1);
  await make(SECOND, 1.5);
});
folderOfEachTest((folder) => {
  [results, before, after] = [folder, join(folder, FIRST), join(folder, SECOND)];
});
beforeEach(() => cp(made, results, { recursive: true }));

async function change(folder: string, changed: (run: Run) => Partial<Run>): Promise<void> {
  const { run } = await readRun(folder);
  await writeRun(folder, { ...run, ...changed(run) });
}

async function takeSampleOut(folder: string): Promise<void> {
  const file = join(folder, "samples.ndjson");
  const text = await readFile(file, "utf8");
  await writeFile(file, text.slice(text.indexOf("\n") + 1));
}

const changePlan = (changed: (plan: Run["plan"]) => Partial<Run["plan"]>) =>
  change(after, ({ plan }) => ({ plan: { ...plan, ...changed(plan) } }));

/** What was compared by time: the cases and columns, with their verdicts. */
function byTime({ changes }: Facts): readonly Change[] {
  return changes.filter(({ metric, role }) => metric === "lastByteMs" && role === "main");
}

/** What differs between both runs, by its codes. */
function differing({ notices }: Facts): readonly string[] {
  const unlike = notices.filter(({ code }) => code === "unlike-runs");
  return unlike.flatMap(({ found }) => found.flatMap(({ differs }) => differs?.key ?? []));
}

function columnOf({ targets }: Facts, { target }: Change): string | undefined {
  return targets.find(({ name }) => name === target)?.column;
}

test("a target that became slower is found, the others are not called different, and what else changed is named", async () => {
  const compared = await compareRuns(before, after);
  const found = byTime(compared).filter(({ verdict }) => verdict === "slower" || verdict === "faster");
  expect(found).toMatchObject([{ case: "trig", verdict: "slower" }]);
  expect(found.map((each) => columnOf(compared, each))).toEqual(["vercel"]);
  expect(found[0]?.estimate).toBeCloseTo(1.5, 6);
  expect(byTime(compared)).toHaveLength(4 * 3);
  expect(differing(compared)).toEqual(["processor", "cores-apart"]);
  expect(compared.run).toMatchObject({ of: "states", id: `${FIRST}..${SECOND}`, machine: null });
  expect(compared.run.parts.map(({ id, state }) => [id, state])).toEqual([
    [FIRST, "before"],
    [SECOND, "after"],
  ]);
  const reversed = await compareRuns(after, before);
  expect(failing(reversed, { of: "time", verdict: "faster", by: 0.3 })).toHaveLength(1);
  expect(failing(reversed, { of: "time", verdict: "faster", by: 0.4 })).toHaveLength(0);
});

test("each change is between the two states of one target, and both have their levels", async () => {
  const compared = await compareRuns(before, after);
  const named = new Map(compared.targets.map((target) => [target.name, target]));
  expect(named.size).toBe(compared.targets.length);
  for (const { target, baseline, case: caseId, metric } of compared.changes) {
    const now = named.get(target);
    const then = named.get(baseline);
    expect([then?.state, now?.state, then?.column === now?.column]).toEqual(["before", "after", true]);
    const levels = compared.levels.filter((level) => level.case === caseId && level.metric === metric);
    expect(levels.map((level) => level.target)).toEqual(expect.arrayContaining([target, baseline]));
  }
  expect(new Set(compared.cases.map(({ baseline }) => baseline))).toEqual(new Set([null]));
});

test.each([
  ["damaged", () => takeSampleOut(before), ["samples"]],
  ["unfinished", () => change(after, () => ({ status: "running" })), ["status"]],
  [
    "measured beside other targets",
    () =>
      changePlan(({ targets }) => ({
        targets: [...targets, ...targets.slice(0, 1).map((target) => ({ ...target, name: "other" }))],
      })),
    ["targets"],
  ],
  ["a smoke test", () => changePlan(() => ({ quick: true })), ["smoke-test"]],
  [
    "of other rounds, cores and pauses",
    () => changePlan(() => ({ roundsPerTrial: 40, serverCores: "all", pauseMs: 80 })),
    ["server-cores", "rounds", "pauses"],
  ],
] as const)("runs that are %s give no verdict, unless asked for", async (_, spoil, keys) => {
  await spoil();
  const compared = await compareRuns(before, after);
  expect(differing(compared)).toEqual(expect.arrayContaining([...keys]));
  expect(new Set(byTime(compared).map(({ verdict }) => verdict))).toEqual(new Set(["none"]));
  expect(byTime(compared).map(({ why }) => why)).toContain("unlike-runs");
  expect(compared.notices[0]?.weight).toBe("void");
  const shown = await compareRuns(before, after, { anyway: true });
  expect(byTime(shown).filter(({ verdict }) => verdict === "slower")).toHaveLength(1);
  expect(differing(shown)).toEqual(differing(compared));
});

test("a run against itself or its copy is named, and a condition on it is not ruled out", async () => {
  const copy = join(results, "copy");
  const renamed = join(results, "renamed");
  await cp(before, copy, { recursive: true });
  await cp(before, renamed, { recursive: true });
  await change(renamed, () => ({ id: "renamed", startedAt: "2026-11-30T08:00:00.000Z" }));
  for (const other of [before, copy, renamed]) {
    const compared = await compareRuns(before, other);
    expect(compared.notices[0]).toMatchObject({ code: "same-run", weight: "void" });
    const { open, asked } = gate(compared, { verdict: "slower", by: 0.05 });
    expect(open).toHaveLength(asked);
    expect(asked).toBe(12);
  }
});

test("runs that are named the other way round are compared as named, and that is said", async () => {
  await change(before, () => ({ startedAt: "2026-11-22T08:00:00.000Z", finishedAt: null }));
  const compared = await compareRuns(before, after);
  expect(differing(compared)[0]).toBe("start");
  expect(byTime(compared).filter(({ verdict }) => verdict === "slower")).toHaveLength(1);
});

test("other limits on what a process may use are named, as another machine is", async () => {
  const limits = { usableCores: 1, coreQuota: 0.3, memoryBytes: 512e6 };
  await change(after, ({ machine }) => ({ machine: machine && { ...machine, limits } }));
  expect(differing(await compareRuns(before, after))).toContain("usable-cores");
});

test("other variables of the targets are named, and keep no run from being compared", async () => {
  const given = (variables: string) => (run: Run) => ({
    identities: Object.fromEntries(
      Object.entries(run.identities).map(([name, identity]) => {
        return [name, { ...identity, facts: { ...identity.facts, variables } }];
      }),
    ),
  });
  await change(before, given("none"));
  await change(after, given("A B"));
  const compared = await compareRuns(before, after);
  expect(differing(compared)).toContain("variables");
  expect(byTime(compared).filter(({ why }) => why === "unlike-runs")).toEqual([]);
});

test("a case that had another time has no verdict, the others have one", async () => {
  await changePlan(({ caseLimitMs }) => ({ caseLimitMs: { ...caseLimitMs, empty: 67_500 } }));
  const compared = await compareRuns(before, after);
  expect(differing(compared)).toContain("time");
  const without = byTime(compared).filter(({ why }) => why === "unlike-runs");
  expect(without.map((each) => each.case)).toEqual(["empty", "empty", "empty"]);
});

test("what was not warm in a run has no other verdict than that", async () => {
  await change(after, ({ usage }) => ({
    warmUps: usage
      .filter(({ target }) => target === "vercel")
      .map(({ caseId, target, trial }) => {
        return { caseId, target, trial, exchanges: 2, needed: 68, warmAfter: 54 };
      }),
  }));
  const compared = await compareRuns(before, after);
  const cold = byTime(compared).filter(({ why }) => why === "not-warm");
  expect(cold.map((each) => columnOf(compared, each))).toEqual(["vercel", "vercel", "vercel", "vercel"]);
});

test("a target that was dropped in one run has no verdict, and the notice quotes why", async () => {
  const detail = "vercel was dropped from trig: HTTP 500 in 12 of 30 requests.\nThe end of its log: boom";
  const dropped = {
    atMs: 1,
    kind: "target-dropped",
    caseId: "trig",
    target: "vercel",
    trial: 1,
    detail,
  } as const;
  await change(after, () => ({ events: [dropped] }));
  const compared = await compareRuns(before, after);
  const [found, ...others] = byTime(compared).filter(({ why }) => why === "dropped");
  expect(others).toEqual([]);
  expect(found?.case).toBe("trig");
  const notice = compared.notices.find(({ code }) => code === "target-dropped");
  expect(notice?.found[0]?.quote).toBe(detail);
  const condition = { of: "time", verdict: "slower", by: 0.05 } as const;
  expect(gate(compared, condition).open).toEqual(expect.arrayContaining([found]));
});

test("a case, a target and answers that only one run has are named", async () => {
  const { run } = await readRun(before);
  const samples = [...syntheticSamples(run, { rounds: 30 })].filter(
    ({ caseId, target }) => !(caseId === "empty" && target === "node") && caseId !== "trig",
  );
  const cases = run.plan.cases.filter(({ id }) => id !== "react-ssr");
  const targets = run.plan.targets.filter(({ name }) => name !== "vercel");
  const plan = { ...run.plan, cases, targets };
  const { vercel: _, ...identities } = run.identities;
  const isPlanned = (entry: { readonly caseId: string; readonly target: string }): boolean =>
    entry.target !== "vercel" && entry.caseId !== "react-ssr";
  const other = {
    ...run,
    id: "other",
    plan,
    identities,
    usage: run.usage.filter(isPlanned),
    timelines: [],
    coldStarts: [],
  };
  const folder = await written(join(results, "other"), other, samples.filter(isPlanned));
  const compared = await compareRuns(before, folder);
  const whyOf = (caseId: string, column: string) =>
    byTime(compared).find((each) => each.case === caseId && columnOf(compared, each) === column)?.why;
  expect(whyOf("empty", "vercel")).toBe("one-state-only");
  expect(whyOf("empty", "node")).toBe("no-answer");
  expect(whyOf("react-ssr", "node")).toBe("one-state-only");
  expect(whyOf("trig", "cloudflare")).toBe("no-answer");
});

const changeTrig = (changed: (manifest: CaseManifest) => Partial<CaseManifest>) =>
  changePlan(({ cases }) => ({
    cases: cases.map((manifest) =>
      manifest.id === "trig" ? { ...manifest, ...changed(manifest) } : manifest,
    ),
  }));

test.each([
  ["path", () => ({ path: "/other" })],
  ["request", () => ({ request: { method: "POST", headers: [], body: null } })],
  ["answer", ({ golden }: CaseManifest) => ({ golden: golden && { ...golden, sha256: "0".repeat(64) } })],
])("a case whose %s differs in two runs is not compared, the others are", async (key, changed) => {
  await changeTrig(changed);
  const compared = await compareRuns(before, after);
  const unlike = compared.notices.find(({ code }) => code === "unlike-runs");
  expect(unlike?.found[0]).toMatchObject({ case: "trig", differs: { key } });
  const without = byTime(compared).filter(({ verdict }) => verdict === "none");
  expect(new Set(without.map((each) => each.case))).toEqual(new Set(["trig"]));
});

test("a case whose answers are much longer in one run is not compared, the others are", async () => {
  const { run, samples } = await readRun(after);
  const longer = samples.map((sample) =>
    sample.caseId === "trig" ? { ...sample, bodyBytes: 2 * (sample.bodyBytes ?? 0) } : sample,
  );
  const compared = await compareRuns(before, await written(join(results, "longer"), run, longer));
  const unlike = compared.notices.find(({ code }) => code === "unlike-runs");
  expect(unlike?.found[0]).toMatchObject({ case: "trig", differs: { key: "length" } });
  expect(unlike?.found.some(({ target }) => target?.includes("~copy"))).toBe(false);
  const without = byTime(compared).filter(({ verdict }) => verdict === "none");
  expect(new Set(without.map((each) => each.case))).toEqual(new Set(["trig"]));
});

test("starts that both runs measured are compared, each target with its own; runs that may not be compared have no verdict", async () => {
  const starts = (ms: number) =>
    Array.from({ length: 6 }, (_, repetition) => ({
      target: "node",
      repetition,
      readyMs: 60 + ms + repetition / 10,
      controlMs: 60,
      compiledMs: null,
    }));
  const withStarts = (folder: string, ms: number) =>
    change(folder, (run) => ({ plan: { ...run.plan, startUps: 6 }, startUps: starts(ms) }));
  await withStarts(before, 100);
  await withStarts(after, 150);
  const ofStarts = ({ changes }: Facts) => changes.filter(({ metric }) => metric === "startupCpuMs");
  const compared = await compareRuns(before, after);
  expect(ofStarts(compared)).toMatchObject([{ case: null, target: "node (after)", verdict: "slower" }]);
  expect(ofStarts(compared)[0]?.estimate).toBeCloseTo(1.5, 2);
  expect(gate(compared, { of: "start-up", verdict: "slower", by: 0.1 }).met).toHaveLength(1);
  await changePlan(() => ({ workers: 2 }));
  expect(ofStarts(await compareRuns(before, after))).toMatchObject([{ verdict: "none", why: "unlike-runs" }]);
});
