import type { IncomingMessage, ServerResponse } from "node:http";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { VercelFunction } from "./build-output.ts";

export type Invoke = (request: IncomingMessage, response: ServerResponse, ...rest: unknown[]) => unknown;

const require = createRequire(import.meta.url);
const ADAPTER = join(dirname(require.resolve("@vercel/node/package.json")), "dist/bundling-handler.js");
const MATCHED_PATH = "x-matched-path";

/** A handler file that exports a Node.js handler is called as it is; web-standard exports go through the platform's adapter. */
export async function loadFunction({ directory, configuration }: VercelFunction): Promise<Invoke> {
  process.chdir(directory);
  const handler = await import(pathToFileURL(join(directory, configuration.handler)).href);
  const exported: unknown = handler.default?.default ?? handler.default ?? handler;
  const invoke = typeof exported === "function" ? (exported as Invoke) : adapted(configuration.handler);
  return (request, response) => {
    // Another function may have been loaded since.
    if (process.cwd() !== directory) process.chdir(directory);
    return invoke(request, response);
  };
}

function adapted(handler: string): Invoke {
  const adapter = freshAdapter();
  const entry = `/${handler.replace(/\.[cm]?js$/, "")}`;
  return (request, response) => {
    const matchedPath = request.headers[MATCHED_PATH];
    request.headers[MATCHED_PATH] = entry;
    // It reads the header before it first awaits, and the function's Request is made later.
    const answered = adapter(request, response);
    request.headers[MATCHED_PATH] = matchedPath;
    return answered;
  };
}

/**
 * What `vercel build` puts beside bundled functions. It keeps handlers by file name, which several functions
 * may share.
 */
function freshAdapter(): Invoke {
  delete require.cache[ADAPTER];
  return require(ADAPTER);
}
