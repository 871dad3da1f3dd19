import { existsSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { BUILT_INTO, scriptCommands } from "@evenbench/bundle/deployable";
import type { OwnAppSource } from "@evenbench/core";
import { readIfThere } from "@evenbench/core/user-file";
import { IMPORTS_SERVER } from "./server-packages.ts";

/**
 * The way in which a module gives its handler: "module": by its default export; "served": to `serve` of
 * @hono/node-server or of Bun, or by `listen` of Elysia.
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
  const sources = named.filter((file) => !BUILT_INTO.test(file));
  for (const file of new Set([...sources, ...USUAL_ENTRIES, ...ofPackage])) {
    const text = readModule(join(folder, file));
    if (text === null) {
      continue;
    }
    const isServed = listensByElysia(source, text);
    const kind = entryKindOf(text, isRouted || file === main) ?? (isServed ? "served" : null);
    if (kind !== null) {
      return { file, kind };
    }
  }
  return null;
}

/** Lists the modules that scripts and package.json name, from the app's folder on. */
export function namedModules(source: OwnAppSource): readonly string[] {
  return [...scriptWords(source), ...packageMains(source)];
}

/** Reads a module, by its full path; null where it is not there. */
export function readModule(file: string): string | null {
  const isModule = isModuleName(file) || extname(file) === "";
  return isModule && existsSync(file) && statSync(file).isFile() ? readIfThere(file) : null;
}

/** A function alone has no method `fetch`: Vercel takes it, and no other platform. */
const DEFAULT_EXPORT =
  /(?:^|[;}\s])export\s+default\b(?!\s+(?:async|function)\b)|\bexport\s*\{[^{}]*\bas\s+default\b|\bexport\s*\{\s*default\b/;
/** An import of a router: an app below a workspace may have it from there, and not name it itself. */
const ROUTER = new RegExp(`(?:from|require\\()\\s*["'](?:${ROUTERS.join("|")})["'/]`);

/** Tells whether the text of a module imports a router whose apps have a method fetch. */
export function importsRouter(text: string): boolean {
  return ROUTER.test(text) || SERVES.test(text);
}

const ELYSIA = /(?:from|require\()\s*["']elysia["']/;
const LISTENS = /\.listen\s*\(/;
/** An import of Node.js's own servers. */
const IMPORTS_HTTP = /(?:from|require\()\s*["'](?:node:)?https?["']/;
const SERVES = /(?:from|require\()\s*["'](?:@hono\/node-server|bun)["']|\bBun\.serve\s*\(/;

/** Tells whether what listens in a module is an app of Elysia, which it may have from another module. */
export function listensByElysia({ rangeOf }: Pick<OwnAppSource, "rangeOf">, text: string): boolean {
  const isOfOthers = IMPORTS_HTTP.test(text) || IMPORTS_SERVER.test(text);
  const isOfElysia = ELYSIA.test(text) || (rangeOf("elysia") !== null && !isOfOthers);
  return isOfElysia && LISTENS.test(text);
}

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
  return SERVES.test(text) ? "served" : null;
}

function isModuleName(name: string): boolean {
  return ENDINGS.some((ending) => name.endsWith(`.${ending}`));
}

/** What a package.json says of its scripts. */
type Scripted = Pick<OwnAppSource, "packageJson">;

/**
 * Lists the modules in scripts: "wrangler dev src/index.tsx", "tsx watch src/index.ts", "bun run --hot src/index.ts",
 * "node ./bin/www".
 */
export function scriptWords({ packageJson }: Scripted): readonly string[] {
  const commands = scriptCommands(packageJson, ["start", "start:prod", "dev", "deploy"]);
  return commands.flatMap((command) => runOf(command).modules);
}

/** A module that Node.js loads before an app's own. */
export interface Preload {
  /** Its name from the app's folder on, such as "dotenv/config" and "./tracing.js". */
  readonly name: string;
  readonly by: "require" | "import";
}

/** What a command has Node.js run. */
export interface Run {
  /** The program that runs it, such as "node" and "tsx"; "" for none of those that are known. */
  readonly program: string;
  /** Paths from the app's folder on at which its module may be, the likeliest first. */
  readonly modules: readonly string[];
  readonly preloads: readonly Preload[];
}

/** A command that has Node.js, or a program that takes its place, run a module. */
const RUNS = /(?:^|\s)(node|nodemon|tsx|ts-node|ts-node-dev|babel-node|bun|pm2|pm2-runtime)(?=\s)/;

/** Names of scripts that start a server; and of those that do so for its author alone. */
const STARTS = /^(?:start|serve|server)(?::|$)/;
const FOR_AUTHORS = /dev|debug|watch|test|client|local/;

/** Lists what the scripts for production have Node.js run. */
export function runsOf(source: Scripted): readonly Run[] {
  const names = Object.keys(source.packageJson?.scripts ?? {});
  const others = names.filter((name) => STARTS.test(name) && !FOR_AUTHORS.test(name));
  // A server does not end: what a script runs before it prepares it.
  const lasts = [...new Set(["start", "start:prod", ...others])].flatMap(
    (name) => scriptCommands(source.packageJson, [name]).findLast((command) => RUNS.test(command)) ?? [],
  );
  return lasts.map(runOf).map(({ modules, ...run }) => ({
    ...run,
    modules: modules.includes(".") ? [...packageMains(source), ...modules] : modules,
  }));
}

/** Options by which such a command loads modules, or variables, first. */
const LOADS_FIRST = /\s(-r|--require|--import|--env-file(?:-if-exists)?)[=\s]\s*(\S+)/g;

function runOf(command: string): Run {
  const preloads = [...command.matchAll(LOADS_FIRST)].flatMap(([, option = "", name = ""]): Preload[] => {
    const by = option === "--import" ? "import" : "require";
    return option.startsWith("--env-file") ? [] : [{ name, by }];
  });
  const rest = command.replace(LOADS_FIRST, "");
  // One may run another one, as "nodemon --exec babel-node" does.
  const [, program = ""] = [...rest.matchAll(new RegExp(RUNS, "g"))].at(-1) ?? [];
  return { program, modules: modulesIn(rest), preloads };
}

/** A module that steers a tool. */
const STEERS = /\.config\.\w+$/;

/** Lists the paths at which the modules of a command may be. Node.js finds one without its ending, and in a folder. */
function modulesIn(command: string): readonly string[] {
  const words = command.split(/\s+/).map((word) => word.replace(/^["']|["']$/g, ""));
  const program = words.findIndex((word) => /^(?:node|pm2|pm2-runtime)$/.test(word));
  const passedOver = words[program] === "node" ? /^-/ : /^(?:-|start$)/;
  // What follows it are the module's own arguments.
  const first = words.findIndex((word, index) => {
    const isBehind = program !== -1 && index > program;
    return isBehind && !passedOver.test(word) && !STEERS.test(word);
  });
  const modules = words.filter(
    (word, index) => (isModuleName(word) || index === first) && !STEERS.test(word),
  );
  const files = modules.map((word) => word.replace(/^\.\//, "").replace(/\/$/, ""));
  return files.flatMap((file) => (isModuleName(file) ? [file] : [file, `${file}.js`, `${file}/index.js`]));
}

/** Lists the modules that package.json names. */
function packageMains({ packageJson }: Scripted): readonly string[] {
  const { main, exports } = packageJson ?? {};
  const ofExports =
    typeof exports === "string" ? exports : (exports as Record<string, unknown> | undefined)?.["."];
  return [main, ofExports].flatMap((path) => (typeof path === "string" ? [path.replace(/^\.\//, "")] : []));
}
