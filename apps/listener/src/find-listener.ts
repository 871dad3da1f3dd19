import { join } from "node:path";
import {
  entryKindOf,
  importsRouter,
  namedModules,
  readModule,
  USUAL_ENTRIES,
} from "@evenbench/app-handler/entries";
import type { OwnAppSource } from "@evenbench/core";
import { FASTIFY_CLI, SERVER_PACKAGES } from "./server-packages.ts";

const LISTENS = /\.listen\s*\(/;
/** An export of an app. A function of one's own does not listen. */
const EXPORTS_APP = /(?:\bexport\s+default\b|\bmodule\.exports\s*=)(?!\s*(?:async|function)\b)/;
/** An import that Workers alone have: such a module is a Worker, whatever listens in it. */
const IMPORTS_OF_WORKERS = /from\s*["']cloudflare:/;
const IMPORTS_SERVER = new RegExp(
  `(?:from|require\\()\\s*["'](?:${Object.keys(SERVER_PACKAGES).join("|")})["']`,
);

/** The module that makes a server listen. */
export interface Listener {
  /** Its path from the app's folder on. */
  readonly file: string;
  /** Arguments with which its function `cli` is called. Default: it listens by itself. */
  readonly args?: readonly string[];
  /** True where it exports an app that nothing in it lets listen. */
  readonly isExported?: true;
}

/**
 * Finds the module that makes a server listen, from the app's folder on: that of the scripts and of package.json first,
 * then the usual names; one that listens goes before one that exports an app. A plugin of Fastify is started by its program.
 *
 * @returns null where there is none, and where a module with `fetch` comes before it: that is what the app is.
 */
export function findListener(source: OwnAppSource): Listener | null {
  const [, words] = /^fastify start\s+(.+)$/.exec(source.packageJson?.scripts?.start ?? "") ?? [];
  if (words !== undefined && source.rangeOf(FASTIFY_CLI.package) !== null) {
    return { file: FASTIFY_CLI.file, args: words.split(/\s+/) };
  }
  const candidates = [...new Set([...namedModules(source), ...USUAL_ENTRIES])].flatMap((file) => {
    const text = readModule(join(source.folder, file));
    return text === null ? [] : [{ file, text }];
  });
  const first = candidates.find(({ text }) => hasFetch(text) || LISTENS.test(text));
  if (first !== undefined) {
    return hasFetch(first.text) ? null : { file: first.file };
  }
  const exporting = candidates.find(({ text }) => EXPORTS_APP.test(text) && IMPORTS_SERVER.test(text));
  return exporting === undefined ? null : { file: exporting.file, isExported: true };
}

/** Tells whether a module gives a handler with `fetch`. A router with `fetch` may have a method listen, too. */
function hasFetch(text: string): boolean {
  const isHandler = importsRouter(text) || IMPORTS_OF_WORKERS.test(text);
  return isHandler || (entryKindOf(text, false) !== null && !isServer(text));
}

/** Tells whether a module makes a server that listens, whatever else it fetches. */
function isServer(text: string): boolean {
  return LISTENS.test(text) || IMPORTS_SERVER.test(text);
}
