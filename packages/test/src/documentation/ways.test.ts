import { expect, test } from "vitest";
import { representatives } from "./ways.ts";

const shown = (...lines: string[]) =>
  representatives(lines.map((line) => ({ words: line.split(" ") }))).map(({ words }) => words.join(" "));

test("a command is shown to work by another that does the same with its options and more", () => {
  const more = "evenbench run --case empty --target node";
  expect(shown("evenbench run --case trig", more, "npm run bench -- --target cloudflare")).toEqual([more]);
});

test("of those that differ in names and numbers the first is run", () => {
  expect(shown("evenbench load --rate 10", "evenbench load --rate 20")).toEqual(["evenbench load --rate 10"]);
});

test.each([
  ["without options", "evenbench deploy all", "evenbench deploy all --cpu provider"],
  ["without a subject", "evenbench report", "evenbench report results/first"],
  [
    "of other work",
    "evenbench run --target a=http://127.0.0.1:1",
    "evenbench run --target a=http://127.0.0.1:1 --path /",
  ],
  ["of another command", "evenbench list --app next", "evenbench preflight --app next"],
  ["through turbo", "npx pnpm turbo deploy -- --yes", "evenbench deploy --yes"],
  [
    "with options that no other has all of",
    "evenbench load --rate 10 --case a",
    "evenbench load --rate 10 --target b",
  ],
])("what is %s stands for itself", (_what, ...lines) => {
  expect(shown(...lines)).toEqual(lines);
});
