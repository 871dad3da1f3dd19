import { expect, test } from "vitest";
import { exportsNoHandler } from "./port-listener.ts";

test.each([
  ["a function", () => {}, false],
  ["a handler of the web", { fetch: () => new Response() }, false],
  ["a method of the web", { POST: () => new Response() }, false],
  ["nothing", {}, true],
  // An app of Koa, and a server of node:http.
  ["what listens", { listen: () => {} }, true],
])("a module that exports %s", (_, exported, isWithout) => {
  expect(exportsNoHandler(exported)).toBe(isWithout);
});
