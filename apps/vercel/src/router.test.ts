import { expect, test } from "vitest";
// From config.json as `vercel build` wrote it for an app of Next.js 16, in its order.
import nextRoutes from "../test/next-routes.json" with { type: "json" };
import type { SourceCondition } from "./conditions.ts";
import { readMiddlewareResponse } from "./middleware.ts";
import { type CallMiddleware, createRouter } from "./router.ts";
import { compileRoutes, lackingIn, type SourceRoute } from "./routes.ts";

type Routes = readonly (SourceRoute | { readonly handle: string })[];

const noMiddleware: CallMiddleware = () => Promise.reject(new Error("There is none."));

/** Makes a function that gives the resource, status and headers of a URL; and the URL, where routes change it. */
function follow(routes: Routes, places: readonly string[]) {
  const route = createRouter(compileRoutes(routes), (path) => places.find((place) => place === path));
  return async (url: string, headers: Record<string, string> = {}) => {
    const routed = await route(url, headers, noMiddleware);
    const { resource, status, headers: responseHeaders } = routed;
    return {
      resource,
      status,
      ...Object.fromEntries([...responseHeaders].map(([name, { value }]) => [name, value])),
      ...(routed.url !== url && { url: routed.url }),
    };
  };
}

const next = follow(nextRoutes as Routes, [
  "/page",
  "/page.rsc",
  "/page.segments/_tree.segment.rsc",
  "/dyn/[slug]",
  "/dyn/[slug].rsc",
  "/_next/static/chunks/a.js",
  "/_next/static/not-found.txt",
  "/404",
]);

test("a dynamic page of Next.js gets its parameters in the query", async () => {
  const dynamic = { status: undefined, "x-matched-path": "/dyn/[slug]" };
  expect(await next("/dyn/a?q=1&q=2")).toEqual({
    ...dynamic,
    resource: "/dyn/[slug]",
    url: "/dyn/a?q=1&q=2&nxtPslug=a",
  });
  expect(await next("/dyn/a", { rsc: "1" })).toMatchObject({
    resource: "/dyn/[slug].rsc",
    url: "/dyn/a?nxtPslug=a",
  });
});

test("what Next.js does not have gets its error page, an asset a short text, and a slash too many a redirect", async () => {
  expect(await next("/nowhere")).toMatchObject({
    resource: "/404",
    status: 404,
    "x-next-error-status": "404",
  });
  expect(await next("/404")).toMatchObject({ resource: "/404", status: 404 });
  expect(await next("/404", { "x-prerender-revalidate": "1" })).toMatchObject({ status: undefined });
  expect(await next("/_next/static/chunks/a.js")).toMatchObject({
    resource: "/_next/static/chunks/a.js",
    "cache-control": "immutable",
  });
  expect(await next("/_next/static/chunks/gone.js")).toMatchObject({
    resource: "/_next/static/not-found.txt",
    status: 404,
  });
  expect(await next("/page/")).toEqual({ resource: null, status: 308, location: "/page" });
});

test("a parameter that a route drops is gone from the query, and the rest is as it was", async () => {
  const dropped = { type: "request.query", op: "delete", target: { key: "__pathname" } };
  const kit = follow([{ src: ".*", dest: "/catchall", transforms: [dropped] }], ["/catchall"]);
  expect(await kit("/any?a=%20b")).toEqual({ resource: "/catchall", status: undefined });
  expect(await kit("/any?a=%20b&__pathname=/x")).toMatchObject({ url: "/any?a=+b" });
});

test("a route that overrides takes back what earlier routes said, and one that finds something a 404", async () => {
  const earlier = { src: "/.*", headers: { "x-early": "1" }, status: 404, continue: true };
  const after = (route: object) => follow([earlier, { src: "/a", dest: "/b", ...route }], ["/b"])("/a");
  expect(await after({ override: true })).toEqual({ resource: "/b", status: undefined });
  expect(await after({ check: true })).toEqual({ resource: "/b", status: undefined, "x-early": "1" });
  expect(await after({})).toEqual({ resource: "/b", status: 404, "x-early": "1" });
});

test("routes that lead to each other end as an error, and a route with a status and no destination ends there", async () => {
  const circle = follow(
    [
      { handle: "filesystem" },
      { src: "/a", dest: "/b", check: true },
      { src: "/b", dest: "/a", check: true },
    ],
    [],
  );
  expect(await circle("/a")).toEqual({ resource: null, status: 508 });
  const closed = follow([{ src: "/secret", status: 403 }], ["/secret"]);
  expect(await closed("/secret")).toEqual({ resource: null, status: 403 });
});

