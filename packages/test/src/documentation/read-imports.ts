import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "@evenbench/host";

const NOT_SOURCES = /\.(test|d)\.[mc]?tsx?$|\/(node_modules|dist|test|test-data)\/|\/\./;
const SPECIFIER = /(?:^(?:import|export|\})[^"'\n=(]*|\bimport\(\s*)["']@evenbench\/([\w-]+)[^"']*["']/gm;

/** Which packages a package imports: in files that are no tests, without itself. */
export type Imports = ReadonlyMap<string, ReadonlySet<string>>;

/** The real imports between the folders of `packages/`, nested packages counted with the folder that holds them. */
export function readImports(): Imports {
  const folders = globSync("packages/*/package.json", { cwd: repositoryRoot }).map((file) => folderOf(file));
  const nested = globSync("packages/*/*/package.json", { cwd: repositoryRoot });
  const homes = new Map(nested.map((file) => [file.split("/")[2] ?? "", folderOf(file)]));
  return new Map(
    folders.map((folder) => {
      const imported = sourcesOf(folder).flatMap(importsOf);
      const others = imported.map((name) => homes.get(name) ?? name).filter((name) => name !== folder);
      return [folder, new Set(others)];
    }),
  );
}

/** Imports that no other chain of imports implies: what a diagram has to show. */
export function withoutImplied(imports: Imports): Imports {
  const reaches = (from: string, to: string): boolean =>
    [...(imports.get(from) ?? [])].some((next) => next === to || reaches(next, to));
  return new Map(
    [...imports].map(([from, all]) => [
      from,
      new Set([...all].filter((to) => ![...all].some((other) => other !== to && reaches(other, to)))),
    ]),
  );
}

function folderOf(file: string): string {
  return file.split("/")[1] ?? "";
}

function sourcesOf(folder: string): readonly string[] {
  const files = globSync(`packages/${folder}/**/*.{ts,tsx,mts,mjs}`, { cwd: repositoryRoot });
  return files.filter((file) => !NOT_SOURCES.test(file));
}

function importsOf(file: string): readonly string[] {
  const text = readFileSync(join(repositoryRoot, file), "utf8");
  return [...text.matchAll(SPECIFIER)].map(([, name = ""]) => name);
}
