// The package, used on apps and servers of somebody else: what it says where tools are missing, and what it measures
// where they are installed.
import { readdirSync } from "node:fs";
import { cp, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { repositoryRoot } from "@evenbench/host";
import { gitIn } from "@evenbench/host/testing/folder";
import { serveRegistry } from "@evenbench/host/testing/registry";
import type { Facts } from "@evenbench/report";
import { readRun } from "@evenbench/results";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Installed, install, nodes } from "../test/installed.ts";

let installed: Installed;
const inFolder = (...path: string[]) => join(installed.folder, ...path);
const npx = (...words: readonly string[]) => installed.run(process.execPath, "npx", "evenbench", ...words);

/** Folders of the repository that have a tool installed, by the tool. */
const TOOLS: Readonly<Record<string, string>> = {
  "@edge-runtime/vm": "apps/vercel",
  "@vercel/node": "apps/vercel",
  esbuild: "apps/handler",
  wrangler: "apps/cloudflare",
};

const FILES: Readonly<Record<string, string>> = {
  "shop/package.json": '{ "name": "shop", "type": "module" }',
  "shop/src/index.ts": `import { createHash } from "node:crypto";
const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");
export default {
  fetch(request: Request): Response {
    let text = new URL(request.url).pathname;
    for (let count = 0; count < 500; count++) text = digestOf(text);
    return new Response(text);
  },
};
`,
  "server/server.js": `import { createServer } from "node:http";
import { sum } from "./sum.js";
createServer((_request, response) => response.end(String(sum()))).listen(process.env.PORT, "127.0.0.1");
`,
  "server/package.json":
    '{ "name": "server", "version": "1.0.0", "type": "module", "scripts": { "start": "node server.js", "build": "node --check server.js" } }',
  "server/package-lock.json":
    '{ "name": "server", "version": "1.0.0", "lockfileVersion": 3, "requires": true, "packages": { "": { "name": "server", "version": "1.0.0" } } }',
  "server/sum.js": sumTo(3e5),
};

/** A module whose function takes CPU time alone. */
function sumTo(count: number): string {
  return `export function sum() {
  let total = 0;
  for (let index = 0; index < ${count}; index++) total += Math.sqrt(index) % 2;
  return total > 0;
}
`;
}

beforeAll(async () => {
  installed = await install();
  for (const [path, content] of Object.entries(FILES)) {
    await mkdir(dirname(inFolder(path)), { recursive: true });
    await writeFile(inFolder(path), content);
  }
});
afterAll(() => rm(installed.scratch, { recursive: true }));

async function linkTools(): Promise<void> {
  for (const [name, folder] of Object.entries(TOOLS)) {
    await mkdir(dirname(inFolder("node_modules", name)), { recursive: true });
    await symlink(join(repositoryRoot, folder, "node_modules", name), inFolder("node_modules", name));
  }
}

/** The folder of the one run below another. */
const runIn = (folder: string) => inFolder(folder, readdirSync(inFolder(folder))[0] ?? "");

