import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { digestOfFolder, writeFiles } from "@evenbench/host/testing/folder";
import { readRun } from "@evenbench/results";
import { beforeAll, expect, test } from "vitest";
import { runIn, start, succeeded, testFolder, words } from "../test/evenbench.ts";

/** A Worker as people write it: JSX by its own tsconfig, variables, a KV namespace, and files beside it. */
const APP: Readonly<Record<string, string>> = {
  "package.json": '{ "name": "shop", "scripts": { "dev": "wrangler dev src/index.tsx" } }',
  "wrangler.toml": `name = "shop"
compatibility_date = "2026-04-15"
compatibility_flags = ["nodejs_compat"]
[vars]
GREETING = "Hello"
[[kv_namespaces]]
binding = "POSTS"
id = "0"
`,
  "tsconfig.json": `{ "compilerOptions": {
  "jsx": "react-jsx", "jsxImportSource": "tiny", "paths": { "tiny/jsx-runtime": ["./src/jsx.ts"] }
} }`,
  ".env": "SHOP_NAME=Corner\nPORT=1\n",
  ".gitignore": "dist\n",
  "public/style.css": "body { color: black }\n",
  "src/jsx.ts": `type Props = { children?: unknown };
export const jsx = (tag: string, { children }: Props) => \`<\${tag}>\${[children].flat().join("")}</\${tag}>\`;
export const jsxs = jsx;
`,
  "src/index.tsx": `import { createHash } from "node:crypto";
interface Env { GREETING: string; SHOP_NAME: string; SECRET: string; POSTS: { get(key: string): Promise<string> } }
const routes: Record<string, (env: Env) => unknown> = {
  "/": ({ GREETING, SHOP_NAME, SECRET }) => <h1>{GREETING}, {SHOP_NAME} {createHash("sha256").update(SECRET).digest("hex")}</h1>,
  "/posts": async ({ POSTS }) => <p>{await POSTS.get("all")}</p>,
};
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const route = routes[new URL(request.url).pathname];
    if (route === undefined) return new Response("Nothing here", { status: 404 });
    return new Response(String(await route(env)), { headers: { "content-type": "text/html" } });
  },
};
`,
};

const SECRET = "only-the-server-knows";
const at = testFolder();
const app = at("shop");
const environment = { ...process.env, XDG_CACHE_HOME: at("cache") };

beforeAll(() => {
  writeFiles(app, APP);
  writeFiles(at(), { "secret.env": `SECRET=${SECRET}\n` });
});

const command = (...args: string[]) => start(["app", app, ...args], { env: environment }).ended;

test("a module with fetch is built once, in a copy, and measured on every platform under the platforms' names; its folder stays as it was", async () => {
  const before = digestOfFolder(app);
  const found = await succeeded(command("--env-file", at("secret.env")));
  expect(found.stdout).toContain("(src/index.tsx), npm");
  for (const platform of ["cloudflare", "node", "vercel"]) {
    expect(found.stdout).toMatch(new RegExp(`^ {2}${platform} +[\\d.]+ KB, [\\d.]+ KB compressed`, "m"));
  }
  expect(found.stdout).toContain("KV namespace POSTS");
  expect(found.stdout).toMatch(/SHOP_NAME.*SECRET/s);
  expect(found.stdout).toMatch(/not applied: PORT/);
  expect(found.stdout).not.toContain(SECRET);

  const out = at("results");
  const args = ["--env-file", at("secret.env"), ...words`--path / --quick --cold 1 --out ${out}`];
  await succeeded(command(...args));
  const folder = await runIn(out);
  const { run, samples } = await readRun(folder);
  expect(run.status).toBe("complete");
  const platforms = run.plan.targets.map(({ name, platform, copyOf }) => [name, platform, copyOf]);
  expect(platforms).toEqual([
    ["cloudflare", "cloudflare", null],
    ["node", "node", null],
    ["vercel", "vercel", null],
    ["node~copy", "node", "node"],
  ]);
  expect(run.deployables).toMatchObject({
    cloudflare: { size: { limit: { counts: "bytes", bytes: 64 * 2 ** 20 } } },
  });
  expect(samples.every(({ error }) => error === null)).toBe(true);
  expect(new Set(run.coldStarts.map(({ target }) => target)).size).toBe(4);
  const report = await readFile(join(folder, "report.md"), "utf8");
  expect(report).toContain("bench -- app ");
  for (const name of await readdir(folder, { recursive: true })) {
    if ((await stat(join(folder, name))).isFile()) {
      expect(await readFile(join(folder, name), "latin1"), name).not.toContain(SECRET);
    }
  }
  expect(digestOfFolder(app)).toBe(before);
});

