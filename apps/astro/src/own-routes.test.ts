import { expect, test } from "vitest";
import { type AstroRoute, rendersAnything, routesOf } from "./own-routes.ts";

const route = (pattern: string, others: Partial<AstroRoute> = {}): AstroRoute => ({
  pattern,
  type: "page",
  origin: "project",
  isPrerendered: false,
  ...others,
});

const IMAGE = route("/_image", { origin: "internal", type: "endpoint" });

test("middleware is before what is computed, and image optimisation is named", () => {
  const routes = routesOf(
    {
      routes: [route("/"), route("/about", { isPrerendered: true }), route("/404"), IMAGE],
      files: ["favicon.svg"],
    },
    true,
  );
  expect(routes.map(({ path, kind, hasMiddleware }) => [path, kind, hasMiddleware])).toEqual([
    ["/", "dynamic", true],
    ["/about", "prerendered", false],
    ["/_image", "refused", false],
    ["/favicon.svg", "static", false],
  ]);
});

test("an app whose pages are all prerendered renders nothing, whatever Astro itself brings along", () => {
  const files: string[] = [];
  expect(rendersAnything({ routes: [route("/", { isPrerendered: true }), IMAGE], files })).toBe(false);
  expect(rendersAnything({ routes: [route("/old", { type: "redirect" }), IMAGE], files })).toBe(false);
  expect(rendersAnything({ routes: [route("/api", { type: "endpoint" }), IMAGE], files })).toBe(true);
});
