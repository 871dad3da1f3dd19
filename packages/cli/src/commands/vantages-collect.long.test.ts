import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { writePlanFolder } from "@evenbench/vantages/testing/logs";
import { afterAll, beforeAll, expect, test } from "vitest";

const CLI = fileURLToPath(new URL("../../evenbench.ts", import.meta.url));

let plan: string;
let out: string;
beforeAll(async () => {
  plan = await mkdtemp(join(tmpdir(), "evenbench-vantages-"));
  out = join(plan, "results");
  await writePlanFolder(plan, [
    { vantage: "eu", otherMs: 5 },
    { vantage: "here", routeMs: 1, otherMs: 5 },
    { vantage: "us", routeMs: 80, otherMs: 5 },
  ]);
});
afterAll(() => rm(plan, { recursive: true }));

function collect(...args: string[]): Promise<{ code: unknown; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [CLI, "vantages", "collect", plan, "--out", out, ...args],
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : error.code, stdout, stderr }),
    );
  });
}

test("collects every log beside the plan into a run, and reports it", async () => {
  const { code, stdout, stderr } = await collect();
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/\ntrig: cloudflare takes [45]\.\d+ ms \(.*\) longer than node, over 3 vantages/);
  const [run = ""] = await readdir(out);
  expect(await readdir(join(out, run))).toEqual(
    expect.arrayContaining(["report.html", "run.json", "samples.ndjson"]),
  );
});

test("fails on a log that is not whole, and says what --anyway does; with it, the report says so first", async () => {
  const torn = join(plan, "torn.log");
  await writeFile(torn, '{"evenbench":"begin","proto');
  const refused = await collect(join(plan, "logs/eu.log"), torn);
  expect([refused.code, refused.stdout]).toEqual([1, ""]);
  expect(refused.stderr).toMatch(/^evenbench: 2 things are wrong .*\n {2}.*torn\.log is damaged/);
  const cut = join(plan, "cut.log");
  const lines = (await readFile(join(plan, "logs/us.log"), "utf8")).split("\n");
  await writeFile(cut, `${lines.slice(0, 100).join("\n")}\n`);
  const asked = await collect(join(plan, "logs/eu.log"), cut, "--anyway");
  expect(asked.code).toBe(0);
  expect(asked.stdout).toMatch(/^! A client's log is incomplete: .*cut\.log: the log of us/);
});

test("without a plan or a log it says what to do", async () => {
  expect((await collect(join(plan, "nowhere.log"))).stderr).toMatch(/nowhere\.log cannot be read \(ENOENT\)/);
});
