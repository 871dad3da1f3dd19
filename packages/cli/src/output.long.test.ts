import { spawnSync } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { writeSyntheticRun } from "@evenbench/report/testing/synthetic";
import { beforeAll, expect, test } from "vitest";
import { CLI, evenbench, runIn, start, succeeded, testFolder, words } from "../test/evenbench.ts";

const at = testFolder();
let run: string;
let later: string;
beforeAll(async () => {
  run = await writeSyntheticRun(at(), { rounds: 10 });
  later = await writeSyntheticRun(at(), { rounds: 10, slower: 1.5 });
});

test("--json prints what facts.json says, and nothing else", async () => {
  const { stdout, stderr } = await succeeded(evenbench("report", run, "--json"));
  expect(stderr).toBe("");
  expect(JSON.parse(stdout)).toEqual(JSON.parse(await readFile(join(run, "facts.json"), "utf8")));
});

test.each([
  ["list", 0],
  ["experiment", 0],
  ["report", 1],
  ["compare", 2],
])("%s writes one JSON document to standard output, and nothing else", async (command, runs) => {
  const { stdout } = await succeeded(evenbench(command, ...[run, later].slice(0, runs), "--json"));
  expect(JSON.parse(stdout)).toBeTypeOf("object");
});

test("site says where the gallery is, and on standard error which run is left out", async () => {
  const empty = at("20261101-030000");
  await mkdir(empty, { recursive: true });
  await writeFile(join(empty, "run.json"), "{}");
  const out = at("a/gallery");
  const { stdout, stderr } = await succeeded(evenbench("site", run, empty, "--out", out));
  expect(stdout).toContain(join(out, "index.html"));
  expect(stderr).toMatch(/^! .*20261101-030000/m);
  await rm(empty, { recursive: true });
});

test("preflight as JSON has what was found, by app", async () => {
  const asked = words`preflight --no-build --case empty --target node --json`;
  const { stdout, stderr } = await succeeded(evenbench(...asked));
  expect(stderr).toBe("");
  expect(JSON.parse(stdout)).toMatchObject({
    bundle: { ok: true, problems: [], identities: { node: { platform: "node" } } },
  });
});

test("a condition on runs that give no verdict does not pass, and says why; asked for all the same, it acts", async () => {
  const before = await writeSyntheticRun(at(), { rounds: 20 });
  const interrupted = await writeSyntheticRun(at(), { rounds: 20, slower: 1.5, status: "interrupted" });
  const compare = (...runs: string[]) => evenbench("compare", ...runs, "--fail-on", "slower 5%");
  const refused = await compare(before, interrupted);
  expect(refused.code).toBe(3);
  expect(refused.stdout).toContain("status (complete before, interrupted after)");
  expect(refused.stderr).toContain("12 of 12 ");
  // What it would not have failed on is no success either.
  expect((await compare(interrupted, before)).code).toBe(3);
  const compared = await compare(before, interrupted, "--anyway");
  expect(compared.code).toBe(1);
  expect(compared.stderr).toMatch(/vercel.*trig.*▶ \+50 %/);
  expect(compared.stdout).toContain("status (complete before, interrupted after)");
  const passed = await compare(interrupted, before, "--anyway");
  expect(passed.code).toBe(0);
  expect(passed.stderr).toMatch(/^evenbench: .* \d+ %.*\n$/);
});

test("a run and a comparison are exported for other programs, into a folder of one's own", async () => {
  const before = await writeSyntheticRun(at(), { rounds: 20 });
  const after = await writeSyntheticRun(at(), { rounds: 20, slower: 1.5 });
  const asked = ["--export", "bmf", "--export", `junit=${join(at(), "reports", "speed.xml")}`];
  const made = await succeeded(evenbench("report", before, ...asked));
  expect(made.stderr).toContain("bmf.json");
  expect(JSON.parse(await readFile(join(before, "bmf.json"), "utf8"))).toHaveProperty([
    "trig (vercel)",
    "latency",
    "value",
  ]);
  const compared = await evenbench("compare", before, after, "--fail-on", "slower 5%", ...asked.slice(2));
  expect(compared.code).toBe(1);
  const xml = await readFile(join(at(), "reports", "speed.xml"), "utf8");
  expect(xml).toMatch(/name="evenbench: slower 5 %" .* failures="[1-9]/);
  expect((await evenbench("report", before, "--export", "csv")).code).toBe(2);
});

test("experiment lists the claims where none is named, with --json as one document", async () => {
  const { code, stdout } = await evenbench("experiment");
  expect(code).toBe(0);
  expect(stdout).toMatch(/^same-engine +Both platforms run V8/m);
  const listed = JSON.parse((await evenbench("experiment", "--json")).stdout);
  expect(listed).toContainEqual({ id: "trig", claim: expect.any(String) });
});

test("an experiment leaves its files and a table with the verdict", async () => {
  const out = at("claims");
  const { stdout, stderr } = await succeeded(
    start(words`experiment price --no-build --time 2s -o ${out}`).ended,
  );
  expect(stderr).toContain("2 s");
  expect(stdout).toMatch(/^price +\$0\.128 .*reproduced$/m);
  expect(stdout).toContain("V8 in workerd");
  const folder = await runIn(out);
  expect(stdout).toContain(`${folder}/experiments.html`);
  const record = JSON.parse(await readFile(`${folder}/experiments.json`, "utf8"));
  expect(record).toMatchObject({ status: "complete", timeMs: 2000, results: [{ id: "price" }] });
  // It is no run, and is taken for none.
  const report = await evenbench("report", "-o", out);
  expect(report.code).toBe(2);
});

const COUNTER = new URL("../test/count-modules.mjs", import.meta.url).href;

/**
 * What those who only want to read a help text should not wait for; the table of options itself imports next
 * to nothing.
 */
const HEAVY =
  /\/(?:zod|undici|@observablehq|packages\/(?:runner|report|results(?!\/src\/run-options\.ts)|probe|profile))\//;

function loadedBy(words: readonly string[]): readonly string[] {
  const { status, stderr } = spawnSync(process.execPath, ["--import", COUNTER, CLI, ...words], {
    encoding: "utf8",
  });
  expect(status, stderr).toBe(0);
  const loaded = stderr.split("\n").filter((line) => line.startsWith("file:"));
  expect(loaded).toContainEqual(expect.stringContaining("/commands/run.ts"));
  return loaded;
}

test.each([["--version"], ["--help"], ["run --help"]])("%s loads no package that does the work", (words) => {
  expect(loadedBy(words.split(" ")).filter((url) => HEAVY.test(url))).toEqual([]);
});

test("what draws pictures is loaded only where one is drawn", () => {
  const loaded = loadedBy(["compare", run, later]);
  expect(loaded).toContainEqual(expect.stringContaining("/packages/report/src/create-report.ts"));
  expect(loaded.filter((url) => /\/(?:@resvg|src\/card)\//.test(url))).toEqual([]);
});
