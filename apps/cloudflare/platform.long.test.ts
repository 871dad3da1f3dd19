import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { artifactDirectory } from "@evenbench/bundle";
import { runStep } from "@evenbench/bundle/deployable";
import { testProduction } from "@evenbench/bundle/deployable/testing/server";
import { reasonOf, withQuotes } from "@evenbench/core";
import { stillRunning } from "@evenbench/host/testing";
import { writeFiles } from "@evenbench/host/testing/folder";
import { underTest } from "@evenbench/host/testing/platform";
import { describe, expect, test } from "vitest";
import { buildDeployable } from "./build.ts";
import platform from "./platform.ts";
import { packWorker } from "./src/wrangler.ts";

const {
  folder,
  deployable: built,
  serve,
} = underTest(platform, (outDirectory) => buildDeployable({ artifactDirectory, outDirectory }));

/** A deployable like the one that another app's build makes: files by path below it. */
const deployableOf = (name: string, files: Readonly<Record<string, string | object>>) =>
  writeFiles(join(folder, name), files);

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
  cpSync(built, deployable, { recursive: true });
  await platform.close(deployable);
  const token = "feedfacefeedfacefeedfacefeedface";
  const logFile = join(folder, "closed.log");
  const host = await serve({ deployable, token, logFile });
  const headers = { authorization: `Bearer ${token}` };
  const answers = await Promise.all([fetch(host.url), fetch(host.url, { headers })]);
  await host.stop();
  expect(answers.map(({ status }) => status)).toEqual([401, 200]);
  expect(existsSync(`${logFile}.capnp`)).toBe(false);
});

