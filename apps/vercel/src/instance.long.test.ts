import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { TYPE_STRIPPING } from "@evenbench/host";
import { testFolder } from "@evenbench/host/testing/folder";
import { expect, test } from "vitest";
import platform from "../platform.ts";
import { MAIN, type Output, web, writeOutput } from "../test/output.ts";

const folder = testFolder();

const logOf = (name: string) => join(folder, `${name}.log`);

async function serve(name: string, output: Output) {
  const deployable = writeOutput(join(folder, name), output);
  const options = { port: 0, logFile: logOf(name), cores: null, workers: 1, v8Flags: [] };
  return platform.serve({ deployable, ...options });
}

test("the program of an instance is plain JavaScript without a file of ours, named by its content", () => {
  const maker = fileURLToPath(new URL("make-instance.ts", import.meta.url));
  const file = execFileSync(process.execPath, [...TYPE_STRIPPING, maker], { encoding: "utf8" });
  const program = readFileSync(file);
  expect(file).toContain(createHash("sha256").update(program).digest("hex").slice(0, 16));
  expect(program.toString()).not.toMatch(/from "(?:\.|@evenbench)/);
});

test("a function sees the documented variables and its own, and nothing else of the caller's", async () => {
  process.env.EVENBENCH_LEAK = "1";
  const host = await serve("environment", {
    functions: { main: web("return Response.json(process.env);") },
    environment: () => ({ OWN: "1" }),
  });
  const seen = await (await fetch(host.url)).json();
  await host.stop();
  delete process.env.EVENBENCH_LEAK;
  expect(seen).toMatchObject({
    VERCEL: "1",
    VERCEL_ENV: "production",
    VERCEL_REGION: "iad1",
    NODE_ENV: "production",
    AWS_EXECUTION_ENV: "AWS_Lambda_nodejs24.x",
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: "2048",
    OWN: "1",
  });
  expect(seen).not.toHaveProperty("EVENBENCH_LEAK");
});

test("each function is called by its own shape, from its own folder, with the path that led to it", async () => {
  const host = await serve("shapes", {
    functions: {
      "web/[name]": `export const GET = (request) =>
        new Response(request.headers.get("x-matched-path") + " " + new URL(request.url).search + " " + process.cwd().split("/").at(-1));`,
      node: `export default (request, response) => response.end(request.method + " " + process.cwd().split("/").at(-1));`,
    },
    routes: [{ src: "/web/(?<name>[^/]+)", dest: "/web/[name]?name=$name" }],
  });
  const get = async (path: string, init: RequestInit = {}) => (await fetch(host.url + path, init)).text();
  // Twice, since loading a function changes the working directory of all.
  const both = [await get("/a"), await get("/web/a?q=1"), await get("/node", { method: "POST" })];
  const again = [await get("/a"), await get("/web/a?q=1"), await get("/node", { method: "POST" })];
  const head = await fetch(`${host.url}/web/a`, { method: "HEAD" });
  await host.stop();
  expect(both).toEqual(["main", "/web/[name] ?q=1&name=a [name].func", "POST node.func"]);
  expect(again).toEqual(both);
  // The platform's adapter does not stand a GET in for a HEAD.
  expect(head.status).toBe(405);
});

test("files, redirects and answers that were rendered ahead go before functions", async () => {
  const host = await serve("files", {
    functions: { ready: `export default (request, response) => response.end("rendered " + request.method);` },
    files: {
      "static/page.html": "<p>static",
      "static/nested/index.html": "<p>nested",
      "functions/ready.prerender-config.json": JSON.stringify({
        fallback: "ready.html",
        initialHeaders: { "x-ready": "1" },
      }),
      "functions/ready.html": "<p>ready",
    },
    routes: [
      { src: "/old/(.*)", headers: { Location: "/new/$1" }, status: 308 },
      { src: "/(?<all>.*)", headers: { "x-rule": "$all" }, continue: true },
      { src: "/page.html", headers: { "cache-control": "immutable" } },
    ],
  });
  const get = async (path: string, method = "GET") => {
    const response = await fetch(host.url + path, { redirect: "manual", method });
    const { headers } = response;
    const told = headers.get("location") ?? headers.get("x-ready") ?? headers.get("x-rule");
    return [response.status, await response.text(), told];
  };
  const answers = [
    await get("/old/a"),
    await get("/page.html"),
    await get("/page.html", "HEAD"),
    await get("/page.html", "POST"),
    await get("/nested/"),
    await get("/ready"),
    await get("/ready", "POST"),
  ];
  const heads = [];
  for (const path of ["/page.html", "/nested"]) {
    const { headers } = await fetch(host.url + path, { method: "HEAD" });
    heads.push(["content-type", "content-length", "cache-control"].map((name) => headers.get(name)));
  }
  await host.stop();
  expect(answers).toEqual([
    [308, "", "/new/a"],
    [200, "<p>static", "page.html"],
    [200, "", "page.html"],
    [405, "METHOD_NOT_ALLOWED\n", "page.html"],
    [200, "<p>nested", "nested/"],
    [200, "<p>ready", "1"],
    [200, "rendered POST", "ready"],
  ]);
  const html = "text/html; charset=utf-8";
  expect(heads).toEqual([
    [html, "9", "immutable"],
    [html, "9", "public, max-age=0, must-revalidate"],
  ]);
});

test("an unknown path gets the output's own page, or the platform's words where there is none", async () => {
  const lastRoutes = [
    { src: "/identity", dest: "/main" },
    { handle: "error" },
    { src: "/.*", dest: "/404.html", status: 404 },
  ];
  const host = await serve("unknown", { lastRoutes, files: { "static/404.html": "<p>own page" } });
  const get = async (method: string) => {
    const response = await fetch(`${host.url}/nowhere`, { method });
    return [response.status, await response.text()];
  };
  const own = [await get("GET"), await get("HEAD"), await get("POST")];
  await host.stop();
  expect(own).toEqual([
    [404, "<p>own page"],
    [404, ""],
    [404, "<p>own page"],
  ]);
  const bare = await serve("bare", { lastRoutes });
  const response = await fetch(`${bare.url}/nowhere`);
  expect([response.status, await response.text()]).toEqual([404, "NOT_FOUND\n"]);
  await bare.stop();
});

test("a body that fails midway ends as a broken connection, not as a whole one", async () => {
  const host = await serve("midway", {
    functions: {
      node: `export default (request, response) => { response.write("first"); globalThis.fail = () => response.destroy(); };`,
      fail: `export default (request, response) => { globalThis.fail(); response.end(); };`,
    },
  });
  const body = (await fetch(`${host.url}/node`)).body?.getReader();
  expect(Buffer.from((await body?.read())?.value ?? []).toString()).toBe("first");
  await fetch(`${host.url}/fail`);
  await expect(body?.read()).rejects.toThrow("terminated");
  await host.stop();
});

test("a handler that throws is a 500 without the headers it had set, and the instance lives", async () => {
  const host = await serve("throws", {
    functions: {
      node: `export default (request, response) => { response.setHeader("x-half", "1"); throw new Error("thrown by node"); };`,
    },
  });
  const pids = host.pids();
  const node = await fetch(`${host.url}/node`);
  expect([node.status, await node.text(), node.headers.get("x-half")]).toEqual([
    500,
    "FUNCTION_INVOCATION_FAILED\n",
    null,
  ]);
  expect(await (await fetch(host.url)).text()).toBe("main");
  expect(host.pids()).toEqual(pids);
  await host.stop();
  expect(readFileSync(logOf("throws"), "utf8")).toMatch(/thrown by node\n\s+at .*index\.mjs/);
});

test("a stop waits for work that was left in waitUntil", async () => {
  const host = await serve("wait", {
    functions: {
      main: web(`globalThis[Symbol.for("@vercel/request-context")].get().waitUntil(
        new Promise((resolve) => setTimeout(resolve, 300)).then(() => console.log("work done")));
        return new Response();`),
    },
  });
  await fetch(host.url);
  await host.stop();
  expect(readFileSync(logOf("wait"), "utf8")).toContain("work done");
});

test("what cannot be loaded gives its own words, and what would be served otherwise than there is refused", async () => {
  await expect(
    serve("broken", { functions: { main: `throw new Error("broken on purpose");` } }),
  ).rejects.toThrow(/exit code 1.*broken on purpose/s);
  await expect(
    serve("disagreeing", { functions: { other: MAIN }, environment: (path) => ({ MODE: path }) }),
  ).rejects.toThrow(/sets MODE to "\w+", another one to "\w+".*give them one value/);
  const partial = JSON.stringify({ fallback: "main.html", chain: {} });
  await expect(
    serve("partial", { files: { "functions/main.prerender-config.json": partial } }),
  ).rejects.toThrow(/main\.prerender-config\.json has a page that is rendered ahead in part/);
});
