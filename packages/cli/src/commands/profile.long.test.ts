import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { evenbench, killStarted, start } from "../../test/evenbench.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "evenbench-profile-command-"));
});
afterAll(() => rm(folder, { recursive: true }));
afterEach(killStarted);

const profile = (...args: string[]) => evenbench("profile", ...args, "--no-build");

test("two targets side by side: a table, how it was counted, and the files", async () => {
  const out = await mkdtemp(join(folder, "out-"));
  const { code, stdout, stderr } = await start(
    [
      ...["profile", "react-ssr", "--target", "node", "--target", "cloudflare"],
      ...["--no-build", "--time", "500ms", "--out", out],
    ],
    { cwd: folder },
  ).ended;
  expect(code, stderr).toBe(0);
  expect(stdout).toMatch(/self time by package +cloudflare +node/);
  expect(stdout).toMatch(/react-dom +[\d.]+ % +[\d.]+ %/);
  // Half a second on a busy machine need not see the collector at both.
  expect(stdout).toMatch(/garbage collector +([\d.]+ %|–) +([\d.]+ %|–)/);
  expect(stdout).toContain("The collector's share: samples with");
  const [name = ""] = await readdir(out);
  expect(stdout).toContain(`${join(out, name)}/*.cpuprofile`);
  expect((await readdir(join(out, name))).sort()).toEqual(
    ["cloudflare.cpuprofile", "logs", "node.cpuprofile", "profile.json"].sort(),
  );
});

test("a server of one's own is profiled by its path: the process that serves, below a package manager", async () => {
  const own = await mkdtemp(join(folder, "own-"));
  await writeFile(
    join(own, "server.mjs"),
    'import { createServer } from "node:http";\ncreateServer((_, response) => { let x = 0; for (let i = 0; i < 1e6; i++) x += Math.sqrt(i); response.end(String(x)); }).listen(process.env.PORT, "127.0.0.1");\n',
  );
  await writeFile(join(own, "package.json"), '{ "scripts": { "start": "node server.mjs" } }');
  const words = ["--path", "/x", "--time", "500ms"];
  const { code, stdout, stderr } = await start(["profile", "--target", "new=cmd: npm start", ...words], {
    cwd: own,
  }).ended;
  expect(code, stderr).toBe(0);
  expect(stdout).toMatch(/your code +[\d.]+ %/);
  expect(stdout).toMatch(/new \(Node\.js \d/);
});

test.each([
  [["react-srr", "-t", "node"], 'There is no case "react-srr". Did you mean "react-ssr"?'],
  [["react-ssr", "-t", "nod"], 'There is no target "nod". Did you mean "node"?'],
  [
    ["react-ssr", "-t", "mine=https://worker.example.workers.dev"],
    '"mine" is a URL: its runtime\'s inspector cannot be reached',
  ],
  [
    ["react-ssr", "-t", "node,next-node"],
    'next-node does not serve the case "react-ssr". Of the targets named, node does.',
  ],
  [["--path", "/"], "No --target names one of your own servers"],
  [["-t", "mine=http://127.0.0.1:9", "--path", "/"], '"mine" is a URL: its runtime'],
  [[], "Name what to profile"],
])("%j is a wrong command line, told in one line", async (args, message) => {
  const { code, stdout, stderr } = await profile(...args);
  expect(code).toBe(2);
  expect(stdout).toBe("");
  expect(stderr.trim().split("\n")).toHaveLength(1);
  expect(stderr).toContain(message);
});

test("a folder that cannot be written is said before anything is started", async () => {
  await writeFile(join(folder, "file"), "");
  const { code, stderr } = await profile("react-ssr", "-t", "node", "--out", join(folder, "file/below"));
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^evenbench: .* cannot be written \(ENOTDIR\)\. Choose another folder with --out\.\n$/,
  );
});
