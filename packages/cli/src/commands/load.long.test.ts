import { readdir, readFile, writeFile } from "node:fs/promises";
import { NEEDS_K6 } from "@evenbench/load/testing/k6";
import { expect, test, vi } from "vitest";
import { evenbench, runIn, start, succeeded, testFolder, words } from "../../test/evenbench.ts";

const at = testFolder();
const recordOf = async (folder: string, file = "load.json") =>
  JSON.parse(await readFile(`${folder}/${file}`, "utf8"));

test("servers of one's own are loaded by their paths, with p95 and p99 in the table, which can be made again", async () => {
  const server = at("server.mjs");
  await writeFile(
    server,
    'import { createServer } from "node:http";\ncreateServer((_, response) => response.end(process.env.NODE_ENV)).listen(process.env.PORT, "127.0.0.1");\n',
  );
  const target = (name: string) => ["--target", `${name}=cmd: exec node ${server}`];
  const { stdout, stderr } = await succeeded(
    start([
      "load",
      ...target("old"),
      ...target("new"),
      ...words`--path /products --concurrency 1,3 --trials 1 --time 1s --server-cores all --out ${at("own")}`,
    ]).ended,
  );
  expect(stderr).toContain("NODE_ENV=production");
  expect(stdout).toMatch(/^target +load +answers\/s +median/m);
  const folder = await runIn(at("own"));
  expect((await readdir(folder)).toSorted()).toEqual([
    "facts.json",
    "load.html",
    "load.json",
    "logs",
    "samples.ndjson",
  ]);
  const again = await evenbench("report", "--out", at("own"));
  expect([again.code, again.stdout]).toEqual([0, stdout]);
  const { stages } = await recordOf(folder);
  expect(stages.map((stage: { target: string }) => stage.target).toSorted()).toEqual(words`new new old old`);
  expect(stages.every((stage: { completed: number }) => stage.completed > 0)).toBe(true);
});

test("k6 puts a rate on instances in turn, and the report names it", NEEDS_K6, async () => {
  await succeeded(
    start([
      ...words`load --no-build --target node --case empty --engine k6 --rate 50`,
      ...words`--instances 2 --connections 6 --trials 1 --time 1s --out ${at("k6")}`,
    ]).ended,
  );
  const folder = await runIn(at("k6"));
  const { plan, stages } = await recordOf(folder);
  expect(plan).toMatchObject({ engine: { name: "k6" }, stageMs: 1000 });
  const [stage] = stages;
  expect(stage).toMatchObject({ load: { perSecond: 50, arrivals: "uniform" }, queued: 0, ended: null });
  expect(stage.sent + stage.dropped).toBe(50);
  const lines = (await readFile(`${folder}/samples.ndjson`, "utf8")).trimEnd().split("\n");
  expect(lines).toHaveLength(stage.sent);
  expect(new Set(lines.map((line) => JSON.parse(line).instanceId)).size).toBe(2);
  expect(await readFile(`${folder}/load.html`, "utf8")).toMatch(/k6 \d/);
});

test("without k6 on the machine, that is said before anything is built", async () => {
  vi.stubEnv("K6", at("no-such-k6"));
  const { code, stderr } = await evenbench(...words`load --case empty --target node --engine k6 --rate 50`);
  expect([code, stderr]).toEqual([1, expect.stringContaining("k6")]);
  expect(stderr).not.toContain("Building");
});
