import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NEEDS_K6 } from "@evenbench/vantages/testing";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { evenbench, killStarted, start } from "../../test/evenbench.ts";

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

test("servers of one's own are loaded by their paths, with p95 and p99 in the table", async () => {
  const server = join(out, "server.mjs");
  await writeFile(
    server,
    'import { createServer } from "node:http";\ncreateServer((_, response) => response.end(process.env.NODE_ENV)).listen(process.env.PORT, "127.0.0.1");\n',
  );
  const loads = join(out, "own");
  const target = (name: string) => ["--target", `${name}=cmd: exec node ${server}`];
  const { code, stdout, stderr } = await start([
    ...["load", ...target("old"), ...target("new"), "--path", "/products", "--concurrency", "1,3"],
    ...["--trials", "1", "--time", "1s", "--server-cores", "all", "--out", loads],
  ]).ended;
  expect(code, stderr).toBe(0);
  expect(stderr).toContain("NODE_ENV=production");
  expect(stdout).toMatch(/^target +load +answers\/s +p50 +p95 +p99/m);
  const [name = ""] = (await readdir(loads)).filter((entry) => !entry.startsWith("."));
  const run = JSON.parse(await readFile(join(loads, name, "load.json"), "utf8"));
  expect(run.stages.map(({ target }: { target: string }) => target).toSorted()).toEqual([
    ...["new", "new", "old", "old"],
  ]);
  expect(run.stages.every((stage: { completed: number }) => stage.completed > 0)).toBe(true);
});

test("k6 puts a rate on instances in turn, and the report names it", NEEDS_K6, async () => {
  const loads = join(out, "k6");
  const { code, stdout, stderr } = await start([
    ...["load", "--no-build", "--target", "node", "--case", "empty", "--engine", "k6", "--rate", "50"],
    ...["--instances", "2", "--connections", "6", "--trials", "1", "--time", "1s", "--out", loads],
  ]).ended;
  expect(code, stderr).toBe(0);
  expect(stdout).toMatch(/Requests were sent by k6 \d/);
  const [name = ""] = (await readdir(loads)).filter((entry) => !entry.startsWith("."));
  const run = JSON.parse(await readFile(join(loads, name, "load.json"), "utf8"));
  expect(run.plan).toMatchObject({ engine: { name: "k6" }, stageMs: 1000 });
  const [stage] = run.stages;
  expect(stage).toMatchObject({ load: { perSecond: 50, arrivals: "uniform" }, queued: 0, ended: null });
  expect(stage.sent + stage.dropped).toBe(50);
  const lines = (await readFile(join(loads, name, "samples.ndjson"), "utf8")).trimEnd().split("\n");
  expect(lines).toHaveLength(stage.sent);
  expect(new Set(lines.map((line) => JSON.parse(line).instanceId)).size).toBe(2);
  expect(await readFile(join(loads, name, "load.html"), "utf8")).toContain("sent by k6");
});

test("a run with a sweep has it in its folder and in its report", async () => {
  const runs = join(out, "runs");
  const { code, stderr } = await start([
    ...["run", "--no-build", "--target", "node", "--case", "empty"],
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
  [["--concurrency", "2"], /Name what to load: a case/],
  [["--case", "empty", "--concurrency", "none"], /Give numbers from 1 to 1024/],
  [["--case", "empty", "--rate", "-3"], /Give rates above 0/],
  [["--case", "empty", "--capacity", "quick"], /such as "p99 <= 250ms"/],
  [["--case", "empty", "--rate", "3", "--concurrency", "3"], /cannot be used with/],
  [["--case", "empty", "--engine", "k6", "--concurrency", "2"], /k6 can only send at a rate/],
  [["--case", "empty", "--engine", "k6"], /Give one, such as --rate/],
  [
    ["--case", "empty", "--engine", "k6", "--rate", "5", "--arrivals", "poisson"],
    /k6 makes arrivals with equal gaps/,
  ],
  [
    ["--case", "empty", "--engine", "k6", "--rate", "5", "--target", "mine=http://127.0.0.1:9"],
    /k6 can only load targets that Evenbench starts, and mine runs elsewhere/,
  ],
  [["--case", "empty", "--machines", "3"], /--machines is for a load from several machines\. Add --plan/],
  [["--case", ""], /It names nothing/],
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
