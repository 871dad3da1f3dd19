import { mkdir, readdir, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { evenbench, runIn, start, testFolder, words } from "../../test/evenbench.ts";

const at = testFolder();

const profile = (...args: string[]) => evenbench("profile", ...args, "--no-build");

test("a server of one's own is profiled by its path: the process that serves, below a package manager", async () => {
  await mkdir(at("own"));
  await writeFile(
    at("own/server.mjs"),
    'import { createServer } from "node:http";\ncreateServer((_, response) => { let x = 0; for (let i = 0; i < 1e6; i++) x += Math.sqrt(i); response.end(String(x)); }).listen(process.env.PORT, "127.0.0.1");\n',
  );
  await writeFile(at("own/package.json"), '{ "scripts": { "start": "node server.mjs" } }');
  const out = at("out");
  const asked = ["profile", "--target", "new=cmd: npm start", ...words`--path /x --time 500ms --out ${out}`];
  const { code, stdout, stderr } = await start(asked, { cwd: at("own") }).ended;
  expect(code, stderr).toBe(0);
  expect(stdout).toMatch(/your code +[\d.]+ %/);
  expect(stdout).toMatch(/new \(Node\.js \d/);
  expect(stdout).toContain("The collector's share: samples with");
  const folder = await runIn(out);
  expect(stdout).toContain(`${folder}/*.cpuprofile`);
  expect((await readdir(folder)).sort()).toEqual(words`logs new.cpuprofile profile.json`);
});

test.each([
  [["react-srr", "-t", "node"], 'There is no case "react-srr". Did you mean "react-ssr"?'],
  [["react-ssr", "-t", "nod"], 'There is no target "nod". Did you mean "node"?'],
  [
    ["react-ssr", "-t", "mine=https://worker.example.workers.dev"],
    '"mine" is a URL, and this command starts targets by itself. Name local ones',
  ],
  [["react-ssr", "-t", "node,next-node"], "next-node serves none of these cases: react-ssr."],
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