test("a stop leaves no process, even while a response is on its way", async () => {
  const deployable = deployableOf("endless", {
    "wrangler.json": JSON.stringify(settings),
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
    "wrangler.json": configured({ main: "worker.ts", base_dir: "." }),
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
      "wrangler.json": `{
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

  /** Status, body and location of the answer to a path. */
  const asker =
    (url: string) =>
    async (path: string, headers: Record<string, string> = {}) => {
      const response = await fetch(url + path, { redirect: "manual", headers });
      return [response.status, await response.text(), response.headers.get("location")];
    };

  const files = {
    "assets/index.html": "<p>home",
    "assets/about.html": "<p>about",
    "assets/404.html": "<p>none",
    "assets/a.css": "p{}",
    "assets/_headers": "/a.css\n  X-Rule: yes\n",
    "assets/_redirects": "/old /about 301\n/posts/* /blog/:splat 302\n",
    "upload/worker.js": `export default { async fetch(request, env) {
      const { pathname } = new URL(request.url);
      if (pathname === "/identity") return new Response("{}");
      if (pathname === "/inner") return env.ASSETS.fetch("http://assets/about");
      return new Response("worker " + pathname);
    } };`,
  };

  test("has files served by the platform's own service: pages, headers, redirects", async () => {
    const assets = { directory: "assets", binding: "ASSETS" };
    const deployable = deployableOf("pages", { "wrangler.json": configured({ assets }), ...files });
    const host = await serve({ deployable });
    const ask = asker(host.url);
    expect(await ask("/")).toEqual([200, "<p>home", null]);
    expect(await ask("/about")).toEqual([200, "<p>about", null]);
    expect(await ask("/about.html")).toEqual([307, "", "/about"]);
    expect(await ask("/old")).toEqual([301, "", "/about"]);
    expect(await ask("/posts/a")).toEqual([302, "", "/blog/a"]);
    expect(await ask("/inner")).toEqual([200, "<p>about", null]);
    expect(await ask("/other")).toEqual([200, "worker /other", null]);
    expect(await ask("/_headers")).toEqual([200, "worker /_headers", null]);
    const file = await fetch(`${host.url}/a.css`);
    expect([await file.text(), file.headers.get("x-rule")]).toEqual(["p{}", "yes"]);
    const tag = file.headers.get("etag") ?? "";
    expect((await ask("/a.css", { "if-none-match": tag }))[0]).toBe(304);
    await host.stop();
  });

  test.each<[settings: object, answers: Record<string, unknown[]>]>([
    [{ run_worker_first: true }, { "/about": [200, "worker /about", null], "/": [200, "worker /", null] }],
    [
      { run_worker_first: ["/identity", "/ab*", "!/about"], not_found_handling: "404-page" },
      {
        "/abc": [200, "worker /abc", null],
        "/about": [200, "<p>about", null],
        "/other": [404, "<p>none", null],
      },
    ],
    [
      { html_handling: "none" },
      { "/about": [200, "worker /about", null], "/about.html": [200, "<p>about", null] },
    ],
  ])("has files served by its settings %o", async (settings, answers) => {
    const assets = { directory: "assets", binding: "ASSETS", ...settings };
    const name = `routed-${Object.keys(settings).join("-")}-${Object.keys(answers).length}`;
    const deployable = deployableOf(name, { "wrangler.json": configured({ assets }), ...files });
    const host = await serve({ deployable });
    const ask = asker(host.url);
    for (const [path, answer] of Object.entries(answers)) {
      expect([path, ...(await ask(path))]).toEqual([path, ...answer]);
    }
    await host.stop();
  });

  test("that exports a class is asked behind its files", async () => {
    const source = `import { WorkerEntrypoint } from "cloudflare:workers";
      export default class extends WorkerEntrypoint {
        fetch({ url }) { return new Response(url.endsWith("/identity") ? "{}" : "class " + typeof this.env.ASSETS); }
      }`;
    const assets = { directory: "assets", binding: "ASSETS" };
    for (const page of [{}, { "assets/a.html": "<p>" }]) {
      const name = `class-${Object.keys(page).length}`;
      const written = { "upload/worker.js": source, "assets/a.css": "p{}", ...page };
      const host = await serve({
        deployable: deployableOf(name, { "wrangler.json": configured({ assets }), ...written }),
      });
      expect(await asker(host.url)("/x")).toEqual([200, "class object", null]);
      expect(await asker(host.url)("/a.css")).toEqual([200, "p{}", null]);
      await host.stop();
    }
  });

  test("finds KV, R2, D1, queues and its Durable Objects, empty at each start", async () => {
    const deployable = deployableOf("bound", {
      "wrangler.json": configured({
        kv_namespaces: [{ binding: "KV", id: "1" }],
        r2_buckets: [{ binding: "R2", bucket_name: "b" }],
        d1_databases: [{ binding: "D1", database_id: "d" }],
        queues: { producers: [{ binding: "QUEUE", queue: "q" }] },
        durable_objects: { bindings: [{ name: "COUNTERS", class_name: "Counter" }] },
        migrations: [{ tag: "v1", new_sqlite_classes: ["Counter"] }],
      }),
      "upload/worker.js": `import { DurableObject } from "cloudflare:workers";
        export class Counter extends DurableObject {
          async add() {
            const count = ((await this.ctx.storage.get("count")) ?? 0) + 1;
            await this.ctx.storage.put("count", count);
            return count + this.ctx.storage.sql.exec("SELECT 1 AS one").one().one;
          }
        }
        export default { async fetch({ url }, env) {
          if (url.endsWith("/identity")) return new Response("{}");
          const before = await env.KV.get("a");
          await env.KV.put("a", "kept");
          await env.R2.put("o", "object");
          await env.D1.exec("CREATE TABLE IF NOT EXISTS t (a INTEGER)");
          await env.D1.prepare("INSERT INTO t VALUES (?)").bind(1).run();
          await env.QUEUE.send({ a: 1 });
          const { results } = await env.D1.prepare("SELECT COUNT(*) AS n FROM t").all();
          return Response.json({
            before, kv: await env.KV.get("a"), r2: await (await env.R2.get("o")).text(), d1: results[0].n,
            counted: await env.COUNTERS.getByName("x").add(),
          });
        } };`,
    });
    for (let start = 0; start < 2; start++) {
      const host = await serve({ deployable });
      const first = { before: null, kv: "kept", r2: "object", d1: 1, counted: 2 };
      expect(await (await fetch(host.url)).json()).toEqual(first);
      expect(await (await fetch(host.url)).json()).toEqual({ ...first, before: "kept", d1: 2, counted: 3 });
      await host.stop();
    }
  });

  const worker = "upload/worker.js";
  test.each<[string, Record<string, string>, RegExp]>([
    [
      "asks for what workerd alone does not have",
      { "wrangler.json": configured({ hyperdrive: [{ binding: "DB", id: "1" }] }), [worker]: "" },
      /asks for hyperdrive, which the local host does not have/,
    ],
    [
      "lacks its main module",
      { "wrangler.json": configured(), "upload/other.js": "export default {}" },
      /names "upload\/worker\.js" as main, but .* has no such module/,
    ],
    [
      "is malformed",
      { "wrangler.json": '{\n  "main": \n}' },
      /cannot be read by wrangler: ValueExpected in line 3/,
    ],
    ["is not there", {}, /no wrangler\.json in .*npm run build/],
    [
      "fails at start",
      { "wrangler.json": configured(), [worker]: `throw new Error("broken on purpose");` },
      /cloudflare host did not start.*broken on purpose/s,
    ],
  ])("that %s is refused in words", async (what, files, message) => {
    const refusal = serve({ deployable: deployableOf(what.replaceAll(" ", "-"), files) }).then(
      () => null,
      (error: unknown) => withQuotes(reasonOf(error)),
    );
    await expect(refusal).resolves.toMatch(message);
  });
});
