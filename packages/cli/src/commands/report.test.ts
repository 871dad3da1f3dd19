import { execFileSync } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { folderOfEachTest } from "@evenbench/host/testing/folder";
import { writeSyntheticLoad } from "@evenbench/load/testing";
import { writeSyntheticRun } from "@evenbench/report/testing/synthetic";
import { expect, test } from "vitest";
import { evenbench, runOptions } from "../../test/evenbench.ts";
import { newestRun } from "./report.ts";

let results: string;
folderOfEachTest((folder) => {
  results = folder;
});

async function folder(name: string, files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(join(results, name));
  for (const [file, text] of Object.entries(files)) {
    await writeFile(join(results, name, file), text);
  }
}

const startedOn = (day: number) => JSON.stringify({ startedAt: `2026-11-${day}T08:00:00.000Z` });
const SAMPLED = { "samples.ndjson": "{}\n" };

test("the newest run is the one that began last, whatever its folder is called", async () => {
  await folder("a", { "run.json": startedOn(21), ...SAMPLED });
  await folder("20261119-080000", { "run.json": startedOn(19), ...SAMPLED });
  await folder("before", { "load.json": startedOn(18), ...SAMPLED });
  expect(await newestRun(results)).toBe(join(results, "a"));
  await folder("Z", { "load.json": startedOn(22), ...SAMPLED });
  expect(await newestRun(results)).toBe(join(results, "Z"));
});

test("the newest run is one that measured something, not one that preflight stopped", async () => {
  await folder("20261119-080000", { "run.json": startedOn(19), ...SAMPLED });
  await folder("20261120-080000", { "load.json": startedOn(20), ...SAMPLED });
  await folder("20261121-080000", { "run.json": startedOn(21), "samples.ndjson": "" });
  await folder("20261121-080001", { "run.json": startedOn(21) });
  await folder("20261121-080002", { "experiments.json": startedOn(21), ...SAMPLED });
  await folder("20261121-080003", { "run.json": "{", ...SAMPLED });
  execFileSync("mkfifo", [join(results, "20261121-080003", "load.json")]);
  expect(await newestRun(results)).toBe(join(results, "20261120-080000"));
});

test("where nothing was measured, it says what to do", async () => {
  await folder("20261121-080000", { "run.json": "{}", "samples.ndjson": "" });
  await expect(newestRun(results)).rejects.toThrow(/no run in .* that has a sample.*npm run bench/);
});

test("--share prints what can be pasted: the answer, a line for each case, its caveats, and a command that run takes", async () => {
  const run = await writeSyntheticRun(results, { rounds: 20 });
  await evenbench("report", run, "--quiet");
  // It reads what the report said, and runs are handed on without their samples.
  await rm(join(run, "samples.ndjson"));
  const { code, stdout, stderr } = await evenbench("report", run, "--share");
  expect([code, stderr]).toEqual([0, ""]);
  const lines = stdout.trim().split("\n");
  expect(lines[0]).toMatch(/faster|slower|same|unclear|not warm/);
  expect(stdout).toMatch(/^\| Trigonometry, 100\sB +\| +30\.\d ms \| /m);
  expect(stdout).toMatch(/trials a case, warm code, no network/);
  expect(lines.at(-1)).toMatch(/^Evenbench \S+, run \S+$/);
  expect(stdout).not.toContain("report.html");
  const [command = ""] = lines.filter((line) => line.startsWith("npm run bench -- "));
  expect(await runOptions(command.split(" ").slice(4))).toMatchObject({ case: expect.any(Array) });
});

test("with a load's folder, what only runs have is refused; --quiet prints the answers alone", async () => {
  await writeSyntheticLoad(results, { levels: "concurrency" });
  for (const option of ["--share", "--table", "--anyway"]) {
    const { code, stdout, stderr } = await evenbench("report", results, option);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(`evenbench: ${option} is for runs, and ${results} is a load. Leave it out`);
  }
  const { stdout } = await evenbench("report", results, "--quiet");
  expect(stdout).toMatch(/^\S+: \S+ answers about .* requests a second at most/);
  expect(stdout).not.toMatch(/p95/);
  expect(stdout).toMatch(/^Report: .*load\.html$/m);
});