test("a path that a route sets is the one that a function sees, as in every build of Hono", async () => {
  const transforms = [{ type: "request.path", op: "set", args: "/$1" }];
  const hono = follow([{ src: "^/(.*)$", dest: "/index", transforms }], ["/index"]);
  expect(await hono("/api/a?b=1")).toEqual({ resource: "/index", status: undefined });
  const other = follow([{ src: "^/old/(.*)$", dest: "/index", transforms }], ["/index"]);
  expect(await other("/old/a?b=1")).toMatchObject({ resource: "/index", url: "/a?b=1" });
});

test.each<[what: string, condition: SourceCondition, met: [string, object], unmet: [string, object]]>([
  ["a cookie", { type: "cookie", key: "a" }, ["/", { cookie: "b=2; a=1" }], ["/", { cookie: "ab=1" }]],
  [
    "a cookie's value",
    { type: "cookie", key: "a", value: "\\d+" },
    ["/", { cookie: "a=12" }],
    ["/", { cookie: "a=12x" }],
  ],
  ["a host", { type: "host", value: "a\\.example" }, ["/", { host: "a.example:3000" }], ["/", { host: "b" }]],
  [
    "a header",
    { type: "header", key: "X-A", value: { pre: "b", neq: "bad" } },
    ["/", { "x-a": "bc" }],
    ["/", { "x-a": "bad" }],
  ],
  [
    "one of several",
    { type: "header", key: "a", value: { inc: ["1", "2"] } },
    ["/", { a: "2" }],
    ["/", { a: "3" }],
  ],
  ["a number", { type: "query", key: "n", value: { gte: 2, lt: 10 } }, ["/?n=9", {}], ["/?n=10", {}]],
])("a route asks for %s, and another for its absence", async (_what, condition, met, unmet) => {
  const has = follow([{ src: "/", has: [condition], dest: "/found" }], ["/found"]);
  const missing = follow([{ src: "/", missing: [condition], dest: "/found" }], ["/found"]);
  const ask = async (router: typeof has, [url, headers]: [string, object]) =>
    (await router(url, headers as Record<string, string>)).resource;
  expect([await ask(has, met), await ask(has, unmet)]).toEqual(["/found", null]);
  expect([await ask(missing, met), await ask(missing, unmet)]).toEqual([null, "/found"]);
});

test("what a condition finds by name fills the destination", async () => {
  const has = [{ type: "query", key: "id", value: "(?<id>\\d+)" }];
  const routed = follow([{ src: "/item", has, dest: "/items/$id" }], ["/items/7"]);
  expect(await routed("/item?id=7")).toMatchObject({ resource: "/items/7" });
});

test("headers of the request and of the answer are set, added to and deleted", async () => {
  const change = (type: string, op: string, key: string, args?: string) => {
    return { type, op, target: { key }, ...(args !== undefined && { args }) };
  };
  const transforms = [
    change("request.headers", "set", "X-Set", "$1"),
    change("request.headers", "append", "x-more", "2"),
    change("request.headers", "delete", "x-gone"),
    change("request.query", "append", "q", "2"),
    change("response.headers", "delete", "server"),
  ];
  const route = createRouter(compileRoutes([{ src: "/(a)", transforms }]), () => "found");
  const sent = { "x-more": "1", "x-gone": "1" };
  const { requestHeaders, answerChanges, url } = await route("/a?q=1", sent, noMiddleware);
  expect(requestHeaders).toEqual({ "x-set": "a", "x-more": "1, 2" });
  expect(answerChanges).toEqual([{ op: "delete", name: "server", value: "" }]);
  expect(url).toBe("/a?q=1&q=2");
  // Whoever asked keeps what it sent.
  expect(sent).toEqual({ "x-more": "1", "x-gone": "1" });
});

test("a route that minds letters takes no others, and one that does not takes both", async () => {
  const found = async (caseSensitive: boolean, path: string) => {
    const routed = follow([{ src: "/Page", caseSensitive, dest: "/x" }], ["/x"]);
    return (await routed(path)).resource;
  };
  expect([await found(true, "/Page"), await found(true, "/page")]).toEqual(["/x", null]);
  expect([await found(false, "/Page"), await found(false, "/page")]).toEqual(["/x", "/x"]);
});

test("speakers of a language are led to their pages: by a cookie, else by what their browser wants most", async () => {
  const locale = { redirect: { en: "/", de: "/de", "pt-br": "/br" }, cookie: "L" };
  const routed = follow(
    [
      { src: "/", locale, continue: true },
      { src: "/", dest: "/home" },
    ],
    ["/home"],
  );
  const led = (headers: Record<string, string>) => routed("/", headers);
  expect(await led({ "accept-language": "fr, en;q=0.5, de-AT;q=0.8" })).toMatchObject({
    status: 307,
    location: "/de",
  });
  expect(await led({ "accept-language": "pt-BR" })).toMatchObject({ status: 307, location: "/br" });
  expect(await led({ "accept-language": "de", cookie: "L=en" })).toEqual({
    resource: "/home",
    status: undefined,
  });
  expect(await led({ "accept-language": "de;q=0" })).toMatchObject({ resource: "/home" });
  expect(await led({})).toMatchObject({ resource: "/home" });
});

