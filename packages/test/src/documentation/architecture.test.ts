// The diagram of docs/architecture.md, held against what the packages really import.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "@evenbench/host";
import { expect, test } from "vitest";
import { readImports, withoutImplied } from "./read-imports.ts";

const page = readFileSync(join(repositoryRoot, "docs/architecture.md"), "utf8");
const drawn = [...page.matchAll(/^ +(\w+) --> (\w+)$/gm)].map(([, from, to]) => `${from} --> ${to}`);

test("the diagram has every import between packages that no other one implies, and nothing else", () => {
  const needed = [...withoutImplied(readImports())].flatMap(([from, all]) =>
    [...all].map((to) => `${from} --> ${to}`),
  );
  expect(needed.length).toBeGreaterThan(10);
  expect(drawn.toSorted()).toEqual(needed.toSorted());
});

test("the page has a line for every package", () => {
  for (const name of readImports().keys()) expect(page).toContain(`| \`${name}\``);
});

test("an import that another one implies is left out", () => {
  const chain = new Map([
    ["a", new Set(["b", "c"])],
    ["b", new Set(["c"])],
    ["c", new Set<string>()],
  ]);
  expect([...(withoutImplied(chain).get("a") ?? [])]).toEqual(["b"]);
});
