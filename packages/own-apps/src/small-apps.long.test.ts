// A small app of each framework that has no test of its own goes the whole way: from its folder to answers.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { discoverPlatforms, repositoryRoot } from "@evenbench/host";
import { testFolder, writeFiles } from "@evenbench/host/testing/folder";
import { beforeAll, expect, test } from "vitest";
import { buildOwnApp, type OwnApp } from "./index.ts";

/** pnpm, as the repository has it: it installs many packages in a part of npm's time. */
const { packageManager } = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8"));

const root = testFolder();
const all = await discoverPlatforms();
const platforms = all.filter(({ id }) => ["cloudflare", "node", "vercel"].includes(id));

// Not stubbed, since the beginning of one test would take that from those that run beside it.
beforeAll(() => {
  const { XDG_CACHE_HOME = "" } = process.env;
  Object.assign(process.env, { XDG_CACHE_HOME: join(root, "cache"), npm_config_prefer_offline: "true" });
  return () => Object.assign(process.env, { XDG_CACHE_HOME });
});

interface SmallApp {
  readonly name: string;
  readonly packageJson: Readonly<Record<string, unknown>>;
  readonly files: Readonly<Record<string, string>>;
  /** A part of what every platform answers, by path. */
  readonly answers: Readonly<Record<string, string>>;
  /** Platforms that cannot have it. Default: all can. */
  readonly refused?: readonly string[];
  /** Platforms that it is built for. Default: all. */
  readonly on?: readonly string[];
}

/** A module of WebAssembly with a function `add` of two i32; all its bytes are ASCII. */
const ADD = Buffer.from(
  "0061736d0100000001070160027f7f017f030201000707010361646400000a09010700200020016a0b",
  "hex",
).toString("ascii");

