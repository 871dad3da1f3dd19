import { join } from "node:path";
import { testFolder, writeApp, writeFiles } from "@evenbench/host/testing/folder";
import { expect, test, vi } from "vitest";
import ownWorker from "../own.ts";
import { isServiceWorker } from "./modules.ts";
import { namesOfLocal } from "./own-bindings.ts";
import { readOwnConfiguration } from "./own-configuration.ts";
import { usualConfiguration } from "./wrangler.ts";

const folder = testFolder();

test("of a finished Worker that a build leads to, the copy has the lead, too", async () => {
  const built = writeApp(join(folder, "built"), {
    ".wrangler/deploy/config.json": '{ "configPath": "../../dist/server/wrangler.json" }',
    "dist/server/wrangler.json":
      '{ "name": "app", "main": "index.js", "compatibility_date": "2026-04-15", "no_bundle": true, "assets": { "directory": "../client" } }',
    "dist/server/index.js": "export default { fetch: () => new Response() };",
    "dist/client/a.txt": "a",
  });
  const finding = await ownWorker.detect(built);
  expect(finding?.isFinished).toBe(true);
  expect(finding?.keeps).toEqual([".wrangler/deploy/config.json", "dist/server", "dist/client"]);
});

test("of a Worker's bindings those are local that there are simulators of, its own objects, and itself", async () => {
  const configuration = {
    name: "app",
    main: "worker.js",
    compatibility_date: "2026-11-01",
    no_bundle: true,
    minify: true,
    kv_namespaces: [{ binding: "KV", id: "1" }],
    r2_buckets: [{ binding: "R2", bucket_name: "bucket" }],
    d1_databases: [{ binding: "D1", database_name: "d", database_id: "2" }],
    queues: { producers: [{ binding: "QUEUE", queue: "q" }] },
    durable_objects: {
      bindings: [
        { name: "OWN", class_name: "Own" },
        { name: "FOREIGN", class_name: "Foreign", script_name: "other" },
      ],
    },
    migrations: [{ tag: "v1", new_sqlite_classes: ["Own"] }],
    services: [
      { binding: "SELF", service: "app" },
      { binding: "OTHER", service: "other" },
    ],
    ai: { binding: "AI" },
    vars: { binding: "no binding" },
    worker_loaders: [{ binding: "LOADER" }],
  };
  writeFiles(folder, { "wrangler.json": configuration });
  const read = await readOwnConfiguration(folder);
  expect(namesOfLocal(read?.local ?? {}).toSorted()).toEqual(["D1", "KV", "OWN", "QUEUE", "R2", "SELF"]);
  expect(read?.bindings.map(({ name }) => name).toSorted()).toEqual([
    "AI",
    "D1",
    "FOREIGN",
    "KV",
    "LOADER",
    "OTHER",
    "OWN",
    "QUEUE",
    "R2",
    "SELF",
  ]);
  expect(read).toMatchObject({ isBundled: true, minify: true, read: { notApplied: [] } });
});

test.each([
  ['addEventListener("fetch", (event) => event.respondWith(new Response("a")));', true],
  [
    'class App {\n  fire = () => addEventListener("fetch", this.answer);\n}\nexport { App as default };',
    false,
  ],
  // As esbuild minifies an app of Hono.
  ['var a=class{fire=()=>{addEventListener("fetch",b=>b)}},c=new a;export{c as default};', false],
])("a Worker is a script only where it exports nothing, minified or not: %s", (text, isScript) => {
  expect(isServiceWorker(text)).toBe(isScript);
});

test("of two configurations the one that wrangler takes counts, and the other one is named", async () => {
  const app = writeFiles(join(folder, "two"), {
    "wrangler.toml": 'name = "second"\n',
    "wrangler.jsonc": { name: "first" },
  });
  const { name, read } = (await readOwnConfiguration(app)) ?? {};
  expect([name, read?.file, read?.notApplied]).toEqual([
    "first",
    "wrangler.jsonc",
    [{ what: "wrangler.toml", why: expect.any(String) }],
  ]);
});

test.each(["[]", "7", "null", '{ "main": 7, "vars": 7 }'])(
  "a configuration that is %s is refused in one line",
  async (text) => {
    const app = writeFiles(join(folder, "none"), { "wrangler.json": text });
    await expect(readOwnConfiguration(app)).rejects.toThrow(
      /wrangler\.json cannot be read by wrangler: .*\.$/,
    );
  },
);

test("keys that do not count are named at all depths, and of environments in the one that counts", async () => {
  const configuration = {
    $schema: "schema.json",
    name: "app",
    main: "worker.js",
    compatability_date: "2026-11-01",
    jsx_factory: "h",
    assets: { directory: "public", run_worker_frist: true },
    kv_namespaces: [{ binding: "KV", idd: "1" }],
    vars: { ANY: { key: 1 } },
    queues: { consumers: [{ queue: "q" }] },
    routes: ["shop.example/*", { pattern: "shop.example/a", zone_id: "1" }],
    env: {
      staging: { varz: {}, r2_buckets: [{ binding: "R2", bucket: "b" }] },
      other: { more: 1 },
    },
  };
  writeFiles(folder, { "wrangler.json": configuration });
  // That of a shell would be no part of what a build is named by.
  vi.stubEnv("CLOUDFLARE_ENV", "other");
  const unknown = async (variables: Readonly<Record<string, string>>) => {
    const read = await readOwnConfiguration(folder, variables);
    return read?.read.notApplied.map(({ what }) => what).filter((what) => !what.includes(" "));
  };
  // Routes have no meaning here; of their keys none is unknown.
  const atTop = [
    "jsx_factory",
    "routes",
    "compatability_date",
    "assets.run_worker_frist",
    "kv_namespaces.0.idd",
  ];
  // Wrangler hands no bindings down.
  const inStaging = [
    "env.staging.varz",
    "env.staging.r2_buckets.0.bucket",
    "vars",
    "kv_namespaces",
    "queues",
  ];
  expect(new Set(await unknown({}))).toEqual(new Set([...atTop, "queues.consumers"]));
  expect(new Set(await unknown({ CLOUDFLARE_ENV: "staging" }))).toEqual(new Set([...atTop, ...inStaging]));
  writeFiles(folder, { "wrangler.json": { name: "app", main: "worker.js" } });
  const { read } = (await readOwnConfiguration(folder, { CLOUDFLARE_ENV: "nowhere" })) ?? {};
  expect(read).toMatchObject({
    applied: ["its top level"],
    notApplied: [{ what: "environment nowhere" }],
  });
});

test("a date that this machine's workerd may not know is a recent one, and is named", async () => {
  const later = { name: "app", main: "worker.js", compatibility_date: "2999-01-01" };
  writeFiles(folder, { "wrangler.json": later });
  const { compatibility_date: recent } = await usualConfiguration();
  const read = await readOwnConfiguration(folder);
  expect(read?.compatibilityDate).toBe(recent);
  expect(read?.read.notApplied.map(({ what }) => what)).toEqual(["compatibility_date 2999-01-01"]);
});
