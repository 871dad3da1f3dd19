import { join } from "node:path";
import type { OwnPackageJson } from "@evenbench/core";
import { testFolder, writeApp } from "@evenbench/host/testing/folder";
import { expect, test } from "vitest";
import { entryKindOf, findEntry, runsOf, scriptWords } from "./find-entry.ts";
import { describeRoutes } from "./routes.ts";

const root = testFolder();

const source = (name: string, packageJson: OwnPackageJson, files: Readonly<Record<string, string>>) =>
  writeApp(join(root, name), files, packageJson);

const HONO = 'import { Hono } from "hono";\nconst app = new Hono();\nexport default app;\n';
const SERVES = 'import { serve } from "@hono/node-server";\nserve({ fetch: app.fetch });\n';
const withHono: OwnPackageJson = { dependencies: { hono: "^4.0.0" } };

test.each([
  ["a wrangler configuration", { "worker/a.ts": HONO, "src/index.ts": HONO }, "worker/a.ts", "worker/a.ts"],
  [
    "the last word of a script",
    { "src/site.tsx": HONO, "src/index.ts": "export const a = 1;" },
    null,
    "src/site.tsx",
  ],
  [
    "its source before what was built from it",
    { "dist/index.js": HONO, "src/index.ts": HONO },
    null,
    "src/index.ts",
  ],
])("the module is found by %s", async (name, files, main, file) => {
  const packageJson = { ...withHono, main: "dist/index.js", scripts: { dev: "wrangler dev src/site.tsx" } };
  const found = findEntry(source(name, packageJson, files), main);
  expect(found).toEqual({ file, kind: "module" });
});

test("a module that hands its handler to a server of Hono's is found", async () => {
  const found = findEntry(source("served", withHono, { "src/index.ts": SERVES }), null);
  expect(found).toEqual({ file: "src/index.ts", kind: "served" });
});

test.each([
  ["from another module", 'import { createApp } from "./app.ts";\ncreateApp().listen(1);\n', "served"],
  [
    "where another server listens",
    'import { createServer } from "node:http";\ncreateServer(own).listen(1);\n',
    null,
  ],
  ["where one by another package listens", 'import polka from "polka";\npolka().listen(1);\n', null],
])("an app of Elysia that listens is found: %s", (name, text, kind) => {
  const found = findEntry(
    source(name, { dependencies: { elysia: "^1.4.0" } }, { "src/main.ts": text }),
    null,
  );
  expect(found?.kind ?? null).toBe(kind);
});

test("a Worker that was built already is no module for other platforms", async () => {
  const files = { ".output/server/index.mjs": HONO };
  expect(findEntry(source("built", withHono, files), ".output/server/index.mjs")).toBeNull();
});

test("a default export that has nothing to do with fetch is no handler", async () => {
  const files = { "src/App.tsx": "export default function App() {}", "src/main.tsx": "render();" };
  expect(findEntry(source("page", {}, files), null)).toBeNull();
  expect(entryKindOf("export default function App() {}", false)).toBeNull();
  expect(entryKindOf("export default { fetch: () => new Response() };", false)).toBe("module");
  expect(entryKindOf('import { Hono } from "hono"; export default new Hono();', false)).toBe("module");
  expect(entryKindOf("const app = {}; export { app as default };", true)).toBe("module");
});

test("scripts name files, with or without a dot before them", () => {
  const scripts = {
    dev: "tsx watch ./src/a.ts",
    start: "node dist/b.js",
    deploy: "wrangler deploy src/c.tsx",
  };
  expect(scriptWords({ packageJson: { scripts } })).toEqual(["dist/b.js", "src/a.ts", "src/c.tsx"]);
});

test("scripts for production say what Node.js runs, through other scripts, and what it loads first", () => {
  const scripts = {
    start: "npm run build && cross-env A=b node -r dotenv/config --import=./first.mjs --env-file .env .",
    "start:prod": "yarn serve",
    "start:dev": "node dev.js",
    build: "node build.mjs",
    serve: "pm2 start ecosystem.config.js dist --name api",
    server: "node main --port 3000 production",
  };
  const preloads = [
    { name: "dotenv/config", by: "require" },
    { name: "./first.mjs", by: "import" },
  ];
  const served = {
    program: "pm2",
    modules: ["dist", "dist.js", "dist/index.js"],
    preloads: [],
  };
  expect(runsOf({ packageJson: { scripts } })).toEqual([
    { program: "node", modules: [".", "..js", "./index.js"], preloads },
    served,
    served,
    { program: "node", modules: ["main", "main.js", "main/index.js"], preloads: [] },
  ]);
});

test("what Bun serves by routes of its own is refused, and what Hono's app answers is not", async () => {
  const { serve } = await import(new URL("served.js", import.meta.url).href);
  const fetch = () => new Response("a");
  expect(() => serve({ routes: { "/": fetch }, fetch })).toThrow("for Bun alone");
  expect(() => serve({ routes: [{ path: "/" }], fetch })).not.toThrow();
});

test("routes of Hono are those of GET, and what stands before them is middleware", () => {
  const routes = [
    { method: "ALL", path: "/api/*" },
    { method: "GET", path: "/" },
    { method: "GET", path: "/api/posts" },
    { method: "POST", path: "/api/posts" },
  ];
  expect(describeRoutes(routes)).toEqual([
    { path: "/", kind: "dynamic", hasMiddleware: false, note: null },
    { path: "/api/posts", kind: "dynamic", hasMiddleware: true, note: null },
  ]);
  expect(describeRoutes(null)).toMatchObject([{ path: "/*", kind: "dynamic" }]);
});
