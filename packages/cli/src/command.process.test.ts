import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { splitCores } from "@evenbench/host";
import { stillRunning } from "@evenbench/host/testing";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { evenbench, killStarted, start } from "../test/evenbench.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "evenbench-cli-"));
});
afterAll(() => rm(folder, { recursive: true }));
afterEach(killStarted);

const runFolder = async (out: string): Promise<string> => {
  const [name] = (await readdir(out)).filter((entry) => !entry.startsWith("."));
  return join(out, name ?? "");
};

test("a short real run proves, measures all three targets, and leaves every file", async () => {
  const out = join(folder, "short");
  const { code, stdout, stderr } = await start(
    [
      "--no-build",
      "--case",
      "empty",
      "--trials",
      "2",
      "--rounds",
      "6",
      "--warm-up",
      "3",
      "--seed",
      "7",
      "--server-cores",
      "apart",
      "--out",
      out,
    ],
    { cwd: folder },
  ).ended;
  expect(code, stderr).toBe(0);
  for (const name of ["cloudflare", "Node.js", "vercel"]) expect(stdout).toContain(name);
  const run = await runFolder(out);
  expect(stdout).toContain(join(run, "report.html"));
  const record = JSON.parse(await readFile(join(run, "run.json"), "utf8"));
  expect(record).toMatchObject({ status: "complete", plan: { seed: 7 } });
  expect(record.machine.coresApart).toEqual(splitCores());
  const targets = record.plan.targets.map(({ name }: { name: string }) => name).sort();
  expect(targets).toEqual(["cloudflare", "node", "node~copy", "vercel"]);
  expect((await readFile(join(run, "samples.ndjson"), "utf8")).trim().split("\n").length).toBeGreaterThan(60);
  const html = await readFile(join(run, "report.html"));
  const markdown = await readFile(join(run, "report.md"));
  expect(html.toString()).toMatch(/^<!doctype html>/i);

  const again = await evenbench("report", run);
  expect(again.code, again.stderr).toBe(0);
  expect((await readFile(join(run, "report.html"))).equals(html)).toBe(true);
  expect((await readFile(join(run, "report.md"))).equals(markdown)).toBe(true);
});

test("Ctrl-C half-way keeps and reports what was measured, with exit code 130 and no process left", async () => {
  const out = join(folder, "interrupted");
  const { child, ended } = start(["--no-build", "--case", "empty", "--time", "60s", "--out", out]);
  const samples = async () => join(await runFolder(out), "samples.ndjson");
  await expect
    .poll(
      async () =>
        existsSync(out) && existsSync(await samples()) && (await readFile(await samples(), "utf8")).length,
      {
        timeout: 40_000,
      },
    )
    .toBeGreaterThan(5000);
  child.kill("SIGINT");
  // As a group of processes gets it: once by itself, and passed on from above.
  setTimeout(() => child.kill("SIGTERM"), 100);
  const { code, stdout, stderr } = await ended;
  expect(code, stderr).toBe(130);
  expect(stdout).toContain("report.html");
  expect(JSON.parse(await readFile(join(await runFolder(out), "run.json"), "utf8")).status).toBe(
    "interrupted",
  );
});

test("compare and history read what runs left", async () => {
  const out = join(folder, "short");
  const run = await runFolder(out);
  const same = await evenbench("compare", run, run, "--fail-on", "slower 1%");
  // So few requests cannot rule it out.
  expect(same.code, same.stderr).toBe(3);
  expect(same.stdout).toContain("did not take turns");
  const trends = await evenbench("history", out);
  // So short a run warms up nothing.
  expect(trends.stdout).toMatch(/left out: .*: empty was not warm on /);
  const all = await evenbench("history", out, "--anyway");
  expect(all.stdout).toMatch(/empty\s+\w+\s+1 /);
  const wrong = await evenbench("compare", run, run, "--fail-on", "somewhat slower");
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain('such as "slower 5%"');
});

test("serve prints one line of JSON, answers, and ends with all its processes at Ctrl-C", async () => {
  const { child, ended } = start(["serve", "--json", "--no-build", "--app", "bundle"]);
  const [line] = await once(child.stdout as NodeJS.ReadableStream, "data");
  const { targets } = JSON.parse(String(line));
  const names = targets.map(({ name }: { name: string }) => name);
  expect(names).toEqual(expect.arrayContaining(["cloudflare", "node", "vercel"]));
  for (const { app, platform, url } of targets) {
    expect(await (await fetch(`${url}/identity`)).json()).toMatchObject({ app, platform });
    expect(new URL(url).hostname).toBe("127.0.0.1");
  }
  child.kill("SIGINT");
  await ended;
  expect(await stillRunning(targets.flatMap(({ pids }: { pids: number[] }) => pids))).toEqual([]);
});

