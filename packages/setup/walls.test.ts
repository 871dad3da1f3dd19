import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";

const IGNORED = /(^|\/)(node_modules|dist|\.[\w-]+)\//;
const SOURCES = "**/*.{ts,tsx,mts,mjs,js,svelte,astro}";
/**
 * Finds the module that a statement at the start of a line imports or hands on, or that a dynamic import
 * loads.
 */
const SPECIFIER = /(?:^(?:import|export|\})[^"'\n=(]*|\bimport\(\s*)["']([^"']+)["']/gm;

const listed = (pattern: string) =>
  ["apps", "packages"]
    .flatMap((parent) => globSync(`${parent}/${pattern}`))
    .filter((file) => !IGNORED.test(file));

const rooms = listed("**/package.json").map((file) => dirname(file));

function roomOf(file: string): string | undefined {
  return rooms.filter((room) => `${file}/`.startsWith(`${room}/`)).sort((a, b) => b.length - a.length)[0];
}

/**
 * Whether an import leads into another package by its path, instead of by its name. What a name opens, its
 * `exports` say.
 */
function reachesThroughAWall(file: string, specifier: string): boolean {
  if (!specifier.startsWith(".")) {
    return false;
  }
  return roomOf(normalize(join(dirname(file), specifier))) !== roomOf(file);
}

test("no file imports another package by its path", () => {
  const files = listed(SOURCES);
  expect(files.length).toBeGreaterThan(300);
  const found = files.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(SPECIFIER)]
      .map(([, specifier = ""]) => specifier)
      .filter((specifier) => reachesThroughAWall(file, specifier))
      .map((specifier) => `${file} imports ${specifier}`),
  );
  expect(found).toEqual([]);
});

/** Finds an import, in a text, of something of results that is there at run time, and so brings zod along. */
const RUNS_RESULTS = /^(?:import|export)(?! type )[^;]*?["']@evenbench\/results["']/m;

test("packages that have results only for developing take nothing but types from it", () => {
  const developing = rooms.filter((room) => {
    const { devDependencies = {} } = JSON.parse(readFileSync(`${room}/package.json`, "utf8"));
    return "@evenbench/results" in devDependencies;
  });
  expect(developing).toContain("packages/host");
  const files = listed(SOURCES).filter((file) => developing.includes(roomOf(file) ?? ""));
  const running = files.filter((file) => RUNS_RESULTS.test(readFileSync(file, "utf8")));
  expect(running.filter((file) => !file.endsWith(".test.ts"))).toEqual([]);
});
