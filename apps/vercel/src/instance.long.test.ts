import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Host, reasonOf, withQuotes } from "@evenbench/core";
import { LOOPBACK, TYPE_STRIPPING } from "@evenbench/host";
import { testFolder } from "@evenbench/host/testing/folder";
import { expect, onTestFinished, test } from "vitest";
import platform from "../platform.ts";
import { MAIN, type Output, web, writeOutput } from "../test/output.ts";

const folder = testFolder();

const logOf = (name: string) => join(folder, `${name}.log`);

async function serve(name: string, output: Output): Promise<Host> {
  const deployable = writeOutput(join(folder, name), output);
  const options = { port: 0, logFile: logOf(name), cores: null, workers: 1, v8Flags: [] };
  const host = await platform.serve({ deployable, ...options });
  onTestFinished(() => host.stop());
  return host;
}

/** Status, body, and those headers of the answer. */
async function ask({ url }: Host, path: string, method = "GET", ...names: string[]) {
  const response = await fetch(url + path, { redirect: "manual", method });
  return [response.status, await response.text(), ...names.map((name) => response.headers.get(name))];
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
  delete process.env.EVENBENCH_LEAK;
  const seen = await (await fetch(host.url)).json();
  expect(seen).toMatchObject({
    VERCEL: "1",
    VERCEL_ENV: "production",
    VERCEL_REGION: "iad1",
    NODE_ENV: "production",
    AWS_EXECUTION_ENV: "AWS_Lambda_nodejs26.x",
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
  // Twice, since loading a function changes the working directory of all.
  for (let time = 0; time < 2; time++) {
    expect(await ask(host, "/a")).toEqual([200, "main"]);
    expect(await ask(host, "/web/a?q=1")).toEqual([200, "/web/[name] ?q=1&name=a [name].func"]);
    expect(await ask(host, "/node", "POST")).toEqual([200, "POST node.func"]);
  }
  // The platform's adapter does not stand a GET in for a HEAD.
  expect((await ask(host, "/web/a", "HEAD"))[0]).toBe(405);
});

test("functions that only listen, at once, while their module waits for it, or later, are asked on ports of their own", async () => {
  const listens = {
    now: "server.listen(3000);",
    awaited: "await new Promise((listening) => server.listen({ port: 3000 }, listening));",
    later: "setTimeout(() => server.listen(3000), 20);",
  };
  const source = (listen: string) => `import { createServer } from "node:http";
const server = createServer(async (request, response) => {
  const parts = await Array.fromAsync(request);
  response.setHeader("x-port", server.address().port).end(request.url + " " + Buffer.concat(parts));
});
${listen}`;
  const functions = Object.entries(listens).map(([name, listen]) => [name, source(listen)]);
  const host = await serve("listens", { functions: Object.fromEntries(functions) });
  const ports = new Set(["3000"]);
  for (const name of Object.keys(listens)) {
    const response = await fetch(`${host.url}/${name}?b=1`, { method: "POST", body: "text" });
    expect([response.status, await response.text()]).toEqual([200, `/${name}?b=1 text`]);
    ports.add(response.headers.get("x-port") ?? "");
  }
  expect(ports.size).toBe(4);
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
  expect(await ask(host, "/old/a", "GET", "location")).toEqual([308, "", "/new/a"]);
  const headerNames = ["content-type", "content-length", "cache-control"];
  const html = "text/html; charset=utf-8";
  expect(await ask(host, "/page.html", "GET", "x-rule")).toEqual([200, "<p>static", "page.html"]);
  expect(await ask(host, "/page.html", "HEAD", ...headerNames)).toEqual([200, "", html, "9", "immutable"]);
  expect(await ask(host, "/page.html", "POST")).toEqual([405, "METHOD_NOT_ALLOWED\n"]);
  const revalidated = [html, "9", "public, max-age=0, must-revalidate"];
  expect(await ask(host, "/nested/", "GET", ...headerNames)).toEqual([200, "<p>nested", ...revalidated]);
  expect(await ask(host, "/ready", "GET", "x-ready")).toEqual([200, "<p>ready", "1"]);
  expect(await ask(host, "/ready", "POST", "x-rule")).toEqual([200, "rendered POST", "ready"]);
});

/** A function whose answer says how often it was called, with which cookie and query, and what the platform says of its call. */
const COUNTING = `let calls = 0;
export default (request, response) => {
  calls += 1;
  const { cookie = "none" } = request.headers;
  response.setHeader("x-invocation", request.headers["x-invocation-id"] ?? "none");
  response.setHeader("x-matches", request.headers["x-now-route-matches"] ?? "none");
  response.setHeader("cache-control", "s-maxage=" + (request.headers["x-age"] ?? 3600));
  response.end([request.method, calls, cookie, request.url].join(" "));
};`;

const prerendered = (settings: object) => JSON.stringify({ type: "Prerender", ...settings });

test("an answer is rendered once for all who ask for it, by what the build says that it depends on", async () => {
  const bypassFor = [{ type: "header", key: "x-anew" }];
  const host = await serve("kept", {
    functions: { "post/[id]": COUNTING },
    files: {
      "functions/post/[id].prerender-config.json": prerendered({
        expiration: 60,
        fallback: null,
        allowQuery: ["id"],
        allowHeader: ["host"],
        bypassToken: "token",
        experimentalBypassFor: bypassFor,
      }),
    },
    routes: [{ src: "/post/(?<id>.+)", dest: "/post/[id]?id=$id" }],
  });
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(host.url + path, { headers: { cookie: "c=1", ...headers } });
    return [response.headers.get("x-vercel-cache"), await response.text()];
  };
  const first = "GET 1 none /post/a?id=a";
  const [one, other] = await Promise.all([get("/post/a?q=1"), get("/post/a?q=2")]);
  expect([one?.[1], other?.[1]]).toEqual([first, first]);
  expect(await get("/post/a")).toEqual(["HIT", first]);
  expect(await get("/post/b")).toEqual(["MISS", "GET 2 none /post/b?id=b"]);
  expect(await get("/post/a", { "x-anew": "1" })).toEqual([null, "GET 3 c=1 /post/a?id=a"]);
  expect(await get("/post/a", { cookie: "__prerender_bypass=token" })).toEqual([
    null,
    "GET 4 __prerender_bypass=token /post/a?id=a",
  ]);
  expect(await get("/post/a", { "x-prerender-revalidate": "token" })).toEqual([
    "MISS",
    "GET 5 none /post/a?id=a",
  ]);
  expect(await ask(host, "/post/a", "POST")).toEqual([200, "POST 6 none /post/a?id=a"]);
  expect(await ask(host, "/post/a", "HEAD", "x-vercel-cache", "cache-control")).toEqual([
    200,
    "",
    "HIT",
    "public, max-age=0, must-revalidate",
  ]);
  // A function may take its parameters from there alone. A call that is not for the cache has none of it.
  expect(await ask(host, "/post/c?q=1", "GET", "x-matches")).toEqual([200, expect.any(String), "id=c"]);
  expect(await ask(host, "/post/c", "POST", "x-matches")).toEqual([200, expect.any(String), "none"]);
  // Next.js gives a rendering of the last seconds again to calls that have no id of their own.
  const idOf = async (path: string) => (await fetch(host.url + path)).headers.get("x-invocation");
  expect(new Set([await idOf("/post/a"), await idOf("/post/b"), "none", null]).size).toBe(4);
});