test("what is no app, and a module that cannot be bundled, are said in a sentence with what next", async () => {
  writeFiles(at("nothing"), {});
  const unknown = await start(["app", at("nothing")], { env: environment }).ended;
  expect(unknown).toMatchObject({ code: 1, stdout: "" });
  expect(unknown.stderr).toContain(at("nothing"));
  const module = 'import "not-there"; export default { fetch: () => new Response() };';
  writeFiles(at("broken"), { "index.ts": module });
  const broken = await start(["app", at("broken")], { env: environment }).ended;
  expect(broken.code).toBe(1);
  expect(broken.stdout).toMatch(/not-there/);
});

/** It says what of its environment it got, and where it runs. */
const SERVER = `import { createServer } from "node:http";
import { existsSync } from "node:fs";
createServer((request, response) => {
  response.setHeader("content-type", "text/plain");
  response.end([process.env.SHOP_NAME, process.env.NODE_ENV, existsSync("built.txt")].join());
}).listen(process.env.PORT, "127.0.0.1");
`;

test("a server that nobody knows is built and started by commands of one's own, in the copy, and is measured as Node.js", async () => {
  writeFiles(at("server"), { "server.mjs": SERVER, ".env": "SHOP_NAME=Corner\n" });
  const own = ["--build", "echo built > built.txt", "--start", "exec node server.mjs", "--on", "node"];
  const args = [...own, ...words`--path / --quick --out ${at("started")}`];
  await succeeded(start(["app", at("server"), ...args], { env: environment }).ended);
  const { run } = await readRun(await runIn(at("started")));
  expect(run.plan.targets).toMatchObject([
    { name: "node", platform: "node", command: "exec node server.mjs" },
    { name: "node~copy" },
  ]);
  expect(run.command).toEqual(expect.arrayContaining(["--start", "exec node server.mjs", "--on", "node"]));
  expect((await readdir(at("server"))).sort()).toEqual([".env", "server.mjs"]);
});

test("finished outputs are served as they are: those of Vercel's and of Nitro's, and a Worker that a configuration names", async () => {
  const output = ".vercel/output";
  const files: Readonly<Record<string, string>> = {
    [`${output}/config.json`]:
      '{ "version": 3, "routes": [{ "handle": "filesystem" }, { "src": "/.*", "dest": "/main" }] }',
    [`${output}/functions/main.func/.vc-config.json`]:
      '{ "runtime": "nodejs24.x", "handler": "index.mjs", "launcherType": "Nodejs" }',
    [`${output}/functions/main.func/index.mjs`]: 'export default { fetch: () => new Response("hello") };',
    ".output/nitro.json": '{ "preset": "node-server" }',
    ".output/server/index.mjs":
      'import { createServer } from "node:http"; const type = { "content-type": "text/plain;charset=UTF-8" }; createServer((_, response) => response.writeHead(200, type).end("hello")).listen(process.env.PORT);',
    "built.mjs": "export default { fetch: (request, env) => new Response(env.GREETING) };",
    "wrangler.jsonc": `{ "name": "w", "main": "build/worker.mjs", "compatibility_date": "2026-04-15",
      "vars": { "GREETING": "hello" }, "kv_namespaces": [{ "binding": "KV", "id": "0" }] }`,
  };
  writeFiles(at("finished"), files);
  const unbuilt = await start(["app", at("finished"), "--on", "cloudflare"], { env: environment }).ended;
  expect(unbuilt.code).toBe(1);
  expect(unbuilt.stdout).toContain("build/worker.mjs");
  const build = ["--build", "mkdir build && cp built.mjs build/worker.mjs"];
  const args = ["app", at("finished"), ...build, ...words`--path /a --quick --out ${at("outputs")}`];
  await succeeded(start(args, { env: environment }).ended);
  const { run } = await readRun(await runIn(at("outputs")));
  const platforms = new Set(run.plan.targets.map(({ platform }) => platform));
  expect(platforms).toEqual(new Set(["cloudflare", "node", "vercel"]));
});
