import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { discoverPlatforms } from "@evenbench/host";
import { testFolder } from "@evenbench/host/testing/folder";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { buildOwnApp, type OwnApp, type OwnAppOptions } from "./own-app.ts";

const root = testFolder();
const all = await discoverPlatforms();
/** Platforms that need no other tool than the bundler. */
const platforms = all.filter(({ id }) => id === "node" || id === "vercel");

beforeAll(() => void vi.stubEnv("XDG_CACHE_HOME", join(root, "cache")));
afterAll(() => void vi.unstubAllEnvs());

function write(folder: string, files: Readonly<Record<string, string>>): string {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, folder, path)), { recursive: true });
    writeFileSync(join(root, folder, path), content);
  }
  return join(root, folder);
}

const build = (folder: string, options: Partial<OwnAppOptions> = {}) =>
  buildOwnApp({
    folder,
    platforms,
    envFiles: [],
    build: null,
    isStarted: false,
    onStep: () => {},
    ...options,
  });

/** Status and body of each platform's answer to a path. */
async function answers(app: OwnApp, path: string): Promise<readonly (readonly [number, string])[]> {
  const logFile = join(root, "serve.log");
  const settings = { port: 0, logFile, cores: null, workers: 1, v8Flags: [], readyPath: "/" };
  const found: (readonly [number, string])[] = [];
  for (const { platform, deployable } of app.targets) {
    const { variables } = app.environment;
    const host = await platform.serve({ ...settings, deployable, environment: variables });
    try {
      const response = await fetch(host.url + path);
      found.push([response.status, await response.text()]);
    } finally {
      await host.stop();
    }
  }
  return found;
}

test("a module with fetch gives the same on each platform: with variables of its files, a file beside it, and no namespace", async () => {
  const folder = write("shop", {
    "wrangler.toml": `name = "shop"
main = "src/index.ts"
compatibility_date = "2026-04-15"
[vars]
GREETING = "Hello"
[[kv_namespaces]]
binding = "POSTS"
id = "0"
`,
    ".dev.vars": "SECRET=hidden\n",
    "public/style.css": "body {}",
    "src/index.ts": `import { readFileSync } from "fs";
export default {
  async fetch(request, env, context) {
    const { pathname } = new URL(request.url);
    if (pathname === "/posts") return new Response(await env.POSTS.get("all"));
    context.waitUntil(Promise.resolve());
    return new Response([env.GREETING, env.SECRET, typeof readFileSync].join());
  },
};`,
  });
  const app = await build(folder);
  expect(app).toMatchObject({
    title: "A module with fetch (src/index.ts)",
    refusals: [],
    isReused: false,
    changed: [],
  });
  expect(app.targets.map(({ platform, size }) => [platform.id, size !== null])).toEqual([
    ["node", true],
    ["vercel", true],
  ]);
  const page = [200, "Hello,hidden,function"];
  expect(await answers(app, "/")).toEqual([page, page]);
  expect(await answers(app, "/style.css")).toEqual([
    [200, "body {}"],
    [200, "body {}"],
  ]);
  const refused = [501, expect.stringContaining("GET /posts uses the KV namespace POSTS")];
  expect(await answers(app, "/posts")).toEqual([refused, refused]);
  for (const { deployable } of app.targets) {
    const servers = [join(deployable, "server.mjs"), join(deployable, "functions/index.func/index.mjs")];
    for (const file of servers.filter((path) => existsSync(path))) {
      expect(readFileSync(file, "utf8")).not.toContain("hidden");
    }
  }
  expect(await build(folder)).toMatchObject({ isReused: true, targets: [{ size: {} }, { size: {} }] });
  writeFileSync(join(folder, ".dev.vars"), "SECRET=changed\n");
  expect((await build(folder)).isReused).toBe(false);
});

test("what a module gives to serve of Hono's server is served by each platform's own", async () => {
  const folder = write("served", {
    "package.json": '{ "dependencies": { "@hono/node-server": "1.0.0" } }',
    "node_modules/@hono/node-server/package.json": '{ "name": "@hono/node-server", "version": "1.0.0" }',
    "node_modules/@hono/node-server/index.js": "throw new Error();",
    "src/index.ts": `import { serve } from "@hono/node-server";
serve({ fetch: () => new Response("served"), port: 1 }, () => {});`,
  });
  const app = await build(folder);
  expect(app.notes.join()).toContain("each platform's own server takes its place");
  expect(app.packages).toEqual(["@hono/node-server 1.0.0"]);
  expect(await answers(app, "/")).toEqual([
    [200, "served"],
    [200, "served"],
  ]);
});

test("a module of one runtime is refused by the others in a sentence", async () => {
  const folder = write("runtime", {
    "index.ts":
      'import { env } from "cloudflare:workers"; export default { fetch: () => new Response(env.A) };',
  });
  const { targets, refusals } = await build(folder);
  // Nothing was built, so nothing is used again.
  expect((await build(folder)).isReused).toBe(false);
  expect(targets).toEqual([]);
  expect(refusals.map(({ platform, why }) => [platform, why])).toEqual([
    ["node", "The module imports cloudflare:workers, which only another runtime has."],
    ["vercel", "The module imports cloudflare:workers, which only another runtime has."],
  ]);
});

test("a command that fails is said with its last lines, and the next build begins anew; nothing is written beside the sources", async () => {
  const folder = write("failing", { "index.ts": "export default { fetch: () => new Response() };" });
  const before = statSync(join(folder, "index.ts")).mtimeMs;
  const failing = build(folder, { build: "echo first > made.txt; echo what went wrong; exit 3" });
  await expect(failing).rejects.toThrow(/exit code 3.*what went wrong.*The whole output: /s);
  const app = await build(folder, { build: "echo second > made.txt" });
  expect(readFileSync(join(app.copy, "made.txt"), "utf8")).toBe("second\n");
  expect(existsSync(join(folder, "made.txt"))).toBe(false);
  expect(statSync(join(folder, "index.ts")).mtimeMs).toBe(before);
});
