import { join } from "node:path";
import type { OwnPackageJson } from "@evenbench/core";
import { testFolder, writeApp } from "@evenbench/host/testing/folder";
import { expect, test } from "vitest";
import { findListener } from "./find-listener.ts";

const root = testFolder();

const source = (name: string, packageJson: OwnPackageJson, files: Readonly<Record<string, string>>) =>
  writeApp(join(root, name.replace(/\W/g, "-")), files, packageJson);

const EXPORTS = 'const express = require("express");\nmodule.exports = express();\n';
const FUNCTION = 'import Fastify from "fastify";\nexport default async function handler(req, res) {}\n';
const LISTENS = 'require("http").createServer(require("../app")).listen(3000);\n';
const HONO = 'import { serve } from "@hono/node-server";\nserve(app).listen(3000);\n';
const FETCH = 'export default { fetch: () => new Response("hello") };\n';
const WORKER = 'import { httpServerHandler } from "cloudflare:node";\nserver.listen(8080);\n';
const INDIRECT = { "lib/index.js": 'require("../server").start();', "server.js": LISTENS };
const LISTENER_OF_H3 =
  'import { toNodeListener } from "h3";\ncreateServer(toNodeListener(app)).listen(3000);\n';
const SERVER_OF_H3 = 'import { H3, serve } from "h3";\nserve(new H3(), { port: 3000 });\n';
const start = (script: string): OwnPackageJson => ({ scripts: { start: script } });

test.each<[string, OwnPackageJson, Readonly<Record<string, string>>, string | null]>([
  [
    "the script's module without an ending",
    start("node ./bin/www"),
    { "app.js": EXPORTS, "bin/www": LISTENS },
    "bin/www",
  ],
  [
    "a module that listens before one that exports",
    {},
    { "app.js": EXPORTS, "src/server.js": LISTENS },
    "src/server.js",
  ],
  ["an app that is exported", {}, { "app.js": EXPORTS }, "app.js"],
  ["no function of Vercel's", {}, { "api/index.js": FUNCTION }, null],
  [
    "what a build made, where a script starts it",
    start("node dist/a.js"),
    { "dist/a.js": LISTENS, "src/index.ts": LISTENS },
    "dist/a.js",
  ],
  ["no router with fetch", {}, { "src/index.ts": HONO }, null],
  ["no Worker that listens itself", {}, { "src/index.ts": WORKER }, null],
  ["none behind a module with fetch", {}, { "src/index.js": FETCH, "server.js": LISTENS }, null],
  [
    "one that a script starts, before a module with fetch",
    start("node server.js"),
    { "src/index.js": FETCH, "server.js": LISTENS },
    "server.js",
  ],
  [
    "what a script for production starts, without its ending",
    { scripts: { "start:prod": "node dist/main" } },
    { "dist/main.js": LISTENS, "src/main.ts": LISTENS },
    "dist/main.js",
  ],
  ["what a script starts, although another module listens", start("node lib"), INDIRECT, "lib/index.js"],
  [
    "a listener of h3 that a server of Node.js takes",
    {},
    { "src/server.mjs": LISTENER_OF_H3 },
    "src/server.mjs",
  ],
  [
    "the module of package.json that a script starts by the folder",
    { main: "lib/index.js", ...start("node .") },
    INDIRECT,
    "lib/index.js",
  ],
  ["a server of h3 itself", {}, { "index.mjs": SERVER_OF_H3 }, "index.mjs"],
  ["none in millions of words in one line", {}, { "src/index.js": "{serve export{ ".repeat(400_000) }, null],
  ["none in a script of millions of words", start(`${"fastify start ".repeat(200_000)}&`), {}, null],
  ["no module that does neither", {}, { "src/index.js": "export default { plugins: [] };" }, null],
])("a listener is found: %s", (name, packageJson, files, found) => {
  expect(findListener(source(name, packageJson, files))?.file ?? null).toBe(found);
});

const COMPILERS = Object.fromEntries(
  ["tsx", "ts-node", "@babel/register"].map((name) => [`node_modules/${name}/package.json`, "{}"]),
);

test.each([
  ["ts-node -r tsconfig-paths/register a.ts", ["tsconfig-paths/register", "ts-node/register"]],
  ["node -r @swc-node/register a.ts", ["@swc-node/register"]],
  ["node a.ts", ["tsx"]],
  ["nodemon --exec babel-node a.ts", ["@babel/register"]],
])("before a module is loaded what its script loads, and its compiler: %s", (script, names) => {
  const app = source(script, start(script), { ...COMPILERS, "a.ts": LISTENS });
  expect(findListener(app)?.preloads?.map(({ name }) => name)).toEqual(names);
});
