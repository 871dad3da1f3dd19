import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { artifactDirectory, digestOfDirectory, readManifest } from "@evenbench/bundle";
import type { Identity, ServeOptions } from "@evenbench/core";
import { stillRunning } from "@evenbench/host/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildDeployable } from "./build.ts";
import platform from "./platform.ts";
import { checkFunctionSizes } from "./src/function-size.ts";

const folder = mkdtempSync(join(tmpdir(), "evenbench-vercel-"));
const bundle = join(folder, "bundle");
beforeAll(() => buildDeployable({ artifactDirectory, outDirectory: bundle }));
afterAll(() => rmSync(folder, { recursive: true }));

let logs = 0;
function serve(options: Partial<ServeOptions> = {}) {
  const logFile = join(folder, `host-${++logs}.log`);
  return platform.serve({
    deployable: bundle,
    port: 0,
    logFile,
    cores: null,
    workers: 1,
    v8Flags: [],
    ...options,
  });
}

/** A build output with functions that are not ours: `source` by path, served with a rule that sends all else to /main. */
function outputOf(name: string, functions: Record<string, string>, routes: unknown[] = []): string {
  const output = join(folder, name);
  for (const [path, source] of Object.entries(functions)) {
    const place = join(output, "functions", `${path}.func`);
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, "index.mjs"), source);
    const configuration = {
      runtime: "nodejs24.x",
      handler: "index.mjs",
      launcherType: "Nodejs",
      environment: { FROM: path },
    };
    writeFileSync(join(place, ".vc-config.json"), JSON.stringify(configuration));
  }
  const all = [...routes, { handle: "filesystem" }, { src: "/(.*)", dest: "/main" }];
  writeFileSync(join(output, "config.json"), JSON.stringify({ version: 3, routes: all }));
  mkdirSync(join(output, "static"), { recursive: true });
  writeFileSync(join(output, "static/page.html"), "<p>static</p>");
  return output;
}

const READY = "if (new URL(request.url).pathname === '/identity') return new Response('{}');";

test("the function holds the artifact byte for byte, and is what vercel build makes but for the pinned NODE_ENV", async () => {
  const place = join(bundle, "functions/api/index.func");
  expect(await digestOfDirectory(join(place, "api/_artifact"))).toBe((await readManifest()).digest);
  const configuration = JSON.parse(readFileSync(join(place, ".vc-config.json"), "utf8"));
  expect(configuration).toMatchObject({
    handler: "api/index.mjs",
    runtime: "nodejs24.x",
    launcherType: "Nodejs",
    environment: { NODE_ENV: "production" },
  });
});

test("it serves in the platform's production environment, and nothing of ours leaks in", async () => {
  process.env.LEAKS_IN = "1";
  const host = await serve();
  const identity = (await (await fetch(`${host.url}/identity`)).json()) as Identity;
  const robots = await (await fetch(`${host.url}/robots.txt`)).text();
  await host.stop();
  expect(identity).toMatchObject({ app: "bundle", platform: "vercel" });
  expect(identity.pins["nodeEnv.runtime"]).toBe("production");
  expect(identity.facts.adapter).toMatch(/^@vercel\/node \d/);
  expect(robots).toContain("Disallow");
});

test("a Node.js handler and web-standard ones are called, with their own environment, and files come first", async () => {
  const deployable = outputOf(
    "shapes",
    {
      main: `export default { fetch(request) { ${READY} return new Response(process.env.VERCEL_ENV + (process.env.LEAKS_IN ?? "-")); } };`,
      node: "export default (request, response) => response.end(request.method + ' ' + process.env.FROM);",
    },
    [
      { src: "/old", headers: { location: "/new" }, status: 308 },
      { src: "/(.*)", headers: { "x-rule": "$1" }, continue: true },
    ],
  );
  const host = await serve({ deployable });
  const get = async (path: string, init: RequestInit = {}) =>
    fetch(host.url + path, { redirect: "manual", ...init });
  expect(await (await get("/anything")).text()).toBe("production-");
  const node = await get("/node", { method: "POST" });
  expect([await node.text(), node.headers.get("x-rule")]).toEqual(["POST node", "node"]);
  const page = await get("/page.html");
  expect([await page.text(), page.headers.get("content-type")]).toEqual([
    "<p>static</p>",
    "text/html; charset=utf-8",
  ]);
  const moved = await get("/old");
  expect([moved.status, moved.headers.get("location")]).toEqual([308, "/new"]);
  await host.stop();
});

test("a streamed body arrives in pieces, and several requests are in flight at a time", async () => {
  const deployable = outputOf("streams", {
    main: `let release; const released = new Promise((resolve) => { release = resolve; });
      export default { async fetch(request) { ${READY}
        if (request.url.endsWith("/release")) { release(); return new Response("ok"); }
        return new Response(new ReadableStream({ async start(c) {
          c.enqueue(new TextEncoder().encode("first")); await released; c.enqueue(new TextEncoder().encode("last")); c.close(); } })); } };`,
  });
  const host = await serve({ deployable });
  const reader = (await fetch(`${host.url}/`)).body?.getReader();
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe("first");
  await (await fetch(`${host.url}/release`)).text();
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe("last");
  await host.stop();
});

test("a handler that throws is a logged 500, and the instance lives", async () => {
  const deployable = outputOf("throws", {
    main: `export default { fetch(request) { ${READY} return new Response("lives"); } };`,
    node: "export default () => { throw new Error('thrown on purpose'); };",
  });
  const logFile = join(folder, "throws.log");
  const host = await serve({ deployable, logFile });
  expect((await fetch(`${host.url}/node`)).status).toBe(500);
  expect(await (await fetch(`${host.url}/`)).text()).toBe("lives");
  await host.stop();
  expect(readFileSync(logFile, "utf8")).toContain("thrown on purpose");
});

test("an instance that is killed is reported as died; one that is stopped leaves no process", async () => {
  const [killed, stopped] = await Promise.all([serve(), serve()]);
  const pids = [...killed.pids(), ...stopped.pids()];
  process.kill(killed.pids()[0] as number, "SIGKILL");
  expect(await killed.died).toMatch(/vercel host .* died: .*SIGKILL/);
  await Promise.all([killed.stop(), stopped.stop()]);
  expect(await stillRunning(pids)).toEqual([]);
});

test("a function over the size limit is refused with its name and size", async () => {
  await expect(checkFunctionSizes(bundle, 1000)).rejects.toThrow(
    /functions\/api\/index\.func has \d+ bytes, more than the 1000/,
  );
});

test("a folder that is no build output is refused with what to do", async () => {
  await expect(serve({ deployable: folder })).rejects.toThrow(/There is no config\.json.*npm run build/);
});
