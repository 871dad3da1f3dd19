import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { writeSyntheticRun } from "@evenbench/report/testing/synthetic";
import { beforeAll, expect, test } from "vitest";
import { evenbench, start, succeeded, testFolder, words } from "../test/evenbench.ts";

const at = testFolder();
let run: string;
beforeAll(async () => {
  run = await writeSyntheticRun(at(), { rounds: 10 });
});

test("--json prints what summary.json says, and nothing else", async () => {
  const { stdout, stderr } = await succeeded(evenbench("report", run, "--json"));
  expect(stderr).toBe("");
  expect(stdout).toBe(await readFile(join(run, "summary.json"), "utf8"));
});

test("site says where the gallery is, and on standard error which run is left out", async () => {
  const empty = at("20261101-030000");
  await mkdir(empty, { recursive: true });
  await writeFile(join(empty, "run.json"), "{}");
  const out = at("a/gallery");
  const { stdout, stderr } = await succeeded(evenbench("site", run, empty, "--out", out));
  expect(stdout).toBe(`Gallery of 1 run: ${join(out, "index.html")}\n`);
  expect(stderr).toMatch(/^! left out: 20261101-030000: .*not a valid run/m);
  await rm(empty, { recursive: true });
});

test("--table prints ratios by case and platform, from the files of a report, and makes none", async () => {
  await succeeded(evenbench("report", run, "--quiet"));
  await rm(join(run, "samples.ndjson"));
  const { stdout, stderr } = await succeeded(evenbench("report", run, "--table"));
  expect(stderr).toBe("");
  expect(stdout).toMatch(/^\| case +\| Worker, time +\| Vercel Function, time +\|\n/);
  expect(stdout).toMatch(/\n\| trig +\| \*\*2\.\d\d \(.*\n\nLocal run, .*, 2026-11-21; Node\.js 24\.21\.0/s);
});

test("a quiet run says nothing on the way", async () => {
  const quick = words`run --no-build --quick --case empty --target node --quiet --out ${at("runs")}`;
  const { stdout, stderr } = await succeeded(start(quick).ended);
  expect(stderr).toBe("");
  expect(stdout).toMatch(/^node ran 1 workload alone\.\n\nReport: /);
});

test("preflight as JSON has what was found, by app", async () => {
  const { stdout, stderr } = await succeeded(
    evenbench(...words`preflight --no-build --case empty --target node --json`),
  );
  expect(stderr).toBe("");
  expect(JSON.parse(stdout)).toMatchObject({
    bundle: { ok: true, problems: [], identities: { node: { platform: "node" } } },
  });
});
