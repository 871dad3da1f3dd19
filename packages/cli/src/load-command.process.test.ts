import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { evenbench, killStarted, start } from "../test/evenbench.ts";

let out: string;
beforeAll(async () => {
  out = await mkdtemp(join(tmpdir(), "evenbench-load-"));
});
afterAll(() => rm(out, { recursive: true }));
afterEach(killStarted);

test("a short real load leaves its files, and its report can be made again", async () => {
  const { code, stdout, stderr } = await start([
    ...["load", "--no-build", "--target", "node,cloudflare", "--case", "empty", "--concurrency", "1,3"],
    ...["--trials", "1", "--time", "1s", "--out", out],
  ]).ended;
  expect(code, stderr).toBe(0);
  const [name = ""] = (await readdir(out)).filter((entry) => !entry.startsWith("."));
  const folder = join(out, name);
  expect((await readdir(folder)).toSorted()).toEqual(["load.html", "load.json", "logs", "samples.ndjson"]);
  const run = JSON.parse(await readFile(join(folder, "load.json"), "utf8"));
  expect(run.stages).toHaveLength(4);
  expect(run.stages.every((stage: { completed: number }) => stage.completed > 0)).toBe(true);
  for (const word of ["node", "cloudflare", "concurrency 3", "load.html"]) expect(stdout).toContain(word);
  const again = await evenbench("report", "--out", out);
  expect(again.code).toBe(0);
  expect(again.stdout).toContain("load.html");
});

test("a run with a sweep has it in its folder and in its report", async () => {
  const runs = join(out, "runs");
  const { code, stderr } = await start([
    ...["run", "--no-build", "--target", "node,cloudflare", "--case", "empty"],
    ...["--quick", "--sweep", "1s", "--out", runs],
  ]).ended;
  expect(code, stderr).toBe(0);
  const [name = ""] = (await readdir(runs)).filter((entry) => !entry.startsWith("."));
  const sweep = JSON.parse(await readFile(join(runs, name, "sweep", "load.json"), "utf8"));
  expect(sweep).toMatchObject({ id: `${name}-sweep`, status: "complete" });
  const report = await readFile(join(runs, name, "report.html"), "utf8");
  for (const drawn of ["Latency, empty", "Answers, empty"]) expect(report).toContain(drawn);
  const again = await evenbench("report", join(runs, name));
  expect(again.code, again.stderr).toBe(0);
  expect(await readFile(join(runs, name, "report.html"), "utf8")).toBe(report);
});

test.each([
  [["--concurrency", "2"], /required option '-c, --case <id...>' not specified/],
  [["--case", "empty", "--concurrency", "none"], /Give numbers from 1 to 1024/],
  [["--case", "empty", "--rate", "-3"], /Give rates above 0/],
  [["--case", "empty", "--capacity", "quick"], /such as "p99 <= 250ms"/],
  [["--case", "empty", "--rate", "3", "--concurrency", "3"], /cannot be used with/],
  [["--case", "emtpy"], /no case "emtpy"\. Did you mean "empty"\?/],
  [
    ["--case", "empty", "--instances", "2", "--target", "mine=http://127.0.0.1:9"],
    /--instances starts instances of local targets/,
  ],
])("load %j is refused with exit code 2 and a clear line", async (args, message) => {
  const { code, stderr } = await evenbench("load", "--no-build", ...args);
  expect(stderr).toMatch(message);
  expect(code).toBe(2);
});
