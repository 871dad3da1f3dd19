import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { pathToFileURL } from "node:url";
import { LOOPBACK } from "@evenbench/host/loopback";
import { resolveTool } from "@evenbench/host/tools";
import {
  isOfEdge,
  type Resource,
  readBuildOutput,
  type StaticFile,
  type VercelFunction,
} from "./build-output.ts";
import { loadEdgeFunction } from "./edge-function.ts";
import type { Invoke } from "./inner-call.ts";
import { KeptAnswers } from "./kept-answers.ts";
import { type MiddlewareOutcome, readMiddlewareResponse } from "./middleware.ts";
import { exportsNothing, takePortListener, throughPort } from "./port-listener.ts";
import { allowedQuery, isBypassed } from "./prerender.ts";
import { setCacheControl, setRequestHeaders } from "./proxy-headers.ts";
import { parseRequestTarget } from "./request-target.ts";
import { createRouter, MATCHED_PATH, type Routed } from "./router.ts";
import { START_PATH_VARIABLE } from "./start-path.ts";
import { UnservedError } from "./unserved.ts";
import { callWebHandler, requestStreamOf, sendWebResponse, type WebHandler } from "./web-handler.ts";

const require = createRequire(import.meta.url);
const ADAPTER = join(
  dirname(resolveTool("@vercel/node/package.json", import.meta.url)),
  "dist/bundling-handler.js",
);

/** A function that was loaded, as what it can be called by. */
interface LoadedFunction {
  readonly invoke: Invoke;
  /** The function for requests of the web; null where it takes those of Node.js alone. */
  readonly web: WebHandler | null;
}

/** Loads a function's module. */
async function loadFunction(vercelFunction: VercelFunction): Promise<LoadedFunction> {
  if (isOfEdge(vercelFunction.configuration)) {
    return asLoaded(await loadEdgeFunction(vercelFunction));
  }
  const { directory, module, configuration } = vercelFunction;
  process.chdir(directory);
  const listener = takePortListener();
  const handler = await import(pathToFileURL(join(directory, module)).href);
  const exported: unknown = handler.default?.default ?? handler.default ?? handler;
  const server = exportsNothing(exported) ? await listener.server() : null;
  listener.release();
  if (server !== null) {
    return { invoke: inDirectory(directory, await throughPort(server)), web: null };
  }
  if (configuration.useWebApi === true && typeof exported === "function") {
    const handle = inDirectory(directory, exported as WebHandler["handle"]);
    return asLoaded({ handle, Request });
  }
  const invoke = typeof exported === "function" ? (exported as Invoke) : throughAdapter(module);
  return { invoke: inDirectory(directory, invoke), web: null };
}