test("tools that are missing are named with the one line that installs them, those of the app and its platforms alone", async () => {
  const { code, stdout, stderr } = await npx("app", "shop");
  expect([code, stdout]).toEqual([1, ""]);
  const lines = stderr.split("\n").filter((line) => line.startsWith("evenbench: "));
  expect(lines).toHaveLength(1);
  const manifest = JSON.parse(await readFile(join(repositoryRoot, "apps/vercel/package.json"), "utf8"));
  expect(lines[0]).toMatch(
    /npm install --save-dev esbuild@[\d.]+ wrangler@[\d.]+ @vercel\/node@[\d.]+ @edge-runtime\/vm@[\d.]+ /,
  );
  expect(lines[0]).toContain(` @vercel/node@${manifest.dependencies["@vercel/node"]} `);
  const alone = await npx("app", "shop", "--on", "node");
  expect(alone.stderr).toMatch(/npm install --save-dev esbuild@[\d.]+ \(/);
});

const old = (await nodes()).find(([version]) => /^v20\./.test(version));
test.skipIf(old === undefined)("a Node.js that is too old for it is named in a line", async () => {
  const ended = await installed.evenbench(old?.[1] ?? "", "app", "shop");
  expect(ended).toMatchObject({ code: 1, stdout: "" });
  expect(ended.stderr).toMatch(/^evenbench: .* needs Node\.js 22\.13 or newer, and this is 20\./m);
});

test("a module with fetch is built for three platforms, described and measured", async () => {
  await linkTools();
  const found = await npx("app", "shop");
  expect(found, found.stderr).toMatchObject({ code: 0 });
  expect(found.stdout).toContain("shop: A module with fetch (src/index.ts), npm");
  expect(found.stdout).toContain("Measure it: npx evenbench app shop --path /");
  const measured = await npx("app", "shop", "--path", "/", "--quick", "--cold", "1", "--out", "three");
  expect(measured, measured.stderr).toMatchObject({ code: 0 });
  const { run, samples } = await readRun(runIn("three"));
  const names = run.plan.targets.map(({ name, platform }) => [name, platform]);
  expect(names.slice(0, 3)).toEqual([
    ["cloudflare", "cloudflare"],
    ["node", "node"],
    ["vercel", "vercel"],
  ]);
  expect(samples.every(({ error }) => error === null)).toBe(true);
  expect(await readFile(join(runIn("three"), "report.md"), "utf8")).toContain("npx evenbench app ");
});

test("load and profile measure the app, too: profile names its hot functions with file and line", async () => {
  const short = ["--concurrency", "1", "--trials", "1", "--time", "1s", "--json"];
  const loaded = await npx("load", "--own-app", "shop", "--path", "/", ...short);
  expect(loaded, loaded.stderr).toMatchObject({ code: 0 });
  for (const name of ["cloudflare", "node", "vercel"]) {
    expect(loaded.stdout).toContain(`"${name}"`);
  }
  const on = ["--own-app", "shop", "--on", "node,cloudflare"];
  const profiled = await npx("profile", ...on, "--path", "/", "--time", "1s");
  expect(profiled, profiled.stderr).toMatchObject({ code: 0 });
  expect(profiled.stdout).toContain("src/index.ts:");
});

/** The steps of the workflow that docs/github-actions.md gives for any repository. */
async function readSteps(): Promise<readonly string[]> {
  const page = await readFile(join(repositoryRoot, "docs/github-actions.md"), "utf8");
  const [, text = ""] = /```yaml\n(.*?)```/s.exec(page) ?? [];
  // One line, or several that YAML folds into one.
  const found = text.matchAll(/^ +- run: (?:>-\n((?: {10}.*\n)+)|(.*))/gm);
  return [...found].map(([, folded, line = ""]) => (folded ?? line).replace(/\s+/g, " ").trim());
}

test("the workflow of docs/github-actions.md fails a pull request that takes more CPU time", async () => {
  const remote = inFolder("remote");
  await cp(inFolder("server"), remote, { recursive: true });
  const git = gitIn(remote);
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("commit", "--quiet", "--message=Before");
  git("checkout", "--quiet", "-b", "slower");
  await writeFile(join(remote, "sum.js"), sumTo(3e6));
  git("commit", "--quiet", "--all", "--message=After");
  // As actions/checkout leaves it: all branches of the remote, and none of its own.
  gitIn(inFolder())("clone", "--quiet", "--no-checkout", `file://${remote}`, "checkout");
  gitIn(inFolder("checkout"))("checkout", "--quiet", "--detach", "origin/slower");
  const registry = await serveRegistry([installed.tarball], inFolder("npm"));
  const environment = { ...registry, npm_config_offline: "false", CI: "true", BASE: "main" };
  // As written, and shorter: a case takes as long as it needs where nobody says how long.
  const steps = (await readSteps()).map((step) => step.replace(/^(npx evenbench .*\S)\s*$/, "$1 --time 15s"));
  expect(steps.at(-1)).toMatch(/^npx evenbench against .* --time 15s$/);
  expect(steps.length).toBeGreaterThan(1);
  const ended = [];
  for (const step of steps) {
    ended.push(await installed.runIn(inFolder("checkout"), environment, "bash", "-e", "-c", step));
  }
  const last = ended.pop();
  expect(ended.map(({ code }) => code)).toEqual(ended.map(() => 0));
  const [base = ""] = readdirSync(inFolder("checkout/results/against"));
  const facts = await readFile(inFolder("checkout/results/against", base, "facts.json"), "utf8");
  const { changes }: Facts = JSON.parse(facts);
  const found = changes.filter(({ metric, role }) => metric === "cpuMs" && role === "main");
  const verdicts = new Set(found.map(({ verdict }) => verdict));
  // A machine with other work can disturb measuring so much that there is no verdict: then the code is 3.
  expect(last?.code, last?.stderr).toBe(verdicts.has("slower") ? 1 : 3);
  expect(verdicts).not.toContain("faster");
});
