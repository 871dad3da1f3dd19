import { expect, test } from "vitest";
// From config.json as `vercel build` wrote it for an app of Next.js 16, in its order.
import nextRoutes from "../test/next-routes.json" with { type: "json" };
import { compileRoutes, createRouter, type SourceRoute } from "./router.ts";

type Routes = readonly (SourceRoute | { readonly handle: string })[];

/** What the path leads to, status and headers in one line; the URL is added when it is another one. */
function follow(routes: Routes, places: readonly string[]) {
  const route = createRouter(compileRoutes(routes), (path) => places.find((place) => place === path));
  return (url: string, headers: Record<string, string> = {}) => {
    const { resource, status, headers: responseHeaders, ...routed } = route(url, headers);
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

test("a page of Next.js is found as document, as RSC payload and as a prefetched segment", () => {
  const found = { status: undefined };
  expect(next("/page")).toEqual({ ...found, resource: "/page", "x-matched-path": "/page" });
  expect(next("/page", { rsc: "1" })).toEqual({
    ...found,
    resource: "/page.rsc",
    vary: "rsc",
    "x-matched-path": "/page.rsc",
  });
  expect(next("/page", { rsc: "0" })).toMatchObject({ resource: "/page" });
  expect(next("/page", { rsc: "1", "next-router-segment-prefetch": "/_tree" })).toMatchObject({
    resource: "/page.segments/_tree.segment.rsc",
  });
});

test("a dynamic page of Next.js gets its parameters in the query", () => {
  const dynamic = { status: undefined, "x-matched-path": "/dyn/[slug]" };
  expect(next("/dyn/a?q=1&q=2")).toEqual({
    ...dynamic,
    resource: "/dyn/[slug]",
    url: "/dyn/a?q=1&q=2&nxtPslug=a",
  });
  expect(next("/dyn/a", { rsc: "1" })).toMatchObject({
    resource: "/dyn/[slug].rsc",
    url: "/dyn/a?nxtPslug=a",
  });
});

test("what Next.js does not have gets its error page, an asset a short text, and a slash too many a redirect", () => {
  expect(next("/nowhere")).toMatchObject({ resource: "/404", status: 404, "x-next-error-status": "404" });
  expect(next("/404")).toMatchObject({ resource: "/404", status: 404 });
  expect(next("/404", { "x-prerender-revalidate": "1" })).toMatchObject({ status: undefined });
  expect(next("/_next/static/chunks/a.js")).toMatchObject({
    resource: "/_next/static/chunks/a.js",
    "cache-control": "immutable",
  });
  expect(next("/_next/static/chunks/gone.js")).toMatchObject({
    resource: "/_next/static/not-found.txt",
    status: 404,
  });
  expect(next("/page/")).toEqual({ resource: null, status: 308, location: "/page" });
});

test("a parameter that a route drops is gone from the query, and the rest is as it was", () => {
  const dropped = { type: "request.query", op: "delete", target: { key: "__pathname" } };
  const kit = follow([{ src: ".*", dest: "/catchall", transforms: [dropped] }], ["/catchall"]);
  expect(kit("/any?a=%20b")).toEqual({ resource: "/catchall", status: undefined });
  expect(kit("/any?a=%20b&__pathname=/x")).toMatchObject({ url: "/any?a=+b" });
});

test("a route that overrides takes back what earlier routes said, and one that finds something a 404", () => {
  const earlier = { src: "/.*", headers: { "x-early": "1" }, status: 404, continue: true };
  const after = (route: object) => follow([earlier, { src: "/a", dest: "/b", ...route }], ["/b"])("/a");
  expect(after({ override: true })).toEqual({ resource: "/b", status: undefined });
  expect(after({ check: true })).toEqual({ resource: "/b", status: undefined, "x-early": "1" });
  expect(after({})).toEqual({ resource: "/b", status: 404, "x-early": "1" });
});

test("routes that lead to each other end as an error, and a route with a status and no destination ends there", () => {
  const circle = follow(
    [
      { handle: "filesystem" },
      { src: "/a", dest: "/b", check: true },
      { src: "/b", dest: "/a", check: true },
    ],
    [],
  );
  expect(circle("/a")).toEqual({ resource: null, status: 508 });
  const closed = follow([{ src: "/secret", status: 403 }], ["/secret"]);
  expect(closed("/secret")).toEqual({ resource: null, status: 403 });
});

test.each<[string, object]>([
  ['"middlewarePath"', { src: "/.*", middlewarePath: "middleware" }],
  ["a condition on a cookie", { src: "/.*", has: [{ type: "cookie", key: "a" }] }],
  [
    "a condition that is not a regular expression",
    { src: "/.*", has: [{ type: "header", key: "a", value: { eq: "1" } }] },
  ],
  [
    "the transform set of request.headers",
    { src: "/.*", transforms: [{ type: "request.headers", op: "set", target: { key: "a" }, args: "1" }] },
  ],
  ['the phase "unheard"', { handle: "unheard" }],
  ["an expression that is not JavaScript's", { src: "/(?i)a" }],
])("a route with %s is refused", (what, route) => {
  expect(() => compileRoutes([route as SourceRoute])).toThrow(
    `A route of config.json uses ${what}, which the local host does not have`,
  );
});
