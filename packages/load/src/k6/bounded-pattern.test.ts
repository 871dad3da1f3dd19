import { expect, test } from "vitest";
import { isBoundedInK6 } from "./bounded-pattern.ts";

test.each([
  "static/chunks/[\\w~.-]+?\\.(js|css)",
  "-([A-Z]{3})$",
  "^([a-z]{3}\\d)::",
  "(x+)+$",
  '{"at":"[^"]+"}',
  "(?:a|b){2,30}?",
  "req-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}",
  "\\d+\\.\\d+ ms|\\u00e9|\\x41",
  "[-\\d]+[a\\-z][\\w-]",
  "id-\\d+ \\[-\\d x-\\s]",
  "",
])("k6 gives %s to an engine that is linear", (pattern) => {
  expect(new RegExp(pattern, "gs")).toBeInstanceOf(RegExp);
  expect(isBoundedInK6(pattern)).toBe(true);
});

test.each([
  "(?=x)",
  "(?!)",
  "(?<=x)y",
  "(?<name>x)",
  "(x)\\1",
  "(?<n>x)\\k<n>",
  "[\\s\\S]",
  "(x+){1,1001}$",
  "(?:x{40}){40}",
  "[a-\\d]",
  "[\\s-x]",
  "[[:x:]]",
  "\\xZ",
  "é",
  "x".repeat(1001),
])("k6 may try for ever to match %s", (pattern) => {
  expect(isBoundedInK6(pattern)).toBe(false);
});

test("whether a pattern is bounded is itself found in a time that grows with its length", () => {
  for (const part of ["a|^$.", "x+?", "\\[", "[a\\]]", "{a}{2}?"]) {
    expect(isBoundedInK6(`${part.repeat(130)}(?=x)`)).toBe(false);
  }
});
