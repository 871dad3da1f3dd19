import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { artifactDirectory } from "@evenbench/bundle";
import { runStep } from "@evenbench/bundle/deployable";
import { testProduction } from "@evenbench/bundle/deployable/testing/server";
import { stillRunning } from "@evenbench/host/testing";
import { underTest } from "@evenbench/host/testing/platform";
import { describe, expect, test } from "vitest";
import { buildDeployable } from "./build.ts";
import platform from "./platform.ts";
import { packWorker } from "./src/wrangler.ts";

const { folder, serve } = underTest(platform, (outDirectory) =>
  buildDeployable({ artifactDirectory, outDirectory }),
);

/** A deployable like the one that another app's build makes: files by path below it. */
function deployableOf(name: string, files: Record<string, string | Uint8Array>): string {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(folder, name, path, ".."), { recursive: true });
    writeFileSync(join(folder, name, path), content);
  }
  return join(folder, name);
}

const settings = {
  name: "app",
  main: "upload/worker.js",
  base_dir: "upload",
  compatibility_date: "2026-11-01",
};

testProduction(serve, "cloudflare", {
  compatibility: "2026-11-01 global_fetch_strictly_public",
  v8Flags: "--max-semi-space-size=16",
  runtime: expect.stringMatching(/^workerd 1\.\d{8}\.\d+$/),
  v8: expect.stringMatching(/^\d+\.\d+\.\d+\.\d+$/),
});

test("a closed one's token is in no file", async () => {
  const deployable = join(folder, "closed");
  await buildDeployable({ artifactDirectory, outDirectory: deployable });
  await platform.close(deployable);
  const token = "feedfacefeedfacefeedfacefeedface";
  const logFile = join(folder, "closed.log");
  const host = await serve({ deployable, token, logFile });
  const headers = { authorization: `Bearer ${token}` };
  const answers = await Promise.all([fetch(host.url), fetch(host.url, { headers })]);
  await host.stop();
  expect(answers.map(({ status }) => status)).toEqual([401, 200]);
  expect(readFileSync(`${logFile}.capnp`, "utf8")).not.toContain(token);
});

test("a stop leaves no process, even while a response is on its way", async () => {
  const deployable = deployableOf("endless", {
    "wrangler.jsonc": JSON.stringify(settings),
    "upload/worker.js": `export default { fetch: ({ url }) => url.endsWith("/identity")
      ? new Response("{}")
      : new Response(new ReadableStream({ async pull(stream) {
          await new Promise((resolve) => setTimeout(resolve, 20));
          stream.enqueue(new Uint8Array(10));
        } })) };`,
  });
  const host = await serve({ deployable });
  const pids = host.pids();
  const body = await fetch(host.url).then((response) => response.body?.getReader());
  await body?.read();
  await host.stop();
  expect(await stillRunning(pids)).toEqual([]);
  await body?.cancel().catch(() => {});
});

const configured = (more: object = {}) => JSON.stringify({ ...settings, ...more });

test("a main module that wrangler bundles is packed by the name that it then has", async () => {
  const source = deployableOf("source", {
    "wrangler.jsonc": configured({ main: "worker.ts", base_dir: "." }),
    "worker.ts": `export default { fetch: (): Response => new Response("bundled") };`,
  });
  const deployable = join(folder, "bundled");
  await packWorker(runStep, source, deployable);
  const host = await serve({ deployable });
  expect(await (await fetch(host.url)).text()).toBe("bundled");
  await host.stop();
});

