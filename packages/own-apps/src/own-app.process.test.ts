import { chmodSync, existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { discoverPlatforms } from "@evenbench/host";
import { gitIn, testFolder, writeFiles } from "@evenbench/host/testing/folder";
import { beforeEach, expect, test, vi } from "vitest";
import type { OwnAppOptions } from "./options.ts";
import { buildOwnApp, type OwnApp } from "./own-app.ts";

const root = testFolder();
const all = await discoverPlatforms();
/** Platforms that need no other tool than the bundler. */
const platforms = all.filter(({ id }) => id === "node" || id === "vercel");

beforeEach(() => void vi.stubEnv("XDG_CACHE_HOME", join(root, "cache")));

const write = (folder: string, files: Parameters<typeof writeFiles>[1]) =>
  writeFiles(join(root, folder), files);

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

/** Status and body of each platform's answers to paths, in their order. */
async function answers(app: OwnApp, ...paths: readonly string[]) {
  const logFile = join(root, "serve.log");
  const settings = { port: 0, logFile, cores: null, workers: 1, v8Flags: [], readyPath: "/" };
  const found: (readonly [number, string])[][] = paths.map(() => []);
  for (const { platform, deployable } of app.targets) {
    const { variables: environment, copy: workingFolder } = app;
    const host = await platform.serve({ ...settings, deployable, environment, workingFolder });
    try {
      for (const [index, path] of paths.entries()) {
        const response = await fetch(host.url + path);
        found[index]?.push([response.status, await response.text()]);
      }
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
    "public/große Stile.css": "body {}",
    "public/_headers": "/*\n  x-a: b\n",
    "tsconfig.json": '{ "extends": "./nowhere.json" }',
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
  expect(app.routes.map(({ path }) => path)).not.toContain("/_headers");
  const notes = ["nowhere.json", "Workers alone have _headers"].map((words) =>
    expect.stringContaining(words),
  );
  expect(app.notes).toEqual(expect.arrayContaining(notes));
  expect(app.targets.map(({ platform, size }) => [platform.id, size !== null])).toEqual([
    ["node", true],
    ["vercel", true],
  ]);
  const page = [200, "Hello,hidden,function"];
  const style = [200, "body {}"];
  const refused = [501, expect.stringContaining("GET /posts uses the KV namespace POSTS")];
  expect(await answers(app, "/", "/gro%C3%9Fe%20Stile.css", "/posts")).toEqual([
    [page, page],
    [style, style],
    [refused, refused],
  ]);
  for (const { deployable } of app.targets) {
    const servers = [
      join(deployable, "server.mjs"),
      join(deployable, "functions/index.func/evenbench-function.mjs"),
    ];
    for (const file of servers.filter((path) => existsSync(path))) {
      expect(readFileSync(file, "utf8")).not.toContain("hidden");
    }
  }
  expect(await build(folder)).toMatchObject({ isReused: true, targets: [{ size: {} }, { size: {} }] });
});

const MODULE = "export default { fetch: () => new Response() };";
const FUNCTION = ".vercel/output/functions/index.func/.vc-config.json";
const OUTPUT = { ".vercel/output/config.json": '{ "version": 3 }' };
const ELSEWHERE = join(root, "elsewhere/wrangler.json");

test.each<[what: string, files: Readonly<Record<string, string>>]>([
  ["takes a file", { ...OUTPUT, [FUNCTION]: '{ "filePathMap": { "a": "../../a" } }' }],
  ["writes a file", { ...OUTPUT, [FUNCTION]: '{ "filePathMap": { "../../../../../a": "b" } }', b: "" }],
  [
    "has static files",
    { "wrangler.json": '{ "main": "a.mjs", "assets": { "directory": "../.." } }', "a.mjs": MODULE },
  ],
  ["is configured", { ".wrangler/deploy/config.json": JSON.stringify({ configPath: ELSEWHERE }) }],
])("an app that %s outside of its folder is refused", async (what, files) => {
  write("elsewhere", { "wrangler.json": '{ "main": "a.mjs" }', "a.mjs": MODULE });
  const folder = write(what, files);
  const said = await build(folder, { platforms: all }).then(
    ({ refusals }) => refusals.map(({ why }) => why).join(),
    ({ message }: Error) => message,
  );
  expect(said).toContain("which lies outside of the app");
  expect(readFileSync(ELSEWHERE, "utf8")).toBe('{ "main": "a.mjs" }');
});

test.each([
  ["no JSON", "config.json", "{", "no JSON"],
  ["a route that is a text", "config.json", '{ "version": 3, "routes": ["/a"] }', "routes.0"],
  ["a function of another form", "functions/a.func/.vc-config.json", '{ "handler": 1 }', "handler"],
  ["rules of a cache that are a list", "functions/a.prerender-config.json", "[]", "its content"],
])("a finished output with %s is refused in one line", async (what, file, text, place) => {
  const files = { "config.json": '{ "version": 3 }', "functions/a.func/.vc-config.json": "{}", [file]: text };
  const folder = write(what, {});
  writeFiles(join(folder, ".vercel/output"), files);
  const refusal = new RegExp(`^.+ is not of the Build Output API, version 3: .*${place}.*\\.$`);
  await expect(build(folder)).rejects.toThrow(refusal);
});

test("static files in all of a folder are refused in one line, and a build in a folder that is not there is said", async () => {
  const files = (settings: object) => ({
    "wrangler.json": JSON.stringify({ main: "a.mjs", ...settings }),
    "a.mjs": MODULE,
  });
  const whole = write("whole", files({ assets: { directory: "." } }));
  await expect(build(whole)).rejects.toThrow(/^.*the app's whole folder.*$/);
  const away = write("away", files({ build: { command: "true", cwd: "away" } }));
  expect((await build(away)).notes).toContainEqual(expect.stringContaining("away, which is not there"));
});

test("a main module of a configuration that gives no handler is named where another one is bundled", async () => {
  const folder = write("other main", {
    "wrangler.json": '{ "main": "lib.mjs" }',
    "lib.mjs": "export const a = 1;",
    "index.mjs": MODULE,
  });
  const { read } = await build(folder);
  expect(read.flatMap(({ notApplied }) => notApplied.map(({ what }) => what))).toEqual(["main lib.mjs"]);
});

test("the build command of a wrangler configuration works in the folder that this names", async () => {
  const folder = write("commanded", {
    "wrangler.json": JSON.stringify({
      main: "src/index.mjs",
      build: { command: "cp word.txt src/made.txt", cwd: "tools" },
    }),
    "tools/word.txt": "made",
    "tools/src/kept.txt": "",
    "src/index.mjs": MODULE,
  });
  const { copy } = await build(folder);
  expect(readFileSync(join(copy, "tools/src/made.txt"), "utf8")).toBe("made");
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
  const served = [200, "served"];
  expect(await answers(app, "/")).toEqual([[served, served]]);
});

test("a lock file that does not fit package.json keeps no app from being built", async () => {
  const folder = write("unlocked", {
    "package.json": '{ "name": "own", "dependencies": { "own-part": "file:./part" } }',
    "package-lock.json": '{ "name": "own", "lockfileVersion": 3, "packages": { "": { "name": "own" } } }',
    "part/package.json": '{ "name": "own-part", "version": "1.0.0", "main": "part.js" }',
    "part/part.js": 'module.exports = "part";',
    "src/index.js": 'import part from "own-part"; export default { fetch: () => new Response(part) };',
  });
  const app = await build(folder);
  const answered = [200, "part"];
  expect(await answers(app, "/")).toEqual([[answered, answered]]);
  expect(app.notes).toContainEqual(expect.stringMatching(/^package-lock\.json could not be installed/));
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
  await expect(failing).rejects.toMatchObject({
    message: expect.stringMatching(/exit code 3.*The whole output: /s),
    quotes: [expect.stringContaining("\n  | what went wrong")],
  });
  const app = await build(folder, { build: "echo second > made.txt" });
  expect(readFileSync(join(app.copy, "made.txt"), "utf8")).toBe("second\n");
  expect(existsSync(join(folder, "made.txt"))).toBe(false);
  expect(statSync(join(folder, "index.ts")).mtimeMs).toBe(before);
});

test("a build of sources that change while they are copied is not used again", async () => {
  const text = "export default { fetch: () => new Response('first') };";
  const folder = write("changing", { "index.ts": text });
  const save = (step: string) => {
    if (step === "copying its sources") {
      write("changing", { "index.ts": text.replace("first", "second") });
    }
  };
  await build(folder, { onStep: save });
  write("changing", { "index.ts": text });
  const app = await build(folder);
  expect([app.isReused, await answers(app, "/")]).toEqual([
    false,
    [
      [
        [200, "first"],
        [200, "first"],
      ],
    ],
  ]);
});

test("an app without a package.json has the kind of its modules from the one above it, and of that above the copies nothing", async () => {
  write("cache", { "package.json": '{ "type": "commonjs" }' });
  write("above", { "package.json": '{ "type": "module", "dependencies": { "one": "1.0.0" } }' });
  const server = `import { createServer } from "node:http";
createServer((_, response) => response.end(typeof require)).listen(process.env.PORT);\n`;
  const app = await build(write("above/app", { "server.js": server }), { platforms: platforms.slice(0, 1) });
  expect(app.read).toContainEqual({
    file: "../package.json",
    applied: ["type module"],
    notApplied: [expect.objectContaining({ what: "dependencies" })],
  });
  expect(await answers(app, "/")).toEqual([[[200, "undefined"]]]);
});

test("an own build that fails is the reason where nothing can be made without it, and else none", async () => {
  const scripts = { build: "echo what went wrong; exit 3", dev: "wrangler pages dev dist" };
  const files = { "package.json": JSON.stringify({ scripts }) };
  const pages = build(write("unbuilt", files), { platforms: all });
  await expect(pages).rejects.toMatchObject({
    message: expect.stringContaining("exit code 1"),
    quotes: [expect.stringContaining("\n  | what went wrong")],
  });
  const { targets, notes } = await build(write("unbuilt-module", { ...files, "index.ts": MODULE }));
  expect(targets).toHaveLength(2);
  expect(notes).toContainEqual(expect.stringContaining("Its own build failed"));
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

/** A module that reads a file beside itself when it is loaded. */
const readingBeside = (name: string) =>
  `import { readFileSync } from "node:fs";
export const ${name} = readFileSync(new URL("./word.txt", import.meta.url), "utf8");\n`;

test("a module finds its own: packages by each runtime's conditions and without folders above, files by its working folder and beside it", async () => {
  // In a folder above the private copies: it is none of the app's.
  write(".", {
    "tsconfig.json": '{ "compilerOptions": { "paths": { "word": ["./strange.ts"] } } }',
    "strange.ts": 'export const word = "strange";\n',
  });
  const conditions = { node: "./node.js", workerd: "./workerd.js", default: "./default.js" };
  const manifest = (fields: object) => JSON.stringify({ version: "1.0.0", type: "module", ...fields });
  const folder = write("finds", {
    "package.json": JSON.stringify({
      name: "finds",
      type: "module",
      dependencies: { which: "1.0.0", nodeonly: "1.0.0", word: "1.0.0" },
    }),
    "package-lock.json": "{}",
    "yarn.lock": "",
    "index.ts": `import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { only } from "nodeonly";
import { which } from "which";
import { word } from "word";
import { one } from "./one/read.mjs";
import { two } from "./two/read.mjs";
const early = readFileSync(join(process.cwd(), "data/word.txt"), "utf8");
const pageOf = (name) => readFile(join(process.cwd(), "pages", name + ".txt"), "utf8");
export default {
  async fetch(request) {
    const { pathname, searchParams } = new URL(request.url);
    const answers = {
      "/packages": () => which + only + " " + word,
      "/beside": () => one + two,
      "/working": async () => early + (await pageOf(searchParams.get("page"))),
    };
    return new Response(await answers[pathname]?.());
  },
};\n`,
    // A runtime that gets nothing of one package costs itself alone.
    "node_modules/nodeonly/package.json": manifest({ exports: { node: "./node.js" } }),
    "node_modules/nodeonly/node.js": 'export const only = "only";',
    "node_modules/which/package.json": manifest({ exports: conditions }),
    "node_modules/which/node.js": 'export const which = "node";',
    "node_modules/which/workerd.js": 'export const which = "workerd";',
    "node_modules/which/default.js": 'export const which = "default";',
    "node_modules/word/package.json": manifest({ main: "index.js" }),
    "node_modules/word/index.js": 'export const word = "own";',
    // Two modules, and their files, with the same names.
    "one/read.mjs": readingBeside("one"),
    "one/word.txt": "first ",
    "two/read.mjs": readingBeside("two"),
    "two/word.txt": "second",
    // On Node.js the working folder is the app's own, on Vercel it has what its tracing finds.
    "data/word.txt": "word ",
    "pages/one.txt": "first",
    "pages/two.txt": "second",
  });
  const on = [...platforms, ...all.filter(({ id }) => id === "cloudflare")];
  const app = await build(folder, { platforms: on });
  expect(app.refusals).toMatchObject([{ platform: "cloudflare", why: expect.stringContaining("nodeonly") }]);
  expect(app.read.find(({ file }) => file === "yarn.lock")?.notApplied.map(({ what }) => what)).toEqual([
    "package-lock.json",
    "its versions",
  ]);
  expect(await answers(app, "/packages", "/beside", "/working?page=two")).toEqual(
    ["nodeonly own", "first second", "word second"].map((body) => [
      [200, body],
      [200, body],
    ]),
  );
});