test("what the build rendered is given until it is too old, and once more while it is rendered anew", async () => {
  const host = await serve("stale", {
    functions: { old: COUNTING, "any/[id]": COUNTING },
    files: {
      "functions/old.prerender-config.json": prerendered({
        expiration: 0,
        fallback: "old.html",
        allowQuery: [],
      }),
      "functions/old.html": "built",
      "functions/any/[id].prerender-config.json": prerendered({
        fallback: "loading.html",
        allowQuery: ["id"],
      }),
      "functions/any/loading.html": "loading",
    },
    routes: [{ src: "/any/(?<id>.+)", dest: "/any/[id]?id=$id" }],
  });
  expect(await ask(host, "/old", "GET", "x-vercel-cache")).toEqual([200, "built", "PRERENDER"]);
  expect(await ask(host, "/old", "GET", "x-vercel-cache")).toEqual([200, "built", "STALE"]);
  await expect
    .poll(() => ask(host, "/old", "GET", "x-vercel-cache"))
    .toEqual([200, "GET 1 none /old", "HIT"]);
  expect(await ask(host, "/any/a", "GET", "x-vercel-cache")).toEqual([200, "loading", "PRERENDER"]);
  await expect.poll(() => ask(host, "/any/a")).toEqual([200, "GET 1 none /any/a?id=a"]);
});

