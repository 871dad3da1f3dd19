import { MANIFEST_DEFAULTS, type OwnAppRoute } from "@evenbench/core";
import { expect, test } from "vitest";
import { casesByRoute, routeOf } from "./routes.ts";

const route = (path: string, kind: OwnAppRoute["kind"], others: Partial<OwnAppRoute> = {}): OwnAppRoute => ({
  path,
  kind,
  hasMiddleware: false,
  note: null,
  ...others,
});

const ROUTES = [
  route("/", "prerendered", { hasMiddleware: true }),
  route("/api/hello", "dynamic"),
  route("/posts/[slug]", "prerendered"),
  route("/posts/new", "dynamic"),
  route("/news", "isr"),
  route("/blog/[slug]", "dynamic", { prerendered: ["/blog/a"] }),
  route("/docs/[[...path]]", "dynamic"),
  route("/files/[...path]", "isr"),
  route("/users/:id", "dynamic"),
  route("/_next/image", "refused", { note: "Image optimisation is another product on each platform." }),
  route("/next.svg", "static"),
];

test.each([
  ["/", "/"],
  ["/posts/a", "/posts/[slug]"],
  ["/posts/a?draft=1", "/posts/[slug]"],
  ["/posts/new/", "/posts/new"],
  ["/posts/a/b", null],
  ["/docs", "/docs/[[...path]]"],
  ["/docs/a/b", "/docs/[[...path]]"],
  ["/files", null],
  ["/files/a/b", "/files/[...path]"],
  ["/users/7", "/users/:id"],
  ["/next.svg", "/next.svg"],
  ["/nextxsvg", null],
])("the path %s is answered by the route %s", (path, expected) => {
  expect(routeOf(ROUTES, path)?.path ?? null).toBe(expected);
});

const cachedOf = (path: string) => {
  const manifest = { ...MANIFEST_DEFAULTS, id: "x", path, title: path, description: "" };
  return casesByRoute([manifest], ROUTES)[0]?.cached;
};

test.each([
  ["/", /^It is prerendered: .* Middleware in front of it runs for each request\.$/],
  ["/posts/a", /^It is prerendered: the build made it, and no platform renders it\.$/],
  ["/blog/a/", /^It is prerendered/],
  ["/news?page=2", /^It is rendered from time to time/],
  ["/next.svg", /^It is a file\.$/],
])("of %s it is said why no platform computes it", (path, words) => {
  expect(cachedOf(path)).toMatch(words);
});

test.each(["/api/hello", "/blog/b", "/users/7", "/unknown"])("%s is computed for each request", (path) => {
  expect(cachedOf(path)).toBeUndefined();
});

test("image optimisation is refused by name", () => {
  expect(() => cachedOf("/_next/image?url=%2Fa.png&w=64&q=75")).toThrow(
    "/_next/image?url=%2Fa.png&w=64&q=75 is not measured. Image optimisation is another product on each platform.",
  );
});

test("a page of which the build made the beginning is computed, and its case says so", () => {
  const manifest = { ...MANIFEST_DEFAULTS, id: "x", path: "/items/7", title: "/items/7", description: "" };
  const routes = [route("/items/[id]", "dynamic", { isPartlyPrerendered: true })];
  expect(casesByRoute([manifest], routes)[0]).toMatchObject({ partlyCached: true });
  expect(casesByRoute([manifest], routes)[0]).not.toHaveProperty("cached");
});
