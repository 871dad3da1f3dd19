import { execFileSync } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { folderOfEachTest, writeFiles } from "@evenbench/host/testing/folder";
import { writeSyntheticLoad } from "@evenbench/load/testing";
import { writeSyntheticRun } from "@evenbench/report/testing/synthetic";
import { expect, test } from "vitest";
import { evenbench } from "../../test/evenbench.ts";
import { newestRun } from "./report.ts";

let results: string;
folderOfEachTest((folder) => {
  results = folder;
});

const folder = (name: string, files: Readonly<Record<string, string>>) =>
  writeFiles(join(results, name), files);

const startedOn = (day: number) => JSON.stringify({ startedAt: `2026-11-${day}T08:00:00.000Z` });
const SAMPLED = { "samples.ndjson": "{}\n" };

test("the newest run is the one that began last, whatever its folder is called", async () => {
  folder("a", { "run.json": startedOn(21), ...SAMPLED });
  folder("20261119-080000", { "run.json": startedOn(19), ...SAMPLED });
  folder("before", { "load.json": startedOn(18), ...SAMPLED });
  expect(await newestRun(results)).toBe(join(results, "a"));
  folder("Z", { "load.json": startedOn(22), ...SAMPLED });
  expect(await newestRun(results)).toBe(join(results, "Z"));
});

test("the newest run is one that measured something, not one that preflight stopped", async () => {
  folder("20261119-080000", { "run.json": startedOn(19), ...SAMPLED });
  folder("20261120-080000", { "load.json": startedOn(20), ...SAMPLED });
  folder("20261121-080000", { "run.json": startedOn(21), "samples.ndjson": "" });
  folder("20261121-080001", { "run.json": startedOn(21) });
  folder("20261121-080002", { "experiments.json": startedOn(21), ...SAMPLED });
  folder("20261121-080003", { "run.json": "{", ...SAMPLED });
  execFileSync("mkfifo", [join(results, "20261121-080003", "load.json")]);
  expect(await newestRun(results)).toBe(join(results, "20261120-080000"));
});

test("where nothing was measured, it says what to do", async () => {
  folder("20261121-080000", { "run.json": "{}", "samples.ndjson": "" });
  await expect(newestRun(results)).rejects.toThrow(/no run in .* that has a sample.*npm run bench/);
});

test("--share takes the newest run that compares something: no smoke test, and no load", async () => {
  const run = await writeSyntheticRun(results, { rounds: 20 });
  const record = JSON.parse(await readFile(join(run, "run.json"), "utf8"));
  const later = { ...record, startedAt: "2026-12-24T08:00:00.000Z" };
  const quick = { ...later, plan: { ...record.plan, quick: true } };
  const alone = { ...later, plan: { ...record.plan, targets: record.plan.targets.slice(0, 1) } };
  folder("quick", { "run.json": JSON.stringify(quick), ...SAMPLED });
  folder("alone", { "run.json": JSON.stringify(alone), ...SAMPLED });
  folder("load", { "load.json": JSON.stringify(later), ...SAMPLED });
  expect(await newestRun(results, true)).toBe(run);
  await rm(run, { recursive: true });
  await expect(newestRun(results, true)).rejects.toThrow(/no run in .* that compares anything/);
});

test("--share prints what can be pasted, from a run without its samples, too", async () => {
  const run = await writeSyntheticRun(results, { rounds: 20 });
  await evenbench("report", run);
  await rm(join(run, "samples.ndjson"));
  const { code, stdout, stderr } = await evenbench("report", run, "--share");
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^\| Trigonometry +\|.*judged by its intervals, without samples/ms);
  expect(stdout).not.toContain("report.html");
});

test("with a load's folder, what only runs have is refused", async () => {
  await writeSyntheticLoad(results, { levels: "concurrency" });
  for (const option of ["--share", "--anyway"]) {
    const { code, stdout, stderr } = await evenbench("report", results, option);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(`evenbench: ${option} is for runs, and ${results} is a load. Leave it out`);
  }
});