test("the rest of a page that is rendered ahead in part is rendered from its state, for each request", async () => {
  const type = 'application/x-nextjs-pre-render; state-length=5; origin="text/html; charset=utf-8"';
  const rest = `export default async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    response.write("<i>" + request.method + " " + request.headers["next-resume"] + " ");
    response.end(Buffer.concat(parts) + " " + request.headers.cookie + "</i>");
  };`;
  const host = await serve("chain", {
    functions: { part: rest, whole: rest },
    files: {
      "functions/part.prerender-config.json": prerendered({
        fallback: { type: "FileFsRef", fsPath: "part.html", contentType: type },
        initialHeaders: { "content-type": type },
        allowQuery: [],
        chain: { outputPath: "part", headers: { "next-resume": "1" } },
      }),
      "functions/part.html": "state<p>shell</p>",
      "functions/whole.prerender-config.json": prerendered({
        fallback: { type: "FileFsRef", fsPath: "whole.html", contentType: "text/html; charset=utf-8" },
        allowQuery: [],
        chain: { outputPath: "whole", headers: { "next-resume": "1" } },
      }),
      "functions/whole.html": "<p>whole</p>",
    },
  });
  const get = async (cookie: string) => {
    const response = await fetch(`${host.url}/part`, { headers: { cookie } });
    return [response.headers.get("content-type"), await response.text()];
  };
  const html = "text/html; charset=utf-8";
  expect(await get("a=1")).toEqual([html, "<p>shell</p><i>POST 1 state a=1</i>"]);
  expect(await get("a=2")).toEqual([html, "<p>shell</p><i>POST 1 state a=2</i>"]);
  expect(await ask(host, "/whole", "GET", "content-type")).toEqual([200, "<p>whole</p>", html]);
});

test("a page in parts that is too old is served as the build rendered it, where the platform alone knows its state", async () => {
  const postponed = `export default (request, response) => {
    response.setHeader("x-nextjs-postponed", "1");
    response.end("shell alone");
  };`;
  const settings = { allowQuery: [], chain: { outputPath: "old", headers: { "next-resume": "1" } } };
  const host = await serve("old-part", {
    functions: { old: postponed, none: postponed },
    files: {
      "functions/old.prerender-config.json": prerendered({
        ...settings,
        expiration: 0,
        fallback: "old.html",
      }),
      "functions/old.html": "built",
      "functions/none.prerender-config.json": prerendered({ ...settings, fallback: null }),
    },
  });
  expect(await ask(host, "/old")).toEqual([200, "built"]);
  expect(await ask(host, "/old")).toEqual([200, "built"]);
  const said = "/old? is served as the build rendered it, and is not rendered again";
  await expect.poll(() => readFileSync(logOf("old-part"), "utf8")).toContain(said);
  expect(await ask(host, "/old", "GET", "x-vercel-cache")).toEqual([200, "built", "PRERENDER"]);
  expect((await ask(host, "/none"))[0]).toBe(501);
});

const atEdge = (more: object = {}) => JSON.stringify({ runtime: "edge", entrypoint: "index.js", ...more });

