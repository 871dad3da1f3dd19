import { cp, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CaseManifest } from "@evenbench/core";
import { folderOfEachTest, testFolder } from "@evenbench/host/testing/folder";
import { type Run, readRun } from "@evenbench/results";
import { writeRun } from "@evenbench/results/testing";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { syntheticRun, syntheticSamples, written } from "../../test/synthetic.ts";
import {
  compareRuns,
  failingRows,
  type RunComparison,
  readHistory,
  renderComparison,
  renderHistory,
} from "../index.ts";

/** Wide enough for each remark to be one line. */
const WIDE = { width: 1000, color: false };
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

test("a target that became slower is found, the others are not called different, and caveats say what else changed", async () => {
  const compared = await compareRuns(before, after);
  const found = compared.rows.filter(({ verdict }) => verdict === "slower" || verdict === "faster");
  expect(found).toMatchObject([{ caseId: "trig", target: "vercel", verdict: "slower" }]);
  expect(found[0]?.ratio?.estimate).toBeCloseTo(1.5, 6);
  expect(compared.rows).toHaveLength(4 * 3);
  expect(renderComparison(compared, WIDE)).toMatch(/^ +vercel .* \+50 % .* ▶ slower$/m);
  expect(compared.caveats).toEqual([
    expect.stringContaining("did not take turns"),
    "The machine differs: A synthetic processor before, Another processor after.",
    "The use of cores differs: client 0, servers 1 before, shared by client and servers after.",
  ]);
  const reversed = await compareRuns(after, before);
  expect(failingRows(reversed.rows, { of: "time", verdict: "faster", by: 0.3 })).toHaveLength(1);
  expect(failingRows(reversed.rows, { of: "time", verdict: "faster", by: 0.4 })).toHaveLength(0);
});

test.each([
  ["damaged", () => takeSampleOut(before), /samples\.ndjson was changed after the run/],
  ["unfinished", () => change(after, () => ({ status: "running" })), /It did not finish, or still runs/],
  [
    "measured beside other targets",
    () =>
      changePlan(({ targets }) => ({
        targets: [...targets, ...targets.slice(0, 1).map((target) => ({ ...target, name: "other" }))],
      })),
    /The targets of a round differ/,
  ],
  [
    "of other rounds, cores and pauses",
    () => changePlan(() => ({ roundsPerTrial: 40, serverCores: "all", pauseMs: 80 })),
    /Cores of the servers differ: apart in .*, all in .*Rounds of a trial differ: as many as time allows in .*, 40 in .*Pauses differ: none in .*, 80 ms in /,
  ],
] as const)("runs that are %s give no verdict, unless asked for", async (_, spoil, message) => {
  await spoil();
  const compared = await compareRuns(before, after);
  expect(compared.objections.join()).toMatch(message);
  expect(new Set(compared.rows.map(({ verdict }) => verdict))).toEqual(new Set([null]));
  const said = (comparison: RunComparison) => renderComparison(comparison, WIDE).replaceAll("\n! ", " ");
  expect(said(compared)).toMatch(message);
  expect(said(compared)).toContain("So there is no verdict");
  const shown = await compareRuns(before, after, { anyway: true });
  expect(shown.rows.filter(({ verdict }) => verdict === "slower")).toHaveLength(1);
  expect(said(shown)).toMatch(message);
});

test("runs that are named the other way round are compared as named, and that is said", async () => {
  await change(before, () => ({ startedAt: "2026-11-22T08:00:00.000Z", finishedAt: null }));
  const { caveats } = await compareRuns(before, after);
  expect(caveats[0]).toBe(`${FIRST} began after ${SECOND}: the first one named is taken for the run before.`);
});

test("other limits on what a process may use are a caveat, as another machine is", async () => {
  const limits = { usableCores: 1, coreQuota: 0.3, memoryBytes: 512e6 };
  await change(after, ({ machine }) => ({ machine: machine && { ...machine, limits } }));
  const { caveats } = await compareRuns(before, after);
  expect(caveats).toContain(
    "What could be used of the cores differs: 2 cores before, 0.3 of a core (limit of the container) after.",
  );
  expect(caveats).toContain("The limit of memory differs: none before, 512 MB after.");
});

