import type { IncomingMessage, ServerResponse } from "node:http";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { VercelFunction } from "./build-output.ts";

/** A Node.js request handler, as a function's launcher or the platform's adapter is one. */
export type Invoke = (request: IncomingMessage, response: ServerResponse) => unknown;

const require = createRequire(import.meta.url);
/** Turns web-standard exports into a Node.js handler; it is what `vercel build` puts beside bundled functions. */
const adapter: Invoke = require(
  join(dirname(require.resolve("@vercel/node/package.json")), "dist/bundling-handler.js"),
);

/**
 * Makes a function ready to be called. A handler file that exports a Node.js handler is called as it is; web-standard
 * exports go through the platform's own adapter.
 */
export async function loadFunction({ directory, configuration }: VercelFunction): Promise<Invoke> {
  Object.assign(process.env, configuration.environment);
  // Launchers of frameworks read files relative to their function's folder, and so does the adapter.
  process.chdir(directory);
  const handler = await import(pathToFileURL(join(directory, configuration.handler)).href);
  const exported: unknown = handler.default?.default ?? handler.default ?? handler;
  if (typeof exported === "function") return exported as Invoke;
  const matchedPath = `/${configuration.handler.replace(/\.[cm]?js$/, "")}`;
  return (request, response) => {
    // It looks for the handler below the working directory, which another function may have changed.
    process.chdir(directory);
    request.headers["x-matched-path"] = matchedPath;
    return adapter(request, response);
  };
}
