import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { discoverPlatforms } from "@evenbench/host";
import { gitIn, testFolder } from "@evenbench/host/testing/folder";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { OwnAppOptions } from "./options.ts";
import { buildOwnApp, type OwnApp } from "./own-app.ts";

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
    const { variables: environment, copy: workingFolder } = app;
    const host = await platform.serve({ ...settings, deployable, environment, workingFolder });
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
  });
  expect(app.changedSince()).toEqual([]);
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
  // The app itself is refused, which another build would not change; unless one is asked for.
  expect((await build(folder)).isReused).toBe(true);
  expect((await build(folder, { isAnew: true })).isReused).toBe(false);
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

test("each runtime gets what packages have for it, and one that gets nothing costs itself alone", async () => {
  const conditions = { node: "./node.js", workerd: "./workerd.js", default: "./default.js" };
  const folder = write("conditions", {
    "package.json": '{ "dependencies": { "which": "1.0.0", "nodeonly": "1.0.0" } }',
    "index.mjs": `import { which } from "which"; import { only } from "nodeonly";
export default { fetch: () => new Response(which + only) };`,
    "node_modules/which/package.json": JSON.stringify({
      version: "1.0.0",
      type: "module",
      exports: conditions,
    }),
    "node_modules/which/node.js": 'export const which = "node";',
    "node_modules/which/workerd.js": 'export const which = "workerd";',
    "node_modules/which/default.js": 'export const which = "default";',
    "node_modules/nodeonly/package.json":
      '{ "version": "1.0.0", "type": "module", "exports": { "node": "./node.js" } }',
    "node_modules/nodeonly/node.js": 'export const only = "only";',
  });
  const on = [...platforms, ...all.filter(({ id }) => id === "cloudflare")];
  const app = await build(folder, { platforms: on });
  expect(app.refusals).toMatchObject([{ platform: "cloudflare", why: expect.stringContaining("nodeonly") }]);
  expect(await answers(app, "/")).toEqual([
    [200, "nodeonly"],
    [200, "nodeonly"],
  ]);
});

test("builds and the reading of routes get the variables that files name, and no others of the caller's", async () => {
  const secrets = ["EVENBENCH_TOKEN", "CLOUDFLARE_API_TOKEN", "MY_SECRET", "NODE_OPTIONS"];
  for (const name of secrets) {
    vi.stubEnv(name, name === "NODE_OPTIONS" ? "--no-deprecation" : "planted");
  }
  const seen = "Object.keys(process.env).sort().join()";
  const folder = write("environment", {
    ".env": "NAMED=1\n",
    "index.mjs": `import { appendFileSync } from "node:fs";
appendFileSync(new URL("../../seen.txt", import.meta.url), ${seen});
export default { fetch: () => new Response() };`,
    "build.mjs": `import { writeFileSync } from "node:fs"; writeFileSync("built.txt", ${seen});`,
  });
  const { copy } = await build(folder, { build: "node build.mjs" });
  for (const file of ["built.txt", "seen.txt"]) {
    const names = readFileSync(join(copy, file), "utf8").split(",");
    expect(names).toContain("NAMED");
    expect(secrets.filter((name) => names.includes(name))).toEqual([]);
  }
});

test.skipIf(process.platform === "win32")(
  "Git answers in the copy as in the folder, writes nothing there, and runs none of its hooks",
  async () => {
    const folder = write("versioned", {
      "package.json": '{ "scripts": {} }',
      "index.mjs": "export default { fetch: () => new Response() };",
      "build.mjs": `import { execFileSync } from "node:child_process"; import { writeFileSync } from "node:fs";
const git = (...words) => execFileSync("git", words, { encoding: "utf8" }).trim();
git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--allow-empty", "-qm", "of the build");
writeFileSync("commit.txt", git("rev-parse", "HEAD~1"));`,
    });
    const git = gitIn(folder);
    git("init", "-q");
    git("add", ".");
    git("commit", "-qm", "first");
    write("versioned", { ".git/hooks/post-commit": "#!/bin/sh\ntouch ran\n" });
    chmodSync(join(folder, ".git/hooks/post-commit"), 0o700);
    const before = git("rev-parse", "HEAD");
    const { copy } = await build(folder, { build: "node build.mjs" });
    expect((await build(folder, { build: "node build.mjs" })).isReused).toBe(true);
    expect(readFileSync(join(copy, "commit.txt"), "utf8")).toBe(before);
    expect(git("rev-parse", "HEAD")).toBe(before);
    expect(existsSync(join(copy, "ran"))).toBe(false);
  },
);

test("a configuration in a folder above the private copies is none of the app's", async () => {
  write(".", {
    "tsconfig.json": '{ "compilerOptions": { "paths": { "word": ["./strange.ts"] } } }',
    "strange.ts": 'export const word = "strange";\n',
  });
  const folder = write("below", {
    "package.json": '{ "dependencies": { "word": "1.0.0" } }',
    "index.ts": 'import { word } from "word"; export default { fetch: () => new Response(word) };',
    "node_modules/word/package.json": '{ "version": "1.0.0", "type": "module", "main": "index.js" }',
    "node_modules/word/index.js": 'export const word = "own";',
    "package-lock.json": "{}",
    "yarn.lock": "",
  });
  const app = await build(folder);
  expect(app.read.find(({ file }) => file === "yarn.lock")?.notApplied.map(({ what }) => what)).toEqual([
    "package-lock.json",
    "its versions",
  ]);
  expect(await answers(app, "/")).toEqual([
    [200, "own"],
    [200, "own"],
  ]);
});

test("files that a module reads by its working folder are there: on Node.js the app's own, on Vercel what its tracing finds", async () => {
  const folder = write("working", {
    "index.mjs": `import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
const early = readFileSync(join(process.cwd(), "data/word.txt"), "utf8");
export default {
  async fetch(request) {
    const page = new URL(request.url).searchParams.get("page") ?? "one";
    return new Response(early + (await readFile(join(process.cwd(), "pages", page + ".txt"), "utf8")));
  },
};\n`,
    "data/word.txt": "word ",
    "pages/one.txt": "first",
    "pages/two.txt": "second",
    "package.json": '{ "name": "working", "type": "module" }',
  });
  expect(await answers(await build(folder), "/?page=two")).toEqual([
    [200, "word second"],
    [200, "word second"],
  ]);
});

test("files that modules read beside themselves are beside the bundle, also of two modules with the same names", async () => {
  const reading = (name: string) =>
    `import { readFileSync } from "node:fs";
export const ${name} = readFileSync(new URL("./word.txt", import.meta.url), "utf8");\n`;
  const folder = write("beside", {
    "index.mjs": `import { one } from "./one/read.mjs";
import { two } from "./two/read.mjs";
export default { fetch: () => new Response(one + two) };\n`,
    "one/read.mjs": reading("one"),
    "one/word.txt": "first ",
    "two/read.mjs": reading("two"),
    "two/word.txt": "second",
    "package.json": '{ "name": "beside", "type": "module" }',
  });
  expect(await answers(await build(folder), "/")).toEqual([
    [200, "first second"],
    [200, "first second"],
  ]);
});