describe("a deployable of another app", () => {
  test("gets its modules of every kind, variables, assets, Node.js modules, and itself as a service", async () => {
    const awkward = 'say "hi"\\ \n\u0001 \u00e9\u{1f600} $x';
    const deployable = deployableOf("full", {
      "wrangler.jsonc": `{
        // Comments and a trailing comma are allowed.
        "name": "app",
        "main": "upload/worker.js",
        "base_dir": "upload",
        "compatibility_date": "2026-11-01",
        "compatibility_flags": ["nodejs_compat", "global_fetch_strictly_public"],
        "vars": { "NODE_ENV": "production", "TEXT": ${JSON.stringify(awkward)}, "JSON": { "a": [1, null] } },
        "assets": { "directory": "assets", "binding": "ASSETS" },
        "services": [{ "binding": "WORKER_SELF_REFERENCE", "service": "app" }],
        "rules": [{ "type": "Text", "globs": ["**/*.md2"] }],
      }`,
      "upload/worker.js": `
        import { Buffer } from "node:buffer";
        import text from "./note.md2";
        import page from "./page.html";
        import data from "./sub/data.bin";
        import wasm from "./add.wasm";
        import { esm } from "./sub/esm.mjs";
        import common from "./common.cjs";
        export default { async fetch(request, env) {
          const { pathname } = new URL(request.url);
          if (pathname === "/identity") return new Response("{}");
          if (pathname === "/inner") return new Response("itself");
          const { exports } = new WebAssembly.Instance(wasm);
          return Response.json({
            text, page, data: Buffer.from(data).toString("hex"), sum: exports.add(2, 3), esm, common,
            variable: env.TEXT, inProcess: process.env.TEXT, json: env.JSON, nodeEnv: process.env.NODE_ENV,
            asset: await (await env.ASSETS.fetch("http://assets/_next/static/a.css")).text(),
            noAsset: (await env.ASSETS.fetch("http://assets/none")).status,
            cached: (await caches.default.put("http://x/a", new Response("a")), await caches.default.match("http://x/a")) ?? null,
            itself: await (await env.WORKER_SELF_REFERENCE.fetch("http://self/inner")).text(),
          });
        } };`,
      "upload/worker.js.map": "{}",
      "upload/README.md": "This folder ...",
      "upload/note.md2": "a note",
      "upload/page.html": "<p>",
      "upload/sub/data.bin": Buffer.from("00ff10", "hex"),
      "upload/sub/esm.mjs": "export const esm = 1;",
      "upload/common.cjs": "module.exports = 2;",
      // (module (func (export "add") (param i32 i32) (result i32) local.get 0 local.get 1 i32.add))
      "upload/add.wasm": Buffer.from(
        "0061736d0100000001070160027f7f017f03020100070701036164640000" + "0a09010700200020016a0b",
        "hex",
      ),
      "assets/_next/static/a.css": "p{}",
    });
    const host = await serve({ deployable });
    const answer: unknown = await (await fetch(host.url)).json();
    const file = await fetch(`${host.url}/_next/static/a.css?v=1`);
    const posted = await fetch(`${host.url}/_next/static/a.css`, { method: "POST" });
    await host.stop();
    // The platform answers with files before it asks the Worker.
    expect([await file.text(), file.headers.get("content-type")]).toEqual(["p{}", "text/css; charset=utf-8"]);
    expect(posted.status).toBe(405);
    expect(answer).toEqual({
      text: "a note",
      page: "<p>",
      data: "00ff10",
      sum: 5,
      esm: 1,
      common: 2,
      variable: awkward,
      inProcess: awkward,
      json: { a: [1, null] },
      nodeEnv: "production",
      asset: "p{}",
      noAsset: 404,
      cached: null,
      itself: "itself",
    });
  });

  const worker = "upload/worker.js";
  test.each<[string, Record<string, string>, RegExp]>([
    [
      "asks for what workerd alone does not have",
      { "wrangler.jsonc": configured({ kv_namespaces: [{ binding: "CACHE", id: "1" }] }), [worker]: "" },
      /asks for kv_namespaces, which the local host does not have/,
    ],
    [
      "lacks its main module",
      { "wrangler.jsonc": configured(), "upload/other.js": "export default {}" },
      /names "upload\/worker\.js" as main, but .* has no such module/,
    ],
    ["is malformed", { "wrangler.jsonc": '{\n  "main": \n}' }, /cannot be read: ValueExpected in line 3/],
    ["is not there", {}, /no wrangler\.jsonc in .*npm run build/],
    [
      "fails at start",
      { "wrangler.jsonc": configured(), [worker]: `throw new Error("broken on purpose");` },
      /cloudflare host did not start.*broken on purpose/s,
    ],
  ])("that %s is refused in words", async (what, files, message) => {
    await expect(serve({ deployable: deployableOf(what.replaceAll(" ", "-"), files) })).rejects.toThrow(
      message,
    );
  });
});