test("a run whose end is before its start is compared, and is in the history", async () => {
  await change(after, ({ startedAt }) => ({
    finishedAt: new Date(Date.parse(startedAt) - 3_600_000).toISOString(),
  }));
  expect((await compareRuns(before, after)).objections).toEqual([]);
  expect((await readHistory(results)).runs).toBe(2);
});

test("a case that had another time has no verdict, the others have one", async () => {
  await changePlan(({ caseLimitMs }) => ({ caseLimitMs: { ...caseLimitMs, empty: 67_500 } }));
  const { rows, objections } = await compareRuns(before, after);
  expect(objections).toEqual([expect.stringMatching(/^empty had 45 s in .*, and 1 min 8 s in /)]);
  const without = rows.filter(({ verdict }) => verdict === null);
  expect(without.map(({ caseId }) => caseId)).toEqual(["empty", "empty", "empty"]);
});

test("what was not warm in a run has no other verdict than that, and is in no history", async () => {
  await change(after, ({ usage }) => ({
    warmUps: usage
      .filter(({ target }) => target === "vercel")
      .map(({ caseId, target, trial }) => {
        return { caseId, target, trial, exchanges: 2, needed: 68, warmAfter: 54 };
      }),
  }));
  const { rows } = await compareRuns(before, after);
  const cold = rows.filter(({ target }) => target === "vercel");
  expect(new Set(cold.map(({ verdict }) => verdict))).toEqual(new Set(["not warm"]));
  const { trends, skipped } = await readHistory(results);
  const lengths = trends.map(({ target, points }) => `${target} ${points.length}`);
  expect(new Set(lengths)).toEqual(new Set(["node 2", "cloudflare 2", "vercel 1"]));
  expect(skipped).toContainEqual(expect.stringMatching(/trig was not warm on vercel\.$/));
});

test("a history has one trend for each case and target, oldest first, and says what it had to leave out", async () => {
  await mkdir(join(results, "20261119-080000"));
  await writeFile(join(results, "20261119-080000/run.json"), "{");
  await mkdir(join(results, "an-experiment"));
  const history = await readHistory(results);
  expect(history.trends).toHaveLength(4 * 3);
  const trend = history.trends.find(({ caseId, target }) => caseId === "trig" && target === "vercel");
  expect(trend?.points.map(({ runId }) => runId)).toEqual([FIRST, SECOND]);
  expect(trend?.change).toBeCloseTo(0.5, 6);
  const text = renderHistory(history, WIDE);
  expect(text).toMatch(/^trig +node .*\n +cloudflare .*\n +vercel +2 +▁█ .* \+50 %$/m);
  expect(text).toMatch(/^! left out: 20261119-080000: .*run\.json is not JSON/m);
});

test("a history goes by the time of starts, whatever folders are called, and says how many runs its trend has", async () => {
  await rename(before, join(results, "z-baseline"));
  const folders = [join(results, "z-baseline"), after];
  for (const [month, folder] of folders.entries()) {
    await change(folder, () => ({ startedAt: `2026-0${month + 1}-01T00:00:00Z`, finishedAt: null }));
  }
  const { trends } = await readHistory(results);
  const trend = trends.find(({ caseId, target }) => caseId === "trig" && target === "vercel");
  expect(trend?.points.map(({ runId }) => runId)).toEqual([FIRST, SECOND]);
  expect(trend?.change).toBeCloseTo(0.5, 6);
  const points = Array.from({ length: 25 }, () => trend?.points[0]).filter((point) => point !== undefined);
  const long = { trends: [{ caseId: "trig", target: "vercel", points, change: 0 }], runs: 25 };
  const text = renderHistory({ ...long, skipped: [], objections: [] }, WIDE);
  expect(text).toContain("The trend has the newest 24 runs; first, newest and change are of all.");
  expect(renderHistory({ ...long, trends, skipped: [], objections: [] }, WIDE)).not.toContain("newest 24");
});

test("a history leaves damaged and unfinished runs out and says so, unless they are asked for", async () => {
  await takeSampleOut(before);
  await change(after, () => ({ status: "interrupted" }));
  const history = await readHistory(results);
  expect(history.trends).toEqual([]);
  const text = renderHistory(history, WIDE);
  expect(text).toMatch(/^! left out: .*samples\.ndjson was changed after the run/m);
  expect(text).toMatch(/^! left out: .*It was interrupted/m);
  const shown = await readHistory(results, { anyway: true });
  expect(shown.runs).toBe(2);
  expect(renderHistory(shown, WIDE)).toMatch(/^! .*It was interrupted/m);
});