test("list names every target and case, also as JSON", async () => {
  const { stdout } = await evenbench("list", "--json");
  const { targets, cases } = JSON.parse(stdout);
  expect(targets).toContainEqual({ name: "cloudflare", app: "bundle", platform: "cloudflare" });
  expect(cases.bundle.map(({ id }: { id: string }) => id)).toContain("react-ssr");
  expect((await evenbench("list")).stdout).toContain("bytes=100000 (an integer from 0 to 33554432)");
});

test.each([
  [["--case", "react-srr"], /no case "react-srr"\. Did you mean "react-ssr"\?/],
  [["--target", "nodee"], /no target "nodee"\. Did you mean "node"\?/],
  [["--app", "bundel"], /no app "bundel"\. Did you mean "bundle"\?/],
  [["--baseline", "verce"], /no target "verce"\. Did you mean "vercel"\?/],
  [["--target", "mine=not a url"], /"mine=not a url" is not a target\. Write name=URL/],
  [["--target", "constructor=http://127.0.0.1:9"], /"constructor" cannot name a target\. Give one of/],
  [["--target", "__proto__=http://127.0.0.1:9"], /"__proto__" cannot name a target/],
  [["--target", "mine~copy=http://127.0.0.1:9"], /"mine~copy" cannot name a target/],
  [
    ["--target", "mine=http://me:secret@127.0.0.1:9"],
    /^evenbench: The URL of "mine" contains a user or password(?!.*secret)/,
  ],
  [
    ["--target", "mine=http://127.0.0.1:9", "--token-for", "127.0.0.1"],
    /--token-for names "127\.0\.0\.1", but no --target/,
  ],
  [["--caze", "empty"], /unknown option '--caze'[\s\S]*Did you mean --case\?/],
  [["--time", "soon"], /Give a duration with its unit, such as "60s"/],
  [["--time", "10"], /Give a duration with its unit, such as "60s"/],
  [["--time", "1s", "--total", "2s"], /'--time <duration>' cannot be used with option '--total <duration>'/],
  [["--case", "empty,react-ssr", "--time", "empty=20s"], /no time for "react-ssr"/],
  [
    ["--case", "empty,trig", "--time", "empty=9s,trigg=9s,trig=9s"],
    /no case to give time to "trigg"\. Did you mean "trig"\?/,
  ],
  [["--rounds", "0"], /whole number from 1 to/],
  [["--cpu", "provider"], /--cpu provider asks platforms, .* Add --where deployed/],
  [["rnu"], /no command "rnu"\. Did you mean "run"\?/],
  [["bnech"], /no command "bnech"\. Did you mean "bench"\?/],
  [["serve", "--target", "mine=https://mine.example"], /serve starts local targets only, .* Leave --target/],
  [["serve", "--where", "deployed"], /serve starts local targets only, .* Leave --target and --where out/],
  [["serv", "--json"], /no command "serv"\. Did you mean "serve"\?/],
])("%j is refused with exit code 2 and a clear line, before anything is built", async (args, message) => {
  const { code, stderr } = await evenbench(...args);
  expect(stderr).toMatch(message);
  expect(stderr).not.toContain("Building");
  expect(code).toBe(2);
});

test("the process ends with the code of its command", async () => {
  const { code, stderr } = await start(["--caze", "empty"]).ended;
  expect(stderr).toContain("unknown option '--caze'");
  expect(code).toBe(2);
});

test("a target that is down is refused before anything is measured", async () => {
  const out = join(folder, "down");
  const { code, stderr } = await evenbench(
    ...[
      "--no-build",
      "--case",
      "empty",
      "--target",
      "gone=http://127.0.0.1:9",
      "--target",
      "node",
      "--out",
      out,
    ],
  );
  expect(code).toBe(1);
  expect(stderr).toMatch(/gone gives no usable answer at http:\/\/127\.0\.0\.1:9/);
  expect(stderr).not.toMatch(/^\s+at /m);
});

test("a results folder that cannot be written is one clear error", async () => {
  const file = join(folder, "a-file");
  await writeFile(file, "");
  await chmod(file, 0o444);
  const { code, stderr } = await evenbench("--no-build", "--case", "empty", "--out", join(file, "results"));
  expect(code).toBe(1);
  expect(stderr).toMatch(/evenbench: .*a-file/);
  expect(stderr).not.toMatch(/^\s+at /m);
});

test("work that waits for what never comes ends with a word and code 1", async () => {
  const stuck =
    'import fs from "node:fs/promises"; import { syncBuiltinESMExports } from "node:module"; fs.readFile = () => new Promise(() => {}); syncBuiltinESMExports();';
  const env = { ...process.env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(stuck)}` };
  const words = ["run", "--target", "a=http://127.0.0.1:9", "--path", "/", "--body", import.meta.filename];
  const { code, stderr } = await start(words, { env }).ended;
  expect(stderr).toContain("This is a defect");
  expect(code).toBe(1);
});
