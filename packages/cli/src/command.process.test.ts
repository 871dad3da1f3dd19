import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { relative } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { splitCores } from "@evenbench/host";
import { descendants, stillRunning } from "@evenbench/host/testing";
import { expect, test } from "vitest";
import { CLI, evenbench, readIn, runIn, start, succeeded, testFolder, words } from "../test/evenbench.ts";

const at = testFolder();

test("a short real run proves, measures all three targets, and leaves every file", async () => {
  const out = at("short");
  const short = words`--trials 2 --time 2s --seed 7 --server-cores apart`;
  const { stdout } = await succeeded(
    start([...words`--no-build --case empty --out ${out}`, ...short], { cwd: at() }).ended,
  );
  for (const name of ["Cloudflare's workerd", "Node.js", "Vercel's adapter"]) {
    expect(stdout).toContain(name);
  }
  const run = await runIn(out);
  expect(stdout).toContain(`Report: ${relative(at(), run)}/report.html`);
  const record = JSON.parse(await readIn(out, "run.json"));
  expect(record).toMatchObject({ status: "complete", plan: { seed: 7 } });
  expect(record.machine.coresApart).toEqual(splitCores());
  const targets = record.plan.targets.map(({ name }: { name: string }) => name).sort();
  expect(targets).toEqual(["cloudflare", "node", "node~copy", "vercel"]);
  expect((await readIn(out, "samples.ndjson")).trim().split("\n").length).toBeGreaterThan(30);
  const reports = () => Promise.all(["report.html", "report.md"].map((file) => readIn(out, file)));
  const made = await reports();
  expect(made[0]).toMatch(/^<!doctype html>/i);

  await succeeded(evenbench("report", run));
  expect(await reports()).toEqual(made);
});

test("Ctrl-C half-way keeps and reports what was measured, with exit code 130 and no process left", async () => {
  const out = at("interrupted");
  const { child, ended } = start(words`--no-build --case empty --target node --time 120s --out ${out}`);
  await expect.poll(async () => (await readIn(out, "samples.ndjson")).length).toBeGreaterThan(1000);
  const below = descendants(child.pid ?? Number.NaN);
  child.kill("SIGINT");
  // As a group of processes gets it: once by itself, and passed on from above.
  setTimeout(() => child.kill("SIGTERM"), 100);
  const { code, stdout, stderr } = await ended;
  expect(code, stderr).toBe(130);
  expect(stdout).toContain("report.html");
  expect(JSON.parse(await readIn(out, "run.json")).status).toBe("interrupted");
  expect(await stillRunning(below)).toEqual([]);
});

test("serve prints one line of JSON, answers, and ends with all its processes at Ctrl-C", async () => {
  const { child, ended } = start(words`serve --json --no-build --app bundle`);
  const [line] = await once(child.stdout, "data");
  const { targets } = JSON.parse(String(line));
  const names = targets.map(({ name }: { name: string }) => name);
  expect(names).toEqual(expect.arrayContaining(["cloudflare", "node", "vercel"]));
  for (const { app, platform, url } of targets) {
    expect(await (await fetch(`${url}/identity`)).json()).toMatchObject({ app, platform });
    expect(new URL(url).hostname).toBe("127.0.0.1");
  }
  child.kill("SIGINT");
  expect(await ended).toMatchObject({ code: 130, stderr: expect.stringContaining("Ctrl-C stops") });
  expect(await stillRunning(targets.flatMap(({ pids }: { pids: number[] }) => pids))).toEqual([]);
});

test("list names every target and case, also as JSON", async () => {
  const { targets, cases } = JSON.parse((await evenbench("list", "--json")).stdout);
  expect(targets).toContainEqual({ name: "cloudflare", app: "bundle", platform: "cloudflare" });
  expect(cases.bundle.map(({ id }: { id: string }) => id)).toContain("react-ssr");
  expect((await evenbench("list")).stdout).toMatch(/^\* react-ssr +\S/m);
});

test.each([
  [words`--target gone=http://127.0.0.1:9 --target node --out ${at("down")}`, /gone gives no usable answer/],
  [words`--out ${import.meta.filename}/results`, /evenbench: .*command\.process\.test\.ts/],
])("what cannot be measured or written is one clear error: %j", async (args, message) => {
  const { code, stderr } = await evenbench(...words`--no-build --case empty`, ...args);
  expect(code).toBe(1);
  expect(stderr).toMatch(message);
  expect(stderr).not.toMatch(/^\s+at /m);
});

test("in a folder that was removed, a command ends with one line", async () => {
  const place = at("removed");
  mkdirSync(place);
  const inRemoved = 'cd "$0" && rmdir "$0" && exec "$1" "$2" report x';
  const { stderr } = spawnSync("sh", ["-c", inRemoved, place, process.execPath, CLI], { encoding: "utf8" });
  expect(stderr).toMatch(/^evenbench: The current folder is not there .*\n$/);
});

test("work that waits for what never comes ends with a word and code 1", async () => {
  const stuck =
    'import fs from "node:fs/promises"; import { syncBuiltinESMExports } from "node:module"; fs.readFile = () => new Promise(() => {}); syncBuiltinESMExports();';
  const env = { ...process.env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(stuck)}` };
  const { code, stderr } = await start(words`--no-build --target node --case empty`, { env }).ended;
  expect([code, stderr]).toEqual([1, expect.stringContaining("This is a defect")]);
});

test.skipIf(!existsSync("/dev/full"))(
  "a full disk behind the output is one line, and exit code 1",
  async () => {
    const full = openSync("/dev/full", "w");
    const child = spawn(process.execPath, [CLI, "run", "--help"], { stdio: ["ignore", full, "pipe"] });
    closeSync(full);
    const [[code], said] = await Promise.all([once(child, "exit"), text(child.stderr as Readable)]);
    expect(said).toBe("evenbench: the output cannot be written (ENOSPC). Files are still written.\n");
    expect(code).toBe(1);
  },
);

test("a reader that leaves early, as head does, is no failure", async () => {
  const { child, ended } = start(["run", "--help"]);
  child.stdout.destroy();
  expect(await ended).toMatchObject({ code: 0, stderr: "" });
});