const SMALL_APPS: readonly SmallApp[] = [
  {
    name: "a server of Express that is exported, and a script that listens",
    // Its packages have other files for browsers, which wrangler takes by itself.
    packageJson: { scripts: { start: "node ./bin/www" }, dependencies: { express: "4.21.2" } },
    files: {
      "app.js": `const express = require("express");
const app = express();
app.use(express.static(require("path").join(__dirname, "public")));
app.get("/", (request, response) => response.type("text").send("hello"));
module.exports = app;
`,
      "bin/www": `#!/usr/bin/env node
const http = require("http");
const server = http.createServer(require("../app"));
server.listen("3000");
server.on("listening", () => console.log(server.address().port));
`,
    },
    answers: { "/": "hello" },
  },
  {
    name: "a server of node:http, in TypeScript",
    packageJson: { type: "module" },
    files: {
      "src/server.ts": `import { createServer } from "node:http";
const greeting: string = "hello";
createServer((request, response) => void response.end(greeting + request.url)).listen(3000);
`,
    },
    answers: { "/a?b": "hello/a?b" },
  },
  {
    name: "React Router as its template has it",
    packageJson: {
      packageManager,
      type: "module",
      scripts: { build: "react-router build", start: "react-router-serve ./build/server/index.js" },
      dependencies: {
        "@react-router/node": "7.16.0",
        "@react-router/serve": "7.16.0",
        isbot: "5.2.3",
        react: "19.3.1",
        "react-dom": "19.3.1",
        "react-router": "7.16.0",
      },
      devDependencies: { "@react-router/dev": "7.16.0", vite: "8.0.3" },
    },
    files: {
      "vite.config.ts": `import { reactRouter } from "@react-router/dev/vite";
import { defineConfig } from "vite";
export default defineConfig({ plugins: [reactRouter()] });
`,
      "app/routes.ts": `import { index, route } from "@react-router/dev/routes";
export default [index("home.tsx"), route("sum/:a/:b", "sum.ts")];
`,
      "app/root.tsx": `import { Outlet, Scripts } from "react-router";
export default () => <html><head /><body><Outlet /><Scripts /></body></html>;
`,
      "app/home.tsx":
        "export const loader = () => 1 + 2;\nexport default ({ loaderData }) => <h1>{loaderData}</h1>;\n",
      "app/sum.ts": "export const loader = ({ params: { a, b } }) => Response.json(Number(a) + Number(b));\n",
    },
    answers: { "/": "<h1>3</h1>", "/sum/1/2": "3" },
  },
  {
    name: "Nuxt as its template has it",
    packageJson: {
      packageManager,
      type: "module",
      scripts: { build: "nuxt build" },
      dependencies: { nuxt: "4.5.2", vue: "3.5.45", "vue-router": "5.5.1" },
    },
    files: {
      "nuxt.config.ts": 'export default defineNuxtConfig({ compatibilityDate: "2025-07-15" });\n',
      "app/app.vue":
        '<script setup>const sum = useState("sum", () => 1 + 2);</script>\n<template><h1>{{ sum }}</h1></template>\n',
      "server/api/sum/[a].ts":
        'export default defineEventHandler((event) => Number(getRouterParam(event, "a")) + 2);\n',
    },
    answers: { "/": "<h1>3</h1>", "/api/sum/1": "3" },
    // Each platform's build is Nitro's, which its starter has on all of them.
    on: ["cloudflare"],
  },
  {
    name: "TanStack Start as its template has it, without Nitro",
    packageJson: {
      packageManager,
      type: "module",
      scripts: { build: "vite build" },
      dependencies: {
        "@tanstack/react-router": "1.170.46",
        "@tanstack/react-start": "1.169.5",
        react: "19.3.1",
        "react-dom": "19.3.1",
      },
      devDependencies: { "@vitejs/plugin-react": "6.3.0", vite: "8.0.3" },
    },
    files: {
      "vite.config.ts": `import { tanstackStart } from "@tanstack/react-start/plugin/vite";
import viteReact from "@vitejs/plugin-react";
import { defineConfig } from "vite";
export default defineConfig({ plugins: [tanstackStart(), viteReact()] });
`,
      "src/router.tsx": `import { createRouter } from "@tanstack/react-router";
import { routeTree } from "./routeTree.gen";
export const getRouter = () => createRouter({ routeTree });
`,
      "src/routes/__root.tsx": `import { createRootRoute, HeadContent, Scripts } from "@tanstack/react-router";
const Shell = ({ children }) => <html><head><HeadContent /></head><body>{children}<Scripts /></body></html>;
export const Route = createRootRoute({ shellComponent: Shell });
`,
      "src/routes/index.tsx": `import { createFileRoute } from "@tanstack/react-router";
export const Route = createFileRoute("/")({
  loader: () => 1 + 2,
  component: () => <h1>{Route.useLoaderData()}</h1>,
});
`,
      "src/routes/sum.$a.ts": `import { createFileRoute } from "@tanstack/react-router";
const GET = ({ params }) => Response.json(Number(params.a) + 2);
export const Route = createFileRoute("/sum/$a")({ server: { handlers: { GET } } });
`,
    },
    answers: { "/": "<h1>3</h1>", "/sum/1": "3" },
  },
  {
    name: "Elysia as its template has it, which listens",
    packageJson: { dependencies: { elysia: "1.4.30" } },
    files: {
      "src/index.ts": `import { Elysia, t } from "elysia";
const app = new Elysia()
  .get("/sum/:a", ({ params: { a } }) => ({ sum: a + 2 }), { params: t.Object({ a: t.Number() }) })
  .listen(3000);
console.log(app.server?.port);
`,
    },
    answers: { "/sum/1": '{"sum":3}' },
  },
  {
    name: "NestJS, which its own build compiles",
    packageJson: {
      packageManager,
      scripts: { build: "tsc", start: "nest start", "start:prod": "node dist/main" },
      dependencies: {
        "@nestjs/common": "12.5.1",
        "@nestjs/core": "12.5.1",
        "@nestjs/platform-express": "12.5.1",
        "reflect-metadata": "0.2.2",
        rxjs: "7.8.2",
      },
      devDependencies: { typescript: "5.9.3", "@types/node": "26.6.6" },
    },
    files: {
      "tsconfig.json": `{ "compilerOptions": { "module": "nodenext", "outDir": "dist", "rootDir": "src",
  "experimentalDecorators": true, "emitDecoratorMetadata": true, "skipLibCheck": true }, "include": ["src"] }
`,
      "src/main.ts": `import "reflect-metadata";
import { Controller, Get, Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
@Controller() class Own { @Get() hello(): string { return "hello"; } }
@Module({ controllers: [Own] }) class Root {}
void NestFactory.create(Root).then((app) => app.listen(3000));
`,
    },
    answers: { "/": "hello" },
    refused: ["cloudflare"],
  },
  {
    name: "Nitro as its starter has it",
    packageJson: {
      packageManager,
      type: "module",
      scripts: { build: "nitro build" },
      devDependencies: { nitropack: "2.13.0" },
    },
    files: {
      "nitro.config.ts": `export default defineNitroConfig({ srcDir: "server", compatibilityDate: "2026-04-04" });\n`,
      "server/routes/sum/[a].ts":
        'export default defineEventHandler((event) => ({ sum: Number(getRouterParam(event, "a")) + 2 }));\n',
    },
    answers: { "/sum/1": "3" },
  },
  {
    name: "Waku, whose own build takes the adapter of its platform",
    packageJson: {
      type: "module",
      scripts: { build: "waku build" },
      dependencies: {
        react: "19.2.8",
        "react-dom": "19.2.8",
        "react-server-dom-webpack": "19.2.8",
        waku: "1.0.0-beta.9",
      },
    },
    files: {
      "src/pages/sum/[a].tsx": `export default async ({ a }: { a: string }) => <h1>{Number(a) + 2}</h1>;
export const getConfig = async () => ({ render: "dynamic" }) as const;
`,
    },
    answers: { "/sum/1": "<h1>3</h1>" },
  },
  {
    name: "a plugin of Fastify that fastify-cli starts",
    packageJson: {
      scripts: { start: "fastify start -l warn app.js" },
      dependencies: { fastify: "5.12.8", "fastify-cli": "8.0.2" },
    },
    files: {
      "app.js":
        "module.exports = async (fastify, options) => { fastify.get('/', async () => ({ own: true })); };\n",
    },
    answers: { "/": '{"own":true}' },
    refused: ["cloudflare", "vercel"],
  },
  {
    name: "a project of Cloudflare Pages with functions and a D1 database",
    packageJson: {},
    files: {
      "wrangler.toml": `name = "small"
pages_build_output_dir = "site"
compatibility_date = "2026-04-15"
compatibility_flags = ["nodejs_compat"]
d1_databases = [{ binding = "DB", database_name = "d", database_id = "d" }]
`,
      "migrations/1.sql": "CREATE TABLE t (a INTEGER);\nINSERT INTO t VALUES (7);\n",
      "site/index.html": "a page",
      "functions/api/[name].ts": `import { posix } from "node:path";
export const onRequestGet: any = async ({ params, env }: any) =>
  Response.json([posix.join("a", params.name), await env.DB.prepare("SELECT a FROM t").first("a")]);
`,
    },
    answers: { "/": "a page", "/api/x": '["a/x",7]' },
    refused: ["node", "vercel"],
  },
  {
    name: "a Worker that imports WebAssembly",
    packageJson: { type: "module" },
    files: {
      "src/add.wasm": ADD,
      "src/index.js": `import add from "./add.wasm";
const { exports } = new WebAssembly.Instance(add);
export default { fetch: () => new Response(exports.add(1, 2)) };
`,
    },
    answers: { "/": "3" },
    refused: ["node", "vercel"],
  },
  {
    name: "functions in api/, with Vercel's helpers, a rewrite, and WebAssembly at the edge",
    packageJson: { private: true },
    files: {
      "vercel.json": JSON.stringify({ rewrites: [{ source: "/sum/:a", destination: "/api/sum/:a" }] }),
      "api/sum/[a].ts":
        "export default (request: any, response: any) => response.status(200).json(Number(request.query.a) + 2);\n",
      "api/edge.js": `import add from "../add.wasm?module";
export const config = { runtime: "edge" };
export default () => new Response(String(new WebAssembly.Instance(add).exports.add(1, 2)));
`,
      "add.wasm": ADD,
    },
    answers: { "/api/sum/1": "3", "/sum/1": "3", "/api/edge": "3" },
    refused: ["cloudflare", "node"],
  },
];

