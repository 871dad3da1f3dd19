import { mkdir, readdir, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { runIn, start, succeeded, testFolder, words } from "../../test/evenbench.ts";

const at = testFolder();

test("a server of one's own is profiled by its path: the process that serves, below a package manager", async () => {
  await mkdir(at("own"));
  // V8 may inline a handler into Node.js's own code, but never all of a recursion.
  await writeFile(
    at("own/server.mjs"),
    `import { createServer } from "node:http";
const fibonacci = (n) => (n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2));
createServer((_, response) => response.end(String(fibonacci(25)))).listen(process.env.PORT, "127.0.0.1");
`,
  );
  await writeFile(at("own/package.json"), '{ "scripts": { "start": "node server.mjs" } }');
  const out = at("out");
  const asked = ["profile", "--target", "new=cmd: npm start", ...words`--path /x --time 500ms --out ${out}`];
  const { stdout } = await succeeded(start(asked, { cwd: at("own") }).ended);
  expect(stdout).toMatch(/your code +[\d.]+ %/);
  expect(stdout).toMatch(/new \(Node\.js \d/);
  expect(stdout).toContain("The collector's share: samples with");
  const folder = await runIn(out);
  expect(stdout).toContain(`${folder}/*.cpuprofile`);
  expect((await readdir(folder)).sort()).toEqual(words`logs new.cpuprofile profile.json`);
});
