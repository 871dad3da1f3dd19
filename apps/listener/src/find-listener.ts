import { join } from "node:path";
import { importsRouter, namedModules, readModule, USUAL_ENTRIES } from "@evenbench/app-handler/entries";
import type { OwnAppSource } from "@evenbench/core";

const LISTENS = /\.listen\s*\(/;
/** Packages whose apps listen, and may be exported in place of it. */
const SERVERS = ["express", "koa", "fastify", "connect", "polka", "restify", "@hapi/hapi"];
const EXPORTS_APP = /\bexport\s+default\b|\bmodule\.exports\s*=/;
const IMPORTS_SERVER = new RegExp(`(?:from|require\\()\\s*["'](?:${SERVERS.join("|")})["']`);

/**
 * Finds the module that makes a server listen, from the app's folder on: that of the scripts and of package.json first,
 * then the usual names; one that listens goes before one that exports an app. null where there is none. A router with
 * `fetch` may have a method listen, too, and is none.
 */
export function findListener(source: OwnAppSource): string | null {
  const candidates = [...new Set([...namedModules(source), ...USUAL_ENTRIES])].flatMap((file) => {
    const text = readModule(join(source.folder, file));
    return text === null || importsRouter(text) ? [] : [{ file, text }];
  });
  const found =
    candidates.find(({ text }) => LISTENS.test(text)) ??
    candidates.find(({ text }) => EXPORTS_APP.test(text) && IMPORTS_SERVER.test(text));
  return found?.file ?? null;
}