/** Makes a function of the web callable by requests of Node.js, too. */
function asLoaded(web: WebHandler): LoadedFunction {
  const invoke: Invoke = async (request, response) => {
    const { method = "GET", url = "/", headers } = request;
    const asked = { method, url, headers, body: requestStreamOf(request) };
    await sendWebResponse(await callWebHandler(web, asked, { waitUntil }), response, method);
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

/** Sends a static file. */
async function sendFile(
  file: StaticFile,
  routed: Routed<unknown>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { size } = await stat(file.file);
  if (file.contentType !== undefined) {
    response.setHeader("content-type", file.contentType);
  }
  response.setHeader("content-length", size);
  // As the platform says it of static files.
  response.setHeader("x-vercel-cache", "HIT");
  setCacheControl(routed, response);
  response.writeHead(200);
  if (request.method === "HEAD") {
    response.end();
  } else {
    await pipeline(createReadStream(file.file), response);
  }
}

/** Sends a line of text, as the platform does for its errors. */
function sendText(response: ServerResponse, status: number, code: string): void {
  const body = `${code}\n`;
  response.setHeader("content-type", "text/plain; charset=utf-8");
  response.setHeader("content-length", Buffer.byteLength(body));
  response.writeHead(status).end(body);
}

/** Makes the routes' status and headers take effect when whoever answers sends the head of the response. */
function applyRouted({ status, headers, answerChanges }: Routed<unknown>, response: ServerResponse): void {
  if (status === undefined && headers.size === 0 && answerChanges.length === 0) {
    return;
  }
  const writeHead = response.writeHead.bind(response) as (...values: unknown[]) => ServerResponse;
  const replaced = (ownStatus: number, ...rest: unknown[]): ServerResponse => {
    for (const [name, { value, important }] of headers) {
      if (important || !response.hasHeader(name)) {
        response.setHeader(name, value);
      }
    }
    for (const { op, name, value } of answerChanges) {
      if (op === "delete") {
        response.removeHeader(name);
      } else if (op === "append") {
        response.appendHeader(name, value);
      } else {
        response.setHeader(name, value);
      }
    }
    return writeHead(status ?? ownStatus, ...rest);
  };
  response.writeHead = replaced as typeof response.writeHead;
}

/** Work that functions go on with behind their answers. */
const pending = new Set<Promise<unknown>>();

/** Waits until no work of `waitUntil` is left. */
async function allWorkDone(): Promise<void> {
  while (pending.size > 0) {
    await Promise.all(pending);
  }
}

/** Notes work that goes on behind an answer. What fails is written to the log. */
function waitUntil(work: unknown): void {
  const settled: Promise<unknown> = Promise.resolve(typeof work === "function" ? work() : work)
    .catch((error: unknown) => console.error("evenbench: work in waitUntil failed:", error))
    .finally(() => pending.delete(settled));
  pending.add(settled);
}

// `node instance.ts <build output> <port>`: several requests at a time in one process, as Fluid compute does.

const [directory = "", port = "0"] = process.argv.slice(2);
const { routes, resources, functions, edgeFunctions, lacking } = await readBuildOutput(directory);
for (const feature of lacking) {
  console.error(`evenbench: not served here, so it is answered with 501: ${feature}`);
}
const route = createRouter(routes, find);
const keptAnswers = new KeptAnswers(waitUntil);
const loaded = new Map<VercelFunction, LoadedFunction>();
/** The loading of functions so far, one after the other: each sets the working directory. */
let loading: Promise<unknown> = Promise.resolve();

// What @vercel/functions and the launcher of Next.js look up.
const context = { waitUntil, headers: {}, url: "" };
Object.assign(globalThis, { [Symbol.for("@vercel/request-context")]: { get: () => context } });
const [only] = functions;
const atStart = functions.length === 1 ? only : await functionAt(process.env[START_PATH_VARIABLE]);
if (atStart !== undefined) {
  await loadOnce(atStart);
}

const server = createServer((request, response) => {
  answerRequest(request, response).catch((error: unknown) => fail(response, error));
});
// Node's default of 5 s is shorter than a slow round.
server.keepAliveTimeout = Number(process.env.KEEP_ALIVE_TIMEOUT ?? 65_000);
server.listen(Number(port), LOOPBACK);

process.once("SIGTERM", () => {
  // Requests in flight are finished, and what they left in waitUntil. Their connections turn idle only after that.
  setInterval(() => server.closeIdleConnections(), 20);
  server.close(() => allWorkDone().finally(() => process.exit(0)));
});

/** Finds the function that answers a path; undefined without one. A middleware on the way is asked. */
async function functionAt(path: string | undefined): Promise<VercelFunction | undefined> {
  if (path === undefined) {
    return undefined;
  }
  const { resource } = await route(path, {}, (middleware, headers) =>
    callMiddleware(middleware, { method: "GET", url: path, headers }),
  );
  return resource?.function ?? undefined;
}

/** Answers a request: routes it, and calls or sends what it is led to. */
async function answerRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = "GET", headers } = request;
  const target = parseRequestTarget(request.url ?? "/");
  const host = target?.host ?? headers.host;
  if (target === null || !URL.canParse(`http://${host ?? LOOPBACK}`)) {
    sendText(response, 400, "BAD_REQUEST");
    return;
  }
  if (target.host !== null) {
    headers.host = target.host;
  }
  const routed = await route(target.url, headers, (path, sent) =>
    callMiddleware(path, { method, url: target.url, headers: sent }),
  );
  applyRouted(routed, response);
  if (routed.answer !== null) {
    await sendWebResponse(routed.answer, response, method);
    return;
  }
  const { resource, status } = routed;
  if (resource === null) {
    if (status !== undefined && status < 400) {
      response.end();
    } else {
      sendText(response, status ?? 404, status === 404 ? "NOT_FOUND" : `ERROR_${status}`);
    }
    return;
  }
  if (resource.lacks !== null) {
    throw new UnservedError(resource.lacks);
  }
  const isRead = method === "GET" || method === "HEAD";
  if (resource.function !== null) {
    await callFunction(resource, routed, request, response);
  } else if (resource.file !== null) {
    // An error's page is the answer to any method.
    if (isRead || status !== undefined) {
      return sendFile(resource.file, routed, request, response);
    }
    response.setHeader("allow", "GET, HEAD");
    sendText(response, 405, "METHOD_NOT_ALLOWED");
  }
}