test("a function of the edge runtime runs in the one that Vercel publishes", async () => {
  const host = await serve("edge", {
    files: {
      "functions/edge.func/.vc-config.json": atEdge({ environment: { OWN: "1" } }),
      "functions/edge.func/index.js": `import { AsyncLocalStorage } from "node:async_hooks";
        import { name } from "./name.js";
        export default async (request, context) => {
          context.waitUntil(Promise.resolve());
          const seen = { name, runtime: EdgeRuntime, own: process.env.OWN, node: typeof process.version };
          const body = request.body === null ? "" : await request.text();
          return Response.json({ ...seen, storage: typeof AsyncLocalStorage, url: request.url, body });
        };`,
      "functions/edge.func/name.js": `export const name = "beside";`,
      "functions/streamed.func/.vc-config.json": atEdge(),
      "functions/streamed.func/index.js": `export default () => new Response(new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode("a"));
          controller.enqueue(new TextEncoder().encode("b"));
          controller.close();
        },
      }), { status: 201, headers: [["set-cookie", "a=1"], ["set-cookie", "b=2"]] });`,
    },
  });
  const response = await fetch(`${host.url}/edge?q=1`, { method: "POST", body: "sent" });
  expect(await response.json()).toEqual({
    name: "beside",
    runtime: "edge-runtime",
    own: "1",
    node: "undefined",
    storage: "function",
    url: `${host.url}/edge?q=1`,
    body: "sent",
  });
  const streamed = await fetch(`${host.url}/streamed`);
  expect([streamed.status, streamed.headers.getSetCookie(), await streamed.text()]).toEqual([
    201,
    ["a=1", "b=2"],
    "ab",
  ]);
});

test("a middleware runs before what its route takes, at the edge or in Node.js, and before nothing else", async () => {
  const source = (runtime: string) => `(request) => {
    const { pathname } = new URL(request.url);
    if (pathname.endsWith("/body")) return request.text().then(() => new Response("read"));
    if (pathname.endsWith("/login")) return new Response(null, { status: 307, headers: { location: "/in" } });
    if (pathname.endsWith("/other")) return new Response(null, { headers: { "x-middleware-rewrite": "/main?rewritten=1" } });
    const headers = { "x-middleware-next": "1", "x-by": ${JSON.stringify(runtime)} };
    return new Response(null, { headers });
  }`;
  const host = await serve("middleware", {
    functions: {
      main: `export default (request, response) => response.end(request.url);`,
      _middleware: `export default ${source("node")};`,
    },
    files: {
      "functions/middleware.func/.vc-config.json": atEdge(),
      "functions/middleware.func/index.js": `export default ${source("edge")};`,
    },
    settings: { _middleware: { useWebApi: true } },
    routes: [
      { src: "/e/.*", middlewarePath: "middleware", middlewareRawSrc: ["/e/:path*"], continue: true },
      { src: "/n/.*", middlewarePath: "/_middleware", continue: true },
    ],
  });
  for (const [path, by] of [
    ["/e", "edge"],
    ["/n", "node"],
  ] as const) {
    expect(await ask(host, `${path}/page`, "GET", "x-by", "x-middleware-next")).toEqual([
      200,
      `${path}/page`,
      by,
      null,
    ]);
    expect(await ask(host, `${path}/login`, "GET", "location")).toEqual([307, "", "/in"]);
    expect(await ask(host, `${path}/other?q=1`)).toEqual([200, `${path}/other?rewritten=1`]);
    expect((await ask(host, `${path}/body`, "POST"))[0]).toBe(501);
  }
  expect(await ask(host, "/page", "GET", "x-by")).toEqual([200, "/page", null]);
});

test("an unknown path gets the output's own page, or the platform's words where there is none", async () => {
  const lastRoutes = [
    { src: "/identity", dest: "/main" },
    { handle: "error" },
    { src: "/.*", dest: "/404.html", status: 404 },
  ];
  const host = await serve("unknown", { lastRoutes, files: { "static/404.html": "<p>own page" } });
  for (const method of ["GET", "POST"]) {
    expect(await ask(host, "/nowhere", method)).toEqual([404, "<p>own page"]);
  }
  expect(await ask(host, "/nowhere", "HEAD")).toEqual([404, ""]);
  const bare = await serve("bare", { lastRoutes });
  expect(await ask(bare, "/nowhere")).toEqual([404, "NOT_FOUND\n"]);
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
  await ask(host, "/fail");
  await expect(body?.read()).rejects.toThrow("terminated");
});

