import { cp, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Run, readRun, writeRun } from "@evenbench/results";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { writeSyntheticRun } from "../../test/synthetic.ts";
import { compareRuns, failing, readHistory, renderComparison, renderHistory } from "../index.ts";

let written: string;
let results: string;
let before: string;
let after: string;

beforeAll(async () => {
  written = await mkdtemp(join(tmpdir(), "evenbench-objections-"));
  await rename(await writeSyntheticRun(written, { rounds: 20 }), join(written, "1"));
  await rename(await writeSyntheticRun(written, { rounds: 20, slower: 1.5 }), join(written, "2"));
});
beforeEach(async () => {
  results = await mkdtemp(join(tmpdir(), "evenbench-objections-"));
  await cp(written, results, { recursive: true });
  [before, after] = [join(results, "1"), join(results, "2")];
});
afterEach(() => rm(results, { recursive: true }));
afterAll(() => rm(written, { recursive: true }));

async function change(folder: string, changed: (run: Run) => Partial<Run>): Promise<void> {
  const { run } = await readRun(folder);
  await writeRun(folder, { ...run, ...changed(run) });
}

async function takeSampleOut(folder: string): Promise<void> {
  const file = join(folder, "samples.ndjson");
  const text = await readFile(file, "utf8");
  await writeFile(file, text.slice(text.indexOf("\n") + 1));
}

const planned = (plan: Partial<Run["plan"]>) => (run: Run) => ({ plan: { ...run.plan, ...plan } });

test.each([
  ["damaged", () => takeSampleOut(before), /samples\.ndjson was changed after the run/],
  ["unfinished", () => change(after, () => ({ status: "running" })), /It did not finish, or still runs/],
  [
    "measured beside other targets",
    () => change(after, (run) => planned({ targets: run.plan.targets.slice(1) })(run)),
    /The targets of a round differ/,
  ],
  [
    "of other numbers of rounds",
    () => change(after, planned({ roundsPerTrial: 20 })),
    /Rounds of a trial differ: as many as time allows in .*, 20 in/,
  ],
] as const)(
  "runs that are %s give no verdict and fail no condition, unless asked for",
  async (_, spoil, message) => {
    await spoil();
    const compared = await compareRuns(before, after);
    expect(compared.objections.join()).toMatch(message);
    expect(compared.rows.map(({ verdict }) => verdict).filter((verdict) => verdict !== null)).toEqual([]);
    expect(failing(compared.rows, { verdict: "slower", by: 0 })).toEqual([]);
    const text = renderComparison(compared);
    expect(text).toMatch(message);
    expect(text).toContain("So there is no verdict");
    const asked = await compareRuns(before, after, { anyway: true });
    expect(failing(asked.rows, { verdict: "slower", by: 0 }).length).toBeGreaterThan(0);
    expect(renderComparison(asked)).toMatch(message);
  },
);

test("a case that had another time has no verdict, the others have one", async () => {
  await change(after, (run) => planned({ caseBudgetMs: { ...run.plan.caseBudgetMs, trig: 67_500 } })(run));
  const { rows, objections } = await compareRuns(before, after);
  expect(objections).toEqual([expect.stringMatching(/^trig had 45 s in .*, and 1 min 8 s in /)]);
  const without = rows.filter(({ verdict }) => verdict === null);
  expect(new Set(without.map(({ caseId }) => caseId))).toEqual(new Set(["trig"]));
  expect(failing(rows, { verdict: "slower", by: 0.05 }).length).toBeGreaterThan(0);
});

test.each([
  ["cores", { serverCores: "all" }, /^Cores of the servers differ: apart in .*, all in /],
  ["pauses", { pauseMs: 80 }, /^Pauses differ: none in .*, 80 ms in /],
] as const)("runs with other %s have no verdict", async (_what, plan, message) => {
  await change(after, planned(plan));
  const { rows, objections } = await compareRuns(before, after);
  expect(objections).toEqual([expect.stringMatching(message)]);
  expect(rows.every(({ verdict }) => verdict === null)).toBe(true);
});

test("what was not warm in a run has no other verdict than that, fails no condition, and is in no history", async () => {
  await change(after, ({ plan: { cases, trials } }) => ({
    warmUps: cases.flatMap(({ id }) =>
      Array.from({ length: trials.maximum }, (_, trial) => ({
        ...{ caseId: id, target: "vercel", trial, exchanges: 2, needed: 68, warmAfter: 54 },
      })),
    ),
  }));
  const { rows } = await compareRuns(before, after);
  const cold = rows.filter(({ target }) => target === "vercel");
  expect(new Set(cold.map(({ verdict }) => verdict))).toEqual(new Set(["not warm"]));
  expect(failing(cold, { verdict: "slower", by: 0 })).toEqual([]);
  const { trends, skipped } = await readHistory(results);
  expect(trends.filter(({ target }) => target === "vercel").every(({ points }) => points.length === 1)).toBe(
    true,
  );
  expect(skipped).toContainEqual(expect.stringMatching(/trig was not warm on vercel\.$/));
});

test("a history leaves damaged and unfinished runs out and says so, unless they are asked for", async () => {
  await takeSampleOut(before);
  await change(after, () => ({ status: "interrupted" }));
  const history = await readHistory(results);
  expect(history.trends).toEqual([]);
  const text = renderHistory(history);
  expect(text).toMatch(/! left out: .*samples\.ndjson was changed after the run/);
  expect(text).toMatch(/! left out: .*It was interrupted/);
  const asked = await readHistory(results, { anyway: true });
  expect(asked.runs).toBe(2);
  expect(asked.trends[0]?.change).toBeCloseTo(0.5, 1);
  expect(renderHistory(asked)).toMatch(/! .*It was interrupted/);
});
