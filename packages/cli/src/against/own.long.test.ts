// A user's app against itself: at another commit of its own repository, and with another version of a package.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gitIn, writeFiles } from "@evenbench/host/testing/folder";
import { serveRegistry } from "@evenbench/host/testing/registry";
import type { Facts } from "@evenbench/report";
import { readRun, type Sample } from "@evenbench/results";
import { beforeAll, expect, test } from "vitest";
import { type Ended, runIn, start, testFolder, words } from "../../test/evenbench.ts";

const run = promisify(execFile);
const at = testFolder();
const app = at("shop");
let environment: NodeJS.ProcessEnv;

/** How much CPU time the slower side spends on purpose in each request, in milliseconds. */
const WORK_MS = 5;

const BUSY = `export function work() {
  const end = process.cpuUsage().user + ${WORK_MS * 1000};
  while (process.cpuUsage().user < end);
}
`;
const IDLE = "export function work() {}\n";

const HANDLER = `import { mark } from "marker";
import { work } from "./work.js";
export default { fetch() { work(); mark(); return new Response("hello"); } };
`;

async function packMarker(version: string, content: string): Promise<string> {
  const folder = `packages/${version}`;
  const manifest = { name: "marker", version, type: "module", exports: "./index.js" };
  writeFiles(at(folder), { "package.json": manifest, "index.js": content });
  await run("npm", ["pack", "--pack-destination", at()], { cwd: at(folder) });
  return at(`marker-${version}.tgz`);
}

beforeAll(async () => {
  const versions = [
    await packMarker("1.0.0", IDLE.replace("work", "mark")),
    await packMarker("2.0.0", BUSY.replace("work", "mark")),
  ];
  const registry = await serveRegistry(versions, at("npm"));
  environment = { ...process.env, XDG_CACHE_HOME: at("cache"), ...registry };
  writeFiles(app, {
    "package.json": { name: "shop", type: "module", dependencies: { marker: "1.0.0" } },
    ".gitignore": "node_modules\n",
    "src/index.js": HANDLER,
    "src/work.js": IDLE,
    "evenbench.json": { paths: ["/of-the-file"] },
  });
  await run("npm", ["install", "--no-audit", "--no-fund"], { cwd: app, env: environment });
  const git = gitIn(app);
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("commit", "--quiet", "--message=Before");
  await writeFile(join(app, "src/work.js"), BUSY);
  git("commit", "--quiet", "--all", "--message=After");
});

/** An app that computes at its top level, and keeps so many bytes of each request. */
const keeping = (rounds: number, bytes: number) => `let sum = 0;
for (let index = 0; index < ${rounds}; index++) sum += index % 7;
const kept = [];
export default {
  fetch() {
    kept.push(new Uint8Array(${bytes}).fill(1));
    return new Response(sum > 0 ? "hello" : "");
  },
};
`;

/** Checks that the exit code is that of the verdict, and that the CPU time on purpose is in what was measured. */
async function expectSlower({ code, stdout, stderr, out }: Ended & { readonly out: string }): Promise<void> {
  const { changes, targets }: Facts = JSON.parse(stdout);
  const [found, ...others] = changes.filter(({ metric, role }) => metric === "cpuMs" && role === "main");
  expect(others).toEqual([]);
  expect(targets.find(({ name }) => name === found?.target)?.column).toBe("node");
  // A machine with other work disturbs measuring so much that no verdict is an honest answer as well.
  expect(["slower", "none", "unclear"]).toContain(found?.verdict);
  expect(code, stderr).toBe(found?.verdict === "slower" ? 1 : 3);
  const { samples } = await readRun(await runBelow(out));
  expect(meanCpuMs(samples, "node.head") - meanCpuMs(samples, "node.base")).toBeGreaterThan(WORK_MS / 2);
}

/** Gives the mean CPU time of a target's measured requests, in milliseconds; not a number where none was read. */
function meanCpuMs(samples: readonly Sample[], target: string): number {
  const ofTarget = samples.filter((sample) => sample.target === target && sample.phase === "measure");
  const times = ofTarget.map(({ cpuMs }) => cpuMs).filter((time) => time !== null);
  return times.reduce((total, time) => total + time, 0) / times.length;
}

/** Types `against` beside the app, and gives what was said and the folder of its runs. */
async function against(name: string, ...args: string[]): Promise<Ended & { readonly out: string }> {
  const out = at(name);
  const ended = await start(["against", ...args, "--out", out], { cwd: at(), env: environment }).ended;
  return { ...ended, out };
}