test("the place that a domain stands for is empty, as no domain stands for another", async () => {
  const routed = follow([{ src: "^/(.*)$", dest: "$wildcard/en/$1" }], ["/en/a"]);
  expect(await routed("/a")).toMatchObject({ resource: "/en/a" });
});

test.each<[what: string, route: object]>([
  ['"mitigate" in a route', { src: "/a", mitigate: { action: "deny" } }],
  ["a condition on a moon", { src: "/a", has: [{ type: "moon", key: "a" }] }],
  ['the comparison "x" in a condition', { src: "/a", has: [{ type: "host", value: { x: "1" } }] }],
  [
    "the transform rename of request.headers",
    { src: "/a", transforms: [{ type: "request.headers", op: "rename", target: { key: "a" }, args: "1" }] },
  ],
])("%s refuses the requests that come to it, and no others", async (what, source) => {
  const routes = compileRoutes([source as SourceRoute, { src: "/.*", dest: "/x" }]);
  expect(lackingIn(routes)).toEqual([what]);
  const route = createRouter(routes, (path) => (path === "/x" ? "found" : undefined));
  expect((await route("/b", {}, noMiddleware)).resource).toBe("found");
  await expect(route("/a", {}, noMiddleware)).rejects.toThrow(`${what} is not served by the local host`);
});

test("an expression that is not JavaScript's may mean any request, and a phase that is not known none", async () => {
  const routes = compileRoutes([{ src: "/(?i)a" }]);
  expect(lackingIn(routes)).toEqual(["the expression /(?i)a, which is not JavaScript's"]);
  const route = createRouter(routes, () => "found");
  await expect(route("/b", {}, noMiddleware)).rejects.toThrow("is not JavaScript's");
  expect(() => compileRoutes([{ handle: "unheard" }])).toThrow('config.json uses the phase "unheard"');
});

/** Routes a request to /a whose middleware gives this response. */
async function passed(headers: Record<string, string>, status = 200) {
  const routes = [
    { src: "/a", middlewarePath: "middleware", continue: true },
    { handle: "filesystem" },
    { src: "/.*", dest: "/rest" },
  ];
  const route = createRouter(compileRoutes(routes), (path) => (path === "/b" ? path : undefined));
  return route("/a?q=1", { host: "127.0.0.1", cookie: "c=1" }, async (path, sent) => {
    expect(path).toBe("/middleware");
    return readMiddlewareResponse(new Response(null, { status, headers }), sent);
  });
}

test("a middleware lets a request go on, elsewhere and with other headers where it says so", async () => {
  const goesOn = await passed({ "x-middleware-next": "1", "x-seen": "1", "set-cookie": "d=2" });
  expect(goesOn).toMatchObject({ resource: null, url: "/a?q=1", answer: null });
  expect(goesOn.headers.get("x-seen")?.value).toBe("1");
  expect(goesOn.answerChanges).toEqual([{ op: "append", name: "set-cookie", value: "d=2" }]);
  expect(goesOn.requestHeaders).toEqual({ host: "127.0.0.1", cookie: "c=1" });

  const rewritten = await passed({
    "x-middleware-rewrite": "http://localhost:80/b?q=2",
    "x-middleware-override-headers": "host,x-new",
    "x-middleware-request-host": "h",
    "x-middleware-request-x-new": "1",
  });
  expect(rewritten).toMatchObject({ resource: "/b", matchedPath: "/b", url: "/a?q=2" });
  expect(rewritten.requestHeaders).toEqual({ host: "h", "x-new": "1" });
  expect([...rewritten.headers]).toEqual([]);
});

test("a middleware's own answer is the answer, and a rewrite to another host is refused", async () => {
  const redirected = await passed({ location: "/login" }, 307);
  expect(redirected.answer?.status).toBe(307);
  expect(redirected.answer?.headers.get("location")).toBe("/login");
  await expect(passed({ "x-middleware-rewrite": "https://elsewhere.example/" })).rejects.toThrow(
    "a middleware's rewrite to another host (elsewhere.example) is not served",
  );
});

test.each([
  ["/shop/hello", "/shop/hello", "/hello"],
  ["/other", "/other", "/other"],
])(
  "the path of a function at %s is the one that the phase hit says, below a base path, else its own",
  async (url, place, matchedPath) => {
    const headers = { "x-matched-path": "/$1" };
    const hit = { src: "/shop/((?!index$).*?)(?:/)?", headers, continue: true, important: true };
    const routes = compileRoutes([{ handle: "filesystem" }, { handle: "hit" }, hit]);
    const route = createRouter(routes, (path) => (path === place ? path : undefined));
    expect(await route(url, {}, noMiddleware)).toMatchObject({ resource: place, matchedPath });
  },
);