test("a target that was dropped in one run has no verdict, and is named with why", async () => {
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
  const why = `In ${SECOND} vercel was dropped from trig: HTTP 500 in 12 of 30 requests.`;
  expect(compared.unmeasured).toEqual([{ caseId: "trig", target: "vercel", why }]);
  expect(compared.rows).toHaveLength(4 * 3 - 1);
  expect(failingRows(compared.rows, { of: "time", verdict: "slower", by: 0.05 })).toEqual([]);
  const text = renderComparison(compared, WIDE);
  expect(text).toMatch(/^trig +vercel .* ✕ no result$/m);
  expect(text).toContain(`! vercel in trig has no result: ${why}`);
  const anyway = await compareRuns(before, after, { anyway: true });
  expect(anyway.unmeasured).toEqual(compared.unmeasured);
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
  const { unmeasured } = await compareRuns(before, folder);
  const whyOf = (caseId: string, target: string) =>
    unmeasured.find((each) => each.caseId === caseId && each.target === target)?.why;
  expect(whyOf("empty", "vercel")).toBe("The target is not in other.");
  expect(whyOf("empty", "node")).toBe("other has no measured answer of it.");
  expect(whyOf("react-ssr", "node")).toBe("The case is not in other.");
  expect(whyOf("trig", "cloudflare")).toBe("other has no measured answer of it.");
  expect(whyOf("empty", "cloudflare")).toBe(undefined);
});

const changeTrig = (changed: (manifest: CaseManifest) => Partial<CaseManifest>) =>
  changePlan(({ cases }) => ({
    cases: cases.map((manifest) =>
      manifest.id === "trig" ? { ...manifest, ...changed(manifest) } : manifest,
    ),
  }));

test.each([
  ["another path", () => ({ path: "/other" }), "trig has another path in .*: /trig, /other"],
  [
    "another request",
    () => ({ request: { method: "POST", headers: [], body: null } }),
    "trig is another request in ",
  ],
  [
    "another answer",
    ({ golden }: CaseManifest) => ({ golden: golden && { ...golden, sha256: "0".repeat(64) } }),
    "trig had another answer to give in .*: it is other work",
  ],
])("a case that is %s in two runs is not compared, the others are", async (_, changed, message) => {
  await changeTrig(changed);
  const { rows, objections } = await compareRuns(before, after);
  expect(objections).toEqual([expect.stringMatching(message)]);
  expect(new Set(rows.filter(({ verdict }) => verdict === null).map(({ caseId }) => caseId))).toEqual(
    new Set(["trig"]),
  );
});

test("a smoke test gives no verdict beside another run, and no change in a history", async () => {
  await changePlan(() => ({ quick: true }));
  const { rows, objections } = await compareRuns(before, after);
  expect(objections).toEqual([expect.stringContaining("is a smoke test (--quick)")]);
  expect(new Set(rows.map(({ verdict }) => verdict))).toEqual(new Set([null]));
  expect(new Set((await readHistory(results)).trends.map(({ change }) => change))).toEqual(new Set([null]));
});

test("runs that judge a case by other times do not compare them", async () => {
  const isTrig = ({ id }: { id: string }) => id === "trig";
  await changePlan(({ cases }) => ({
    cases: cases.map((manifest) => (isTrig(manifest) ? { ...manifest, headline: "firstByteMs" } : manifest)),
  }));
  const { rows, unmeasured } = await compareRuns(before, after);
  expect(rows.map(({ caseId }) => caseId)).not.toContain("trig");
  expect(unmeasured).toHaveLength(3);
  expect(unmeasured[0]?.why).toBe("One run judges it by the first byte, the other by the last byte.");
});

test("what could not be built for a run is named, also where neither run has it", async () => {
  const detail = "deno could not be built.";
  const failed = {
    atMs: 1,
    kind: "build-failed",
    caseId: null,
    target: "deno",
    trial: null,
    detail,
  } as const;
  await change(before, () => ({ events: [failed] }));
  const { unmeasured } = await compareRuns(before, after);
  expect(unmeasured).toEqual([{ caseId: null, target: "deno", why: `It could not be built for ${FIRST}.` }]);
});

test("a folder that holds no run is one clear error", async () => {
  await expect(compareRuns(before, join(results, "nothing"))).rejects.toThrow(/No run in .*nothing/);
});
