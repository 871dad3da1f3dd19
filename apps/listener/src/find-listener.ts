import { join } from "node:path";
import {
  entryKindOf,
  importsRouter,
  listensByElysia,
  namedModules,
  type Preload,
  readModule,
  runsOf,
  USUAL_ENTRIES,
} from "@evenbench/app-handler/entries";
import { IMPORTS_SERVER } from "@evenbench/app-handler/server-packages";
import { packageFolder, scriptCommands } from "@evenbench/bundle/deployable";
import type { OwnAppSource } from "@evenbench/core";

/** A call of the method that makes a server listen. */
const LISTENS = /\.listen\s*\(/;
/** The names that are imported from h3 or srvx, whose function `serve` makes a server listen. */
const NAMES_OF_SERVERS = /\{([^{}]*)\}\s*from\s*["'](?:h3|srvx)(?:\/node)?["']/g;
/** An export of an app. A function of one's own does not listen, and a set of names is no app. */
const EXPORTS_APP = /(?:\bexport\s+default\b|\bmodule\.exports\s*=)(?!\s*(?:\{|async\b|function\b))/;
/** An import that Workers alone have: such a module is a Worker, whatever listens in it. */
const IMPORTS_OF_WORKERS = /from\s*["']cloudflare:/;

/** The program that starts a plugin of Fastify, and why Vercel cannot have one. */
export const FASTIFY_CLI = {
  package: "fastify-cli",
  file: "node_modules/fastify-cli/start.js",
  notOnVercel:
    "Its script starts a plugin by fastify-cli. Vercel takes a module that listens, or that exports the app.",
};

/** A command that starts a plugin of Fastify, and its words. */
const STARTS_PLUGIN = /^(?:.*?\s)?fastify start\s(.+)$/;

/** The module that makes a server listen. */
export interface Listener {
  /** Its path from the app's folder on. */
  readonly file: string;
  /** Arguments with which its function `cli` is called. Default: it listens by itself. */
  readonly args?: readonly string[];
  /** True where it exports an app that nothing in it lets listen. */
  readonly isExported?: true;
  /** Modules that Node.js loads before it. Default: none. */
  readonly preloads?: readonly Preload[];
}

/**
 * Finds the module that makes a server listen, from the app's folder on: that of the scripts and of package.json first,
 * then the usual names; one that listens, or that a script for production starts, goes before one that exports an app. A
 * plugin of Fastify is started by its program.
 *
 * @returns null where there is none, and where a module with `fetch` comes before it: that is what the app is.
 */
export function findListener(source: OwnAppSource): Listener | null {
  const [, words] = STARTS_PLUGIN.exec(scriptCommands(source.packageJson, ["start"]).at(-1) ?? "") ?? [];
  if (words !== undefined && source.rangeOf(FASTIFY_CLI.package) !== null) {
    return { file: FASTIFY_CLI.file, args: words.trim().split(/\s+/) };
  }
  const runs = runsOf(source);
  const started = runs.flatMap(({ modules }) => modules);
  const candidates = [...new Set([...started, ...namedModules(source), ...USUAL_ENTRIES])].flatMap((file) => {
    const text = readModule(join(source.folder, file));
    return text === null ? [] : [{ file, text }];
  });
  const first = candidates.find(
    ({ file, text }) => hasFetch(source, text) || listens(text) || started.includes(file),
  );
  if (first !== undefined) {
    return hasFetch(source, first.text)
      ? null
      : { file: first.file, preloads: preloadsOf(source, first.file) };
  }
  const exporting = candidates.find(({ text }) => EXPORTS_APP.test(text) && IMPORTS_SERVER.test(text));
  if (exporting === undefined) {
    return null;
  }
  const { file } = exporting;
  return { file, isExported: true, preloads: preloadsOf(source, file) };
}

/** An export by name, as a module has it whose functions others call. */
const EXPORTS_NAMES = /\bexport\s+(?!default\b)|\bexports\.(?!default\b)/;

function listens(text: string): boolean {
  const names = [...text.matchAll(NAMES_OF_SERVERS)].map(([, inBraces = ""]) => inBraces);
  return LISTENS.test(text) || names.some((inBraces) => /\bserve\b/.test(inBraces));
}

/** Tells whether the text of a module gives a server once it is loaded: an app that it exports, or one that listens. */
export function givesServer(text: string): boolean {
  return EXPORTS_APP.test(text) || (listens(text) && !EXPORTS_NAMES.test(text));
}

/** A module that compiles others while they are loaded, and its package. */
type Compiler = Preload & { readonly package: string };

/** What compiles modules while they are loaded, by the program that does so in a script. */
const COMPILERS: Readonly<Record<string, Compiler>> = {
  tsx: { package: "tsx", name: "tsx", by: "import" },
  "ts-node": { package: "ts-node", name: "ts-node/register", by: "require" },
  "babel-node": { package: "@babel/register", name: "@babel/register", by: "require" },
};
const OF_TYPESCRIPT = ["tsx", "ts-node"];

/** Lists what Node.js loads before a module: as a script has it, else the compiler that the app has for TypeScript. */
function preloadsOf(source: OwnAppSource, file: string): readonly Preload[] {
  const run = runsOf(source).find(({ modules }) => modules.includes(file));
  const { program = "", preloads = [] } = run ?? {};
  const others = IS_TYPESCRIPT.test(file) ? OF_TYPESCRIPT : [];
  const programs = COMPILERS[program] === undefined ? others : [program];
  const found = programs.flatMap((each) => COMPILERS[each] ?? []);
  const compiler = found.find((each) => packageFolder(source, each.package) !== null);
  const isLoaded = preloads.length > 0 && COMPILERS[program] === undefined;
  if (isLoaded || compiler === undefined) {
    return preloads;
  }
  const { name, by } = compiler;
  return [...preloads, { name, by }];
}

/** The ending of a module in TypeScript: Node.js itself only strips its types. */
const IS_TYPESCRIPT = /\.[cm]?tsx?$/;

/** Tells whether a module gives a handler with `fetch`. A router with `fetch` may have a method listen, too. */
function hasFetch(source: OwnAppSource, text: string): boolean {
  const isHandler = entryKindOf(text, false) !== null && (importsRouter(text) || !isServer(text));
  return isHandler || listensByElysia(source, text) || IMPORTS_OF_WORKERS.test(text);
}

/** Tells whether a module makes a server that listens, whatever else it fetches. */
function isServer(text: string): boolean {
  return listens(text) || IMPORTS_SERVER.test(text);
}