/** Calls a function, or sends its answer that is kept. */
async function callFunction(
  resource: Resource,
  routed: Routed<unknown>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { function: vercelFunction, prerender } = resource;
  if (vercelFunction === null) {
    return;
  }
  request.url = routed.url;
  request.headers = routed.requestHeaders;
  setRequestHeaders(request.headers, request.socket.remoteAddress, routed.matchedPath);
  const { invoke } = loaded.get(vercelFunction) ?? (await loadOnce(vercelFunction));
  const isRead = request.method === "GET" || request.method === "HEAD";
  const query = routed.url.split("?")[1] ?? "";
  if (prerender === null || !isRead || isBypassed(prerender, { query, headers: request.headers })) {
    await invoke(request, response);
    return;
  }
  const key = `${routed.matchedPath}?${allowedQuery(prerender, query)}`;
  await keptAnswers.send({ prerender, invoke, key }, routed, request, response);
}

/**
 * Runs a middleware. Its body is the request's own, which is read once: it is refused to the middleware that asks for
 * it.
 */
async function callMiddleware(
  path: string,
  {
    method,
    url,
    headers,
  }: { readonly method: string; readonly url: string; readonly headers: IncomingHttpHeaders },
): Promise<MiddlewareOutcome> {
  const vercelFunction = edgeFunctions.get(path) ?? resources.get(path)?.function ?? null;
  if (vercelFunction === null) {
    throw new UnservedError(
      resources.get(path)?.lacks ?? `the middleware ${path}, which is not in the build`,
    );
  }
  const { web } = loaded.get(vercelFunction) ?? (await loadOnce(vercelFunction));
  if (web === null) {
    throw new UnservedError(`the middleware ${path}, which takes no Request`);
  }
  let isBodyRead = false;
  const unread = method === "GET" || method === "HEAD" ? null : refusedBody(() => (isBodyRead = true));
  let response: Response | null = null;
  try {
    response = await callWebHandler(web, { method, url, headers, body: unread }, { waitUntil });
  } catch (error) {
    if (!isBodyRead) {
      throw error;
    }
  }
  if (response === null || isBodyRead) {
    throw new UnservedError(`the middleware ${path}, which reads the body of a request`);
  }
  return readMiddlewareResponse(response, headers);
}

/** Makes a body that fails when it is read. @param onRead is called then. */
function refusedBody(onRead: () => void): ReadableStream {
  const source: UnderlyingDefaultSource = {
    pull(controller) {
      onRead();
      controller.error(new Error("The local host gives a middleware no body."));
    },
  };
  return new ReadableStream(source, { highWaterMark: 0 });
}

/** Loads a function, if it is not loaded yet. */
function loadOnce(vercelFunction: VercelFunction): Promise<LoadedFunction> {
  const handler = loading.then(async () => {
    const known = loaded.get(vercelFunction) ?? (await loadFunction(vercelFunction));
    loaded.set(vercelFunction, known);
    return known;
  });
  // A function that cannot be loaded ends its instance, as on Vercel.
  loading = handler.catch((error: unknown) => {
    console.error(`evenbench: ${vercelFunction.directory} could not be loaded:`, error);
    process.exit(1);
  });
  return handler;
}

/** Answers a request that failed. */
function fail(response: ServerResponse, error: unknown): void {
  if (error instanceof UnservedError) {
    refuseFeature(response, error.feature);
    return;
  }
  console.error("evenbench: the function failed:", error);
  if (response.headersSent) {
    // A connection that breaks, so that the part that was sent is not taken for the whole.
    response.destroy();
    return;
  }
  for (const name of response.getHeaderNames()) {
    response.removeHeader(name);
  }
  sendText(response, 500, "FUNCTION_INVOCATION_FAILED");
}

/** Answers by 501: nothing is done in the place of what only the platform has. */
function refuseFeature(response: ServerResponse, feature: string): void {
  response.setHeader("x-evenbench-not-served", feature.replace(/[^\x20-\x7e]/g, "?"));
  const words = `Vercel's local host does not serve ${feature}. Ask for a path that does not use it, or remove it from the build.`;
  sendText(response, 501, words);
}

/** Finds the resource at a path, as it is written, without its last slash, or decoded. */
function find(path: string): Resource | undefined {
  const found = resources.get(path);
  if (found !== undefined || !/%|.\/$/.test(path)) {
    return found;
  }
  const bare = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
  return resources.get(bare) ?? resources.get(decodedPath(bare));
}

function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
