import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { LOOPBACK } from "@evenbench/host/loopback";
import { resolveTool } from "@evenbench/host/tools";
import { isOfEdge, type VercelFunction } from "./build-output.ts";
import { loadEdgeFunction } from "./edge-function.ts";
import type { Invoke } from "./inner-call.ts";
import { withHelpers } from "./node-helpers.ts";
import { exportsNoHandler, takePortListener, throughPort } from "./port-listener.ts";
import { MATCHED_PATH } from "./router.ts";
import { callWebHandler, requestStreamOf, sendWebResponse, type WebHandler } from "./web-handler.ts";

const require = createRequire(import.meta.url);
const ADAPTER = join(
  dirname(resolveTool("@vercel/node/package.json", import.meta.url)),
  "dist/bundling-handler.js",
);

/** A function that was loaded, as what it can be called by. */
export interface LoadedFunction {
  readonly invoke: Invoke;
  /** The function for requests of the web; null where it takes those of Node.js alone. */
  readonly web: WebHandler | null;
}

/** Loads a function's module. */
export async function loadFunction(vercelFunction: VercelFunction): Promise<LoadedFunction> {
  if (isOfEdge(vercelFunction.configuration)) {
    return asLoaded(await loadEdgeFunction(vercelFunction));
  }
  const { directory, module, configuration } = vercelFunction;
  process.chdir(directory);
  const listener = takePortListener();
  const handler = await import(pathToFileURL(join(directory, module)).href);
  const exported: unknown = handler.default?.default ?? handler.default ?? handler;
  const server = exportsNoHandler(exported) ? await listener.server() : null;
  listener.release();
  if (server !== null) {
    return { invoke: inDirectory(directory, await throughPort(server)), web: null };
  }
  if (configuration.useWebApi === true && typeof exported === "function") {
    const handle = inDirectory(directory, exported as WebHandler["handle"]);
    return asLoaded({ handle, Request });
  }
  if (typeof exported !== "function") {
    return { invoke: inDirectory(directory, throughAdapter(module)), web: null };
  }
  // An app of Express has helpers of its own, by which it listens, too.
  const isHelped = configuration.shouldAddHelpers === true && !("listen" in exported);
  const invoke = isHelped ? withHelpers(exported as Invoke) : (exported as Invoke);
  return { invoke: inDirectory(directory, invoke), web: null };
}

/** Makes a function of the web callable by requests of Node.js, too. */
function asLoaded(web: WebHandler): LoadedFunction {
  const invoke: Invoke = async (request, response) => {
    const { method = "GET", url = "/", headers } = request;
    const asked = { method, url, headers, body: requestStreamOf(request) };
    await sendWebResponse(await callWebHandler(web, asked), response, method);
  };
  return { invoke, web };
}

/** Calls a function from its own folder: another one may have been loaded since. */
function inDirectory<Values extends unknown[], Answer>(
  directory: string,
  call: (...values: Values) => Answer,
): (...values: Values) => Answer {
  return (...values) => {
    if (process.cwd() !== directory) {
      process.chdir(directory);
    }
    return call(...values);
  };
}

/** Makes a web-standard export callable through the platform's adapter. */
function throughAdapter(handler: string): Invoke {
  // Each function gets an adapter of its own: it keeps handlers by file name, which several may share.
  delete require.cache[ADAPTER];
  const adapter: Invoke = require(ADAPTER);
  const entry = `/${handler.replace(/\.[cm]?js$/, "")}`;
  return (request, response) => {
    const matchedPath = request.headers[MATCHED_PATH];
    request.headers[MATCHED_PATH] = entry;
    // It would take "//x/y" for the path /y of the host x: it reads the path as a link on a page is read.
    if (/^\/[/\\]/.test(request.url ?? "")) {
      request.url = `http://${request.headers.host ?? LOOPBACK}${request.url}`;
    }
    // It reads the header before it first awaits, and the function's Request is made later.
    const answered = adapter(request, response);
    request.headers[MATCHED_PATH] = matchedPath;
    return answered;
  };
}
