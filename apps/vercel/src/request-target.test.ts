import { expect, test } from "vitest";
import { parseRequestTarget } from "./request-target.ts";

test.each([
  ["/a?b=1", { url: "/a?b=1", host: null }],
  // No host: only an address with its scheme names one.
  ["//a/b", { url: "//a/b", host: null }],
  ["http://a.example/b?c=1", { url: "/b?c=1", host: "a.example" }],
  ["HTTPS://a.example:81", { url: "/", host: "a.example:81" }],
  ["http://a.example?c=1", { url: "/?c=1", host: "a.example" }],
  ["http://a.example//b", { url: "//b", host: "a.example" }],
  ["*", { url: "/*", host: null }],
  ["a/b", null],
  ["ftp://a.example/b", null],
  ["http:///b", null],
])("the request target %s", (target, meant) => {
  expect(parseRequestTarget(target)).toEqual(meant);
});
