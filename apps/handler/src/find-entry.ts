import { lstatSync } from "node:fs";
import { extname, join } from "node:path";
import type { OwnAppSource } from "@evenbench/core";
import { readIfThere } from "@evenbench/core/user-file";

/**
 * The way in which a module gives its handler: "module": by its default export; "served": to `serve` of
 * @hono/node-server, or by `listen` of Elysia.
 */
export type EntryKind = "module" | "served";

/** The module that answers an app's requests. */
export interface HandlerEntry {
  /** Path from the app's folder on, with slashes, such as "src/index.tsx". */
  readonly file: string;
  /** The way in which it gives its handler. */
  readonly kind: EntryKind;
}

/** Endings of modules. */
const ENDINGS = ["ts", "tsx", "mts", "js", "jsx", "mjs", "cjs"];
const ENTRY_NAMES = ["app", "index", "server", "worker", "main"];
/** Usual paths of an entry, the likeliest first. */
export const USUAL_ENTRIES: readonly string[] = ["src/", "", "api/"].flatMap((folder) =>
  ENTRY_NAMES.flatMap((name) => ENDINGS.map((ending) => `${folder}${name}.${ending}`)),
);

/** Packages whose apps have a method fetch. */
const ROUTERS = ["hono", "h3", "elysia", "itty-router"];

/**
 * Finds the module that answers requests: the one that a wrangler configuration names, then those of package.json, then
 * the last words of its scripts, then the usual names. A module that was built comes after its source; a built one of a
 * wrangler configuration is a finished Worker, and no module for other platforms.
 *
 * @param main of the wrangler configuration; null where there is none.
 */
export function findEntry(source: OwnAppSource, main: string | null): HandlerEntry | null {
  const { folder } = source;
  const isRouted = ROUTERS.some((name) => source.rangeOf(name) !== null);
  const ofPackage = namedModules(source);
  const named = main === null ? ofPackage : [main, ...ofPackage];
  const sources = named.filter((file) => !OUTPUT.test(file));
  for (const file of new Set([...sources, ...USUAL_ENTRIES, ...ofPackage])) {
    const text = readModule(join(folder, file));
    if (text === null) {
      continue;
    }
    const kind = entryKindOf(text, isRouted || file === main);
    if (kind !== null) {
      return { file, kind };
    }
  }
  return null;
}

/** Folders into which builds write. */
const OUTPUT = /^(?:dist|build|out|\.[\w-]+)\//;

/** Lists the modules that scripts and package.json name, from the app's folder on. */
export function namedModules(source: OwnAppSource): readonly string[] {
  return [...scriptWords(source), ...packageMains(source)];
}

/** Reads a module, by its full path; null where it is not there. */
export function readModule(file: string): string | null {
  const isModule = isModuleName(file) || extname(file) === "";
  return isModule && lstatSync(file, { throwIfNoEntry: false })?.isDirectory() !== true
    ? readIfThere(file)
    : null;
}

/** A function alone has no method `fetch`: Vercel takes it, and no other platform. */
const DEFAULT_EXPORT =
  /(?:^|[;}\s])export\s+default\b(?!\s+(?:async|function)\b)|\bexport\s*\{[^}]*\bas\s+default\b|\bexport\s*\{\s*default\b/;
/** An import of a router: an app below a workspace may have it from there, and not name it itself. */
const ROUTER = new RegExp(`from\\s*["'](?:${ROUTERS.join("|")})["'/]`);

/** Tells whether the text of a module imports a router whose apps have a method fetch. */
export function importsRouter(text: string): boolean {
  return ROUTER.test(text) || SERVES.test(text);
}

const ELYSIA = /from\s*["']elysia["']/;
const SERVES = /from\s*["']@hono\/node-server["']/;

/**
 * Finds how a module gives its handler; null where it gives none. A default export alone may be anything, such as a
 * component.
 *
 * @param isHandler true where the default export is known to be a handler.
 */
export function entryKindOf(text: string, isHandler: boolean): EntryKind | null {
  if (DEFAULT_EXPORT.test(text) && (isHandler || ROUTER.test(text) || /\bfetch\b/.test(text))) {
    return "module";
  }
  return SERVES.test(text) || (ELYSIA.test(text) && /\.listen\s*\(/.test(text)) ? "served" : null;
}

function isModuleName(name: string): boolean {
  return ENDINGS.some((ending) => name.endsWith(`.${ending}`));
}

/**
 * Lists the modules in scripts: "wrangler dev src/index.tsx", "tsx watch src/index.ts", "bun run --hot src/index.ts",
 * "node ./bin/www". Node.js finds one without its ending, too.
 */
export function scriptWords({ packageJson }: Pick<OwnAppSource, "packageJson">): readonly string[] {
  const {
    start = "",
    "start:prod": startProduction = "",
    dev = "",
    deploy = "",
  } = packageJson?.scripts ?? {};
  return [start, startProduction, dev, deploy].flatMap((script) => {
    const words = script.split(/\s+/);
    const modules = words.filter((word, index) => isModuleName(word) || words[index - 1] === "node");
    const files = modules.map((word) => word.replace(/^\.\//, ""));
    return files.flatMap((file) => (isModuleName(file) ? [file] : [file, `${file}.js`]));
  });
}

/** Lists the modules that package.json names. */
function packageMains({ packageJson }: OwnAppSource): readonly string[] {
  const { main, exports } = packageJson ?? {};
  const ofExports =
    typeof exports === "string" ? exports : (exports as Record<string, unknown> | undefined)?.["."];
  return [main, ofExports].flatMap((path) => (typeof path === "string" ? [path.replace(/^\.\//, "")] : []));
}
