import { createHash } from "node:crypto";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeSyntheticRun } from "../../test/synthetic.ts";
import { compareRuns, failing, readHistory, renderComparison, renderHistory } from "../index.ts";

let results: string;
let before: string;
let after: string;

/** The same run; with a factor, one target took so many times as long in one case, on another machine. */
async function slower(folder: string, name: string, factor: number): Promise<string> {
  const copy = join(results, name);
  await cp(folder, copy, { recursive: true });
  const run = JSON.parse(await readFile(join(copy, "run.json"), "utf8"));
  run.id = name;
  if (factor !== 1) run.machine = { ...run.machine, cpuModel: "Another processor", coresApart: null };
  const lines = (await readFile(join(copy, "samples.ndjson"), "utf8")).trim().split("\n");
  const changed = lines.map((line) => {
    const sample = JSON.parse(line);
    if (sample.caseId === "trig" && sample.target === "vercel") sample.lastByteMs *= factor;
    return JSON.stringify(sample);
  });
  const text = `${changed.join("\n")}\n`;
  run.samples = { count: changed.length, sha256: createHash("sha256").update(text).digest("hex") };
  await writeFile(join(copy, "samples.ndjson"), text);
  await writeFile(join(copy, "run.json"), JSON.stringify(run));
  return copy;
}

beforeAll(async () => {
  results = await mkdtemp(join(tmpdir(), "evenbench-across-"));
  const made = await writeSyntheticRun(join(results, "made"), { rounds: 30 });
  before = await slower(made, "20261120-080000", 1);
  after = await slower(made, "20261121-080000", 1.5);
  await rm(join(results, "made"), { recursive: true });
});
afterAll(() => rm(results, { recursive: true }));

test("a target that became slower is found, the others are not called different, and caveats say what else changed", async () => {
  const compared = await compareRuns(before, after);
  const found = compared.rows.filter(({ verdict }) => verdict === "slower" || verdict === "faster");
  expect(found).toMatchObject([{ caseId: "trig", target: "vercel", verdict: "slower" }]);
  expect(found[0]?.ratio?.estimate).toBeCloseTo(1.5, 6);
  expect(compared.rows.length).toBe(4 * 3);
  expect(compared.caveats[0]).toContain("did not take turns");
  const text = renderComparison(compared);
  for (const part of ["20261120-080000", "20261121-080000", "▶ slower", "1.50×"])
    expect(text).toContain(part);
  expect(compared.caveats.join()).toContain(
    "The machine differs: A synthetic processor before, Another processor after.",
  );
  expect(compared.caveats.join()).toContain(
    "The use of cores differs: client 0, servers 1 before, shared by client and servers after.",
  );
});

test("it fails on a condition only when a difference is told apart from noise and large enough", async () => {
  const { rows } = await compareRuns(before, after);
  expect(failing(rows, { verdict: "slower", by: 0.05 })).toHaveLength(1);
  expect(failing(rows, { verdict: "slower", by: 0.6 })).toHaveLength(0);
  expect(failing(rows, { verdict: "faster", by: 0 })).toHaveLength(0);
  const reversed = await compareRuns(after, before);
  expect(failing(reversed.rows, { verdict: "faster", by: 0.3 })).toHaveLength(1);
});

test("a history has one trend for each case and target, oldest first, and says what it had to leave out", async () => {
  await mkdir(join(results, "20261119-080000"), { recursive: true });
  const history = await readHistory(results);
  expect(history.skipped).toHaveLength(1);
  expect(history.skipped[0]).toContain("run.json cannot be read");
  const trend = history.trends.find(({ caseId, target }) => caseId === "trig" && target === "vercel");
  expect(trend?.points.map(({ runId }) => runId)).toEqual(
    [...(trend?.points ?? [])].map(({ runId }) => runId).sort(),
  );
  expect(history.trends.some(({ target }) => target.includes("~copy"))).toBe(false);
  const text = renderHistory(history);
  expect(text).toMatch(/trig\s+node .*\n/);
  expect(text).toContain("! left out: 20261119-080000");
});

test("folders that hold no run, or cannot be read, are one clear error", async () => {
  await expect(compareRuns(before, join(results, "nothing"))).rejects.toThrow(/No run in .*nothing/);
  await expect(readHistory(join(results, "nothing"))).rejects.toThrow(
    /No history in .*ENOENT.*Give a results folder/,
  );
});
