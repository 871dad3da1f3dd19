// The package, used on apps and servers of somebody else: what it says where tools are missing, and what it measures
// where they are installed.
import { readdirSync } from "node:fs";
import { mkdir, readFile, rm, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { repositoryRoot } from "@evenbench/host";
import { writeFiles } from "@evenbench/host/testing/folder";
import { readRun } from "@evenbench/results";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Installed, install } from "../test/installed.ts";

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
  // V8 may inline a handler into its caller, but never all of a recursion.
  "shop/src/index.ts": `const fibonacci = (n: number): number => (n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2));
export default {
  fetch: (request: Request): Response => new Response(request.url.at(-1) + String(fibonacci(22))),
};
`,
};

beforeAll(async () => {
  installed = await install();
  writeFiles(installed.folder, FILES);
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
  expect(new Set(run.startUps?.map(({ target }) => target))).toEqual(
    new Set(["cloudflare", "node", "vercel"]),
  );
  expect(await readFile(join(runIn("three"), "report.md"), "utf8")).toContain("npx evenbench app ");
});

test("load and profile measure the app, too: profile names its hot functions with file and line", async () => {
  const short = ["--concurrency", "1", "--trials", "1", "--time", "1s", "--json"];
  const app = ["--own-app", "shop", "--on", "cloudflare", "--path", "/"];
  const loaded = await npx("load", ...app, ...short);
  expect(loaded, loaded.stderr).toMatchObject({ code: 0 });
  expect(loaded.stdout).toContain('"cloudflare"');
  const profiled = await npx("profile", ...app, "--time", "500ms");
  expect(profiled, profiled.stderr).toMatchObject({ code: 0 });
  expect(profiled.stdout).toContain("src/index.ts:");
});
