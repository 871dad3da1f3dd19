import { expect, test } from "vitest";
import { type NextManifests, routesOf } from "./own-routes.ts";

const NOTHING: NextManifests = {
  prerender: { routes: {}, dynamicRoutes: {} },
  routes: {},
  appPaths: {},
  pages: {},
  matchers: [],
  postponed: new Set(),
  optimisesImages: false,
  publicFiles: [],
};

const kindsOf = (manifests: Partial<NextManifests>) =>
  Object.fromEntries(routesOf({ ...NOTHING, ...manifests }).map(({ path, kind }) => [path, kind]));

const entry = (srcRoute: string | null, initialRevalidateSeconds: number | false = false) => ({
  srcRoute,
  initialRevalidateSeconds,
});

test("pages of the App Router are dynamic, prerendered or ISR as the build says", () => {
  const kinds = kindsOf({
    appPaths: {
      "/page": "app/page.js",
      "/api/hello/route": "app/api/hello/route.js",
      "/(shop)/news/page": "app/(shop)/news/page.js",
      "/posts/[slug]/page": "app/posts/[slug]/page.js",
      "/users/[id]/page": "app/users/[id]/page.js",
    },
    prerender: {
      routes: {
        "/": entry("/"),
        "/news": entry("/news", 60),
        "/posts/a": entry("/posts/[slug]"),
        "/posts/b": entry("/posts/[slug]"),
      },
      dynamicRoutes: { "/posts/[slug]": { fallback: null } },
    },
  });
  expect(kinds).toEqual({
    "/": "prerendered",
    "/api/hello": "dynamic",
    "/news": "isr",
    "/posts/[slug]": "prerendered",
    "/users/[id]": "dynamic",
  });
});

test("a route says which of its paths were prerendered, and what becomes of others", () => {
  const [route] = routesOf({
    ...NOTHING,
    appPaths: { "/posts/[slug]/page": "app/posts/[slug]/page.js" },
    prerender: {
      routes: { "/posts/a": entry("/posts/[slug]"), "/posts/b": entry("/posts/[slug]") },
      dynamicRoutes: { "/posts/[slug]": { fallback: false } },
    },
  });
  expect(route?.note).toBe("Prerendered: 2 paths, such as /posts/a. Other paths are not found.");
});

test("a page of which the build left a part unfinished is dynamic", () => {
  const partial = { ...entry("/"), renderingMode: "PARTIALLY_STATIC" };
  const kinds = kindsOf({
    appPaths: { "/page": "a.js", "/about/page": "b.js", "/old/page": "c.js" },
    postponed: new Set(["/old"]),
    prerender: {
      routes: {
        "/": { ...partial, response: "partial" },
        "/about": { ...partial, srcRoute: "/about", response: "complete" },
        "/old": { ...partial, srcRoute: "/old" },
      },
      dynamicRoutes: {},
    },
  });
  expect(kinds).toEqual({ "/": "dynamic", "/about": "prerendered", "/old": "dynamic" });
});

test("a route whose paths all begin with a page of the build, and go on for each request, is dynamic", () => {
  const shell = { fallback: "/items/[id]", renderingMode: "PARTIALLY_STATIC" };
  const routes = routesOf({
    ...NOTHING,
    appPaths: {
      "/items/[id]/page": "a.js",
      "/old/[id]/page": "b.js",
      "/whole/[id]/page": "c.js",
    },
    postponed: new Set(["/old/[id]"]),
    prerender: {
      routes: {},
      dynamicRoutes: {
        "/items/[id]": { ...shell, response: "initial" },
        "/old/[id]": shell,
        "/whole/[id]": { ...shell, response: "complete" },
      },
    },
  });
  expect(routes.map(({ path, kind, isPartlyPrerendered }) => [path, kind, isPartlyPrerendered])).toEqual([
    ["/items/[id]", "dynamic", true],
    ["/old/[id]", "dynamic", true],
    ["/whole/[id]", "isr", undefined],
  ]);
});

test("a page of the Pages Router that is only a file is prerendered, one with data is dynamic, internal ones are left out", () => {
  const kinds = kindsOf({
    pages: {
      "/": "pages/index.html",
      "/api/hello": "pages/api/hello.js",
      "/ssr": "pages/ssr.js",
      "/_app": "pages/_app.js",
      "/_error": "pages/_error.js",
      "/404": "pages/404.html",
    },
  });
  expect(kinds).toEqual({ "/": "prerendered", "/api/hello": "dynamic", "/ssr": "dynamic" });
});

test("pages of several languages are one route", () => {
  const kinds = kindsOf({
    routes: { i18n: { locales: ["en", "nl"] } },
    pages: { "/en": "pages/en.html", "/nl": "pages/nl.html", "/posts": "pages/posts.js" },
    prerender: { routes: { "/en/posts": entry(null), "/nl/posts": entry(null) }, dynamicRoutes: {} },
  });
  expect(kinds).toEqual({ "/": "prerendered", "/posts": "prerendered" });
});

test("slots and pages that only show within another one are no routes of their own", () => {
  const kinds = kindsOf({
    appPaths: {
      "/@modal/(.)photo/[id]/page": "a.js",
      "/@side/team/page": "b.js",
      "/photo/[id]/page": "c.js",
      "/_not-found/page": "d.js",
    },
  });
  expect(kinds).toEqual({ "/photo/[id]": "dynamic", "/team": "dynamic" });
});

test("middleware is named where its matcher hits, for paths with parameters too", () => {
  const routes = routesOf({
    ...NOTHING,
    appPaths: { "/page": "a.js", "/admin/[id]/page": "b.js" },
    matchers: [{ regexp: "^(?:\\/(_next\\/data\\/[^/]{1,}))?\\/admin(?:\\/([^\\/#\\?]+?))[\\/#\\?]?$" }],
  });
  expect(routes.map(({ path, hasMiddleware }) => [path, hasMiddleware])).toEqual([
    ["/", false],
    ["/admin/[id]", true],
  ]);
});

test("middleware is named where its matcher wants the language, and below a base path", () => {
  const regexp =
    "^\\/docs(?:\\/(_next\\/data\\/[^/]{1,}))?(?:\\/((?!_next\\/)[^/.]{1,}))\\/ssr(\\.json)?[\\/#\\?]?$";
  const routes = routesOf({
    ...NOTHING,
    routes: { basePath: "/docs", i18n: { locales: ["en", "de"] } },
    pages: { "/ssr": "a.js", "/api/hello": "b.js" },
    matchers: [{ regexp }],
  });
  expect(routes.map(({ path, hasMiddleware }) => [path, hasMiddleware])).toEqual([
    ["/docs/api/hello", false],
    ["/docs/ssr", true],
  ]);
});

test("image optimisation is named and not proposed, files are static, and a base path is a part of each path", () => {
  const routes = routesOf({
    ...NOTHING,
    routes: { basePath: "/docs" },
    appPaths: { "/page": "a.js" },
    optimisesImages: true,
    publicFiles: ["/logo.svg"],
  });
  expect(routes.map(({ path, kind }) => [path, kind])).toEqual([
    ["/docs", "dynamic"],
    ["/docs/_next/image", "refused"],
    ["/docs/logo.svg", "static"],
  ]);
  expect(routes[1]?.note).toContain("not measured");
});