test("a handler that throws is a 500 without the headers it had set, and the instance lives", async () => {
  const throwing = `export default (request, response) => { response.setHeader("x-half", "1"); throw new Error("thrown by node"); };`;
  const host = await serve("throws", { functions: { node: throwing } });
  const pids = host.pids();
  const answer = [500, "FUNCTION_INVOCATION_FAILED\n", null];
  expect(await ask(host, "/node", "GET", "x-half")).toEqual(answer);
  expect(await ask(host, "/")).toEqual([200, "main"]);
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

const PYTHON =
  'the function /python, which asks for the runtime "python3.14" (the local host has Node.js and the edge runtime)';

test("a build that uses what is not served answers 501 where a request comes to that, and elsewhere as ever", async () => {
  const host = await serve("lacking", {
    functions: { ok: web(`return new Response("ok");`) },
    files: {
      "functions/python.func/.vc-config.json": JSON.stringify({ runtime: "python3.14", handler: "index.py" }),
      "functions/gone.func/.vc-config.json": JSON.stringify({ runtime: "edge", entrypoint: "index.js" }),
    },
    routes: [{ src: "/guarded", middlewarePath: "python" }],
    images: { sizes: [640], domains: [] },
  });
  expect(await ask(host, "/ok")).toEqual([200, "ok"]);
  const names = ["x-evenbench-not-served"];
  for (const [path, what] of [
    ["/python", PYTHON],
    ["/guarded", PYTHON],
    ["/gone", 'the function /gone, which names "index.js" as entrypoint, which is not there'],
    ["/_next/image?url=%2Fa.png&w=640&q=75", 'image optimisation ("images", /_next/image)'],
  ] as const) {
    const [status, body, header] = await ask(host, path, "GET", ...names);
    expect([status, body, header]).toEqual([
      501,
      expect.stringContaining(`does not serve ${what}. Ask for`),
      what,
    ]);
    expect(readFileSync(logOf("lacking"), "utf8")).toContain(`answered with 501: ${what}\n`);
  }
});

/** The answer to a request line as it is written: clients of Node.js would change it. */
async function askRaw({ url }: Host, line: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), LOOPBACK);
  socket.write(`${line} HTTP/1.1\r\nhost: a.example\r\nconnection: close\r\n\r\n`);
  const parts: Buffer[] = [];
  for await (const part of socket) {
    parts.push(part);
  }
  const [head = "", body = ""] = Buffer.concat(parts).toString().split("\r\n\r\n");
  return `${head.split(" ")[1]} ${body}`;
}

test("a path is never taken for a host, and an address for what it names", async () => {
  const shown = `export const GET = (request) => new Response(request.url, { headers: { "content-length": String(request.url.length) } });`;
  const host = await serve("targets", {
    functions: {
      shown,
      node: "export default (request, response) => { response.setHeader('content-length', request.url.length); response.end(request.url); };",
    },
    routes: [
      { src: "/node(.*)", dest: "/node" },
      { src: "/{1,}shown.*", dest: "/shown" },
    ],
  });
  expect(await askRaw(host, "GET //shown/x")).toBe("200 http://a.example//shown/x");
  expect(await askRaw(host, "GET http://b.example/shown?a")).toBe("200 http://b.example/shown?a");
  expect(await askRaw(host, "GET http://b.example/node//x?a")).toBe("200 /node//x?a");
  expect(await askRaw(host, "GET ftp://b.example/shown")).toBe("400 BAD_REQUEST\n");
});

test.each<[string, Output, RegExp]>([
  [
    "cannot be loaded gives its own words",
    { functions: { main: `throw new Error("broken on purpose");` } },
    /exit code 1.*broken on purpose/s,
  ],
  [
    "has two values of one variable is refused",
    { functions: { other: MAIN }, environment: (path) => ({ MODE: path }) },
    /sets MODE to "\w+", another one to "\w+".*give them one value/,
  ],
])("what %s", async (what, output, message) => {
  const refusal = serve(what.replaceAll(" ", "-"), output).then(
    () => null,
    (error: unknown) => withQuotes(reasonOf(error)),
  );
  await expect(refusal).resolves.toMatch(message);
});
