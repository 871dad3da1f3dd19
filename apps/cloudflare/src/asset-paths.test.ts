import { expect, test } from "vitest";
import { assetRules, needsAssetService } from "./asset-paths.ts";

test("files that have one path each and no rules are sent as they lie there", () => {
  expect(needsAssetService(["/a.css", "/b/c.js"], { directory: "d", binding: "ASSETS" })).toBe(false);
  expect(needsAssetService(["/a.css", "/404.html"], {})).toBe(true);
  expect(needsAssetService(["/_headers"], {})).toBe(true);
  expect(needsAssetService(["/a.css"], { not_found_handling: "none" })).toBe(false);
  expect(needsAssetService(["/a.css"], { not_found_handling: "404-page" })).toBe(true);
  expect(needsAssetService(["/a.css"], { run_worker_first: ["/api/*"] })).toBe(true);
});

test("a page may be meant by its path with and without ending and slash, and a file by its own alone", () => {
  const { paths } = assetRules(["/a.css", "/about.html", "/blog/index.html", "/index.html"], {}, "");
  expect(paths).toEqual([
    "/a.css",
    "/about.html",
    "/about",
    "/about/",
    "/blog/index.html",
    "/blog/index",
    "/blog/index/",
    "/blog/",
    "/blog",
    "/index.html",
    "/index",
    "/index/",
    "/",
  ]);
});

test("redirects are looked for by their beginnings", () => {
  const redirects = "# old\n/old /new 301\n\n/blog/* /posts/:splat\n/u/:name/x /y\n";
  expect(assetRules([], {}, redirects).prefixes).toEqual(["/old", "/blog/", "/u/"]);
});

test("paths that are the Worker's first are expressions, and those with ! are the files'", () => {
  const rules = assetRules([], { run_worker_first: ["/api/*", "!/api/docs.html"] }, "");
  expect(rules.workerFirst).toEqual(["^/api/.*$"]);
  expect(rules.never).toEqual(["^/api/docs\\.html$"]);
});

test.each([
  ["/*/a/*", "/x/a/y", true],
  ["/*/a/*", "/x/b/y", false],
  ["/*a*b*a", "/a/b/a/b/a", true],
  ["/a**b", "/ab", true],
  ["/*.js", "/xjs", false],
  [`/${"*a".repeat(49)}*b`, `/${"a".repeat(10_000)}`, false],
])("the rule %s is of the path %s: %s", (rule, path, isOf) => {
  const [expression = ""] = assetRules([], { run_worker_first: [rule] }, "").workerFirst;
  expect(new RegExp(expression).test(path)).toBe(isOf);
});

test.each([
  [{}, "none"],
  [{ not_found_handling: "single-page-application" }, "navigation"],
  [{ not_found_handling: "404-page", run_worker_first: ["/api/*"] }, "all"],
])("with %o a page stands for files that are not there: %s", (settings, notFound) => {
  expect(assetRules([], settings, "").notFound).toBe(notFound);
});