test.concurrent.each(SMALL_APPS)("$name answers alike on each platform that can have it", async (app) => {
  const packageJson = { name: "small", ...app.packageJson };
  const files = { ...app.files, "package.json": packageJson };
  const folder = writeFiles(join(root, String(SMALL_APPS.indexOf(app))), files);
  const onStep = () => {};
  const { refused = [], on } = app;
  const asked = platforms.filter(({ id }) => on?.includes(id) ?? true);
  const own = { folder, platforms: asked, envFiles: [], build: null, isStarted: false, onStep };
  const built = await buildOwnApp(own);
  expect(built.refusals.map(({ platform }) => platform).toSorted()).toEqual(refused);
  const able = asked.filter(({ id }) => !refused.includes(id));
  const expected = Object.entries(app.answers).map(([path, body]) => [path, expect.stringContaining(body)]);
  expect(await answersOf(built, Object.keys(app.answers))).toEqual(
    Object.fromEntries(able.map(({ id }) => [id, Object.fromEntries(expected)])),
  );
});

/** The bodies of each platform's answers by path, by platform. */
async function answersOf(app: OwnApp, paths: readonly string[]): Promise<Record<string, object>> {
  const logFile = `${app.folder}.log`;
  const settings = { port: 0, logFile, cores: null, workers: 1, v8Flags: [] };
  const given = { environment: app.variables, workingFolder: app.copy, readyPath: paths[0] ?? "/" };
  const answers: Record<string, object> = {};
  for (const { platform, deployable } of app.targets) {
    const host = await platform.serve({ ...settings, ...given, deployable });
    try {
      const asked = paths.map(async (path) => [path, await (await fetch(host.url + path)).text()]);
      answers[platform.id] = Object.fromEntries(await Promise.all(asked));
    } finally {
      await host.stop();
    }
  }
  return answers;
}