const SLOWER = ["--fail-on", "cpu slower 5%"];
const DECIDING = words`--on node --time 5s --cold 1 --json`;
/** Long enough for samples, whether they decide anything or not. */
const SHORT = words`--on node --time 1s --cold 0 --json`;

/** The folder of the one run in the one folder of a comparison, which bears the name of what was compared with. */
async function runBelow(out: string): Promise<string> {
  const [name = ""] = await readdir(out);
  return runIn(join(out, name));
}

test("an app that became slower since a commit fails a condition on CPU time; its folder and its repository stay as they were", async () => {
  const ended = await against("commit", "HEAD~1", "--own-app", "shop", ...DECIDING, ...SLOWER);
  await expectSlower(ended);
  const folder = await runBelow(ended.out);
  const { run: record } = await readRun(folder);
  expect(record.status).toBe("complete");
  expect(record.plan.targets.slice(0, 2).map(({ name, platform }) => [name, platform])).toEqual([
    ["node.base", "node"],
    ["node.head", "node"],
  ]);
  expect(record.plan.ownApp).toMatchObject({ folder: "shop" });
  expect(record.command?.slice(0, 4)).toEqual(["against", "HEAD~1", "--own-app", "shop"]);
  const report = await readFile(join(folder, "report.md"), "utf8");
  expect(report).toContain("| /of-the-file ");
  expect(record.coldStarts.length).toBeGreaterThan(0);
  expect(existsSync(join(folder, "report.html"))).toBe(true);
  const git = gitIn(app);
  expect([git("status", "--porcelain"), git("worktree", "list").split("\n").length]).toEqual(["", 1]);
});

test("the same sources with another version of a package are compared with the app as it is", async () => {
  const ended = await against("with", "--with", "marker@2.0.0", "--own-app", "shop", ...SHORT, ...SLOWER);
  await expectSlower(ended);
  expect(await readdir(ended.out)).toEqual(["marker@2.0.0"]);
  const installed = await readFile(join(app, "node_modules/marker/package.json"), "utf8");
  expect(JSON.parse(installed)).toMatchObject({ version: "1.0.0" });
});

// What each platform's starts and memory take is shown where they are measured: start-ups.process, memory.long.
test("an app that starts slower, and keeps more of each request, fails the conditions on both", async () => {
  const heavy = { "package.json": { name: "heavy", type: "module" }, "src/index.js": keeping(3e7, 0) };
  writeFiles(at("heavy"), heavy);
  const git = gitIn(at("heavy"));
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("commit", "--quiet", "--message=Before");
  writeFiles(at("heavy"), { "src/index.js": keeping(1e8, 40_000) });
  const conditions = ["--fail-on", "startup slower 10%", "--fail-on", "memory grows 1kB"];
  const asked = words`--on node --path / --time 1s --json`;
  const ended = await against("heavier", "HEAD", "--own-app", "heavy", ...asked, ...conditions);
  expect(ended.code, ended.stderr).toBe(1);
  const { changes, trends }: Facts = JSON.parse(ended.stdout);
  const slower = changes.filter(({ metric, verdict }) => metric === "startupCpuMs" && verdict === "slower");
  expect(slower.map(({ target }) => target)).toEqual(["node (after)"]);
  const grows = trends.filter(({ baseline, metric }) => baseline !== null && metric === "bufferBytes");
  expect(grows.map(({ target, verdict }) => `${target} ${verdict}`)).toEqual(["node (after) grows"]);
  expect(Math.abs((grows[0]?.estimate ?? 0) / 40_000 - 1)).toBeLessThan(0.05);
  expect(ended.stderr).toContain("evenbench: node is slower to start: ");
  expect(ended.stderr).toContain("evenbench: node in / grows: buffer memory ");
});

test("what is equal is not measured, and meets no condition", async () => {
  const ended = await against("equal", "HEAD", "--own-app", "shop", "--on", "node", ...SLOWER);
  expect(ended, ended.stderr).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("Both builds are equal byte for byte"),
  });
});

test("a version that is not there is said in a line", async () => {
  const ended = await against("refused", "--with", "marker@9.9.9", "--own-app", "shop", "--on", "node");
  expect(ended.stderr).toMatch(/npm install .*marker@9\.9\.9.*exit code/);
  expect([ended.code, ended.stdout]).toEqual([1, ""]);
});
