// docs/architecture.md, held against what the packages really import and which files there are.
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { repositoryRoot } from "@evenbench/host";
import { expect, test } from "vitest";

/** Which packages a package imports, without itself. */
type Imports = ReadonlyMap<string, ReadonlySet<string>>;

const NOT_SOURCES = /\.(test|d)\.[mc]?tsx?$|\/(node_modules|dist|test|test-data)\/|\/\./;
const SPECIFIER = /(?:^(?:import|export|\})[^"'\n=(]*|\bimport\(\s*)["']@evenbench\/([\w-]+)[^"']*["']/gm;
const page = readFileSync(join(repositoryRoot, "docs/architecture.md"), "utf8");
const packages = globSync("packages/*/package.json", { cwd: repositoryRoot }).map(folderOf);
// Nested packages count with the folder that holds them.
const homes = new Map(
  globSync("packages/*/*/package.json", { cwd: repositoryRoot }).map((file) => [
    file.split("/")[2] ?? "",
    folderOf(file),
  ]),
);

function folderOf(file: string): string {
  return file.split("/")[1] ?? "";
}

function importsOf(folder: string): ReadonlySet<string> {
  const names = globSync(`packages/${folder}/**/*.{ts,tsx,mts,mjs}`, { cwd: repositoryRoot })
    .filter((file) => !NOT_SOURCES.test(file))
    .flatMap((file) => [...readFileSync(join(repositoryRoot, file), "utf8").matchAll(SPECIFIER)])
    .map(([, name = ""]) => homes.get(name) ?? name);
  return new Set(names.filter((name) => name !== folder));
}

/** Arrows that no chain of others implies: what a diagram has to show. */
function arrowsOf(imports: Imports): readonly string[] {
  const reaches = (from: string, to: string): boolean =>
    [...(imports.get(from) ?? [])].some((next) => next === to || reaches(next, to));
  return [...imports].flatMap(([from, all]) =>
    [...all]
      .filter((to) => ![...all].some((other) => other !== to && reaches(other, to)))
      .map((to) => `${from} --> ${to}`),
  );
}

test("the diagram has every import between packages that no other one implies, and nothing else", () => {
  const needed = arrowsOf(new Map(packages.map((folder) => [folder, importsOf(folder)])));
  const drawn = [...page.matchAll(/^ +([\w-]+) --> ([\w-]+)$/gm)].map(([, from, to]) => `${from} --> ${to}`);
  expect(needed.length).toBeGreaterThan(10);
  expect(drawn.toSorted()).toEqual(needed.toSorted());
});

test("the page has a line for every package, with files that are there", () => {
  const lines = [...page.matchAll(/^- `([\w-]+)` \(.*$/gm)].map(([line, name = ""]) => ({ line, name }));
  expect(lines.map(({ name }) => name).sort()).toEqual(packages.toSorted());
  const missing = lines.flatMap(({ line, name }) => {
    const files = [...line.matchAll(/`([\w./-]+\.\w+)`/g)].map(([, file = ""]) =>
      join("packages", name, file),
    );
    return files.filter((file) => !existsSync(join(repositoryRoot, file)));
  });
  expect(missing).toEqual([]);
});

test("what shows a run imports nothing that measures, reads or judges, but for types", () => {
  const source = "packages/report/src";
  const shown = ["{words,media}/**/*.ts", "site/{agreement,figures,pages,sparkline}.ts"];
  const files = shown
    .flatMap((pattern) => globSync(`${source}/${pattern}`, { cwd: repositoryRoot }))
    .filter((file) => !NOT_SOURCES.test(file));
  expect(files.length).toBeGreaterThan(10);
  const shows = ["words", "media", "card", "site"];
  const foreign = files.flatMap((file) => {
    const text = readFileSync(join(repositoryRoot, file), "utf8");
    const imports = text.matchAll(/^(?:import|export) (?!type )(?:[^"]* from )?"([^"]+)";/gm);
    return [...imports].flatMap(([, from = ""]) => {
      const [home = ""] = relative(source, join(dirname(file), from)).split("/");
      const isOurs = from.startsWith(".") ? shows.includes(home) : !/^@evenbench\/(?!core|page)/.test(from);
      return isOurs ? [] : `${file}: ${from}`;
    });
  });
  expect(foreign).toEqual([]);
});

test("a change is written in one place", () => {
  const files = globSync("packages/*/src/**/*.ts", { cwd: repositoryRoot }).filter(
    (file) => !NOT_SOURCES.test(file),
  );
  const withSigns = files.filter((file) => {
    const lines = readFileSync(join(repositoryRoot, file), "utf8").split("\n");
    return lines.some((line) => /["`][◀▶]/.test(line) && !/^\s*(?:\/\/|\/?\*)/.test(line));
  });
  expect(withSigns).toEqual(["packages/report/src/words/notation.ts"]);
});
