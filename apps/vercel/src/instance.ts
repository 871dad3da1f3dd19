import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { LOOPBACK } from "@evenbench/host/loopback";
import { type Resource, readBuildOutput, type VercelFunction } from "./build-output.ts";
import { KeptAnswers } from "./kept-answers.ts";
import { type LoadedFunction, loadFunction } from "./load-function.ts";
import { type MiddlewareOutcome, readMiddlewareResponse } from "./middleware.ts";
import { allWorkDone, waitUntil } from "./pending-work.ts";
import { allowedQuery, isBypassed } from "./prerender.ts";
import { setRequestHeaders } from "./proxy-headers.ts";
import { parseRequestTarget } from "./request-target.ts";
import { createRouter, type Routed } from "./router.ts";
import { applyRouted, sendFile, sendText } from "./send.ts";
import { START_PATH_VARIABLE } from "./start-up.ts";
import { UnservedError } from "./unserved.ts";
import { callWebHandler, sendWebResponse } from "./web-handler.ts";

// `node instance.ts <build output> <port>`: several requests at a time in one process, as Fluid compute does.

const [directory = "", port = "0"] = process.argv.slice(2);
const { routes, resources, functions, edgeFunctions, lacking } = await readBuildOutput(directory);
for (const feature of lacking) {
  console.error(`evenbench: not served here, so it is answered with 501: ${feature}`);
}
const route = createRouter(routes, find);
const keptAnswers = new KeptAnswers();
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
 * Runs a middleware. Its body is the request's own, which is read once: it is refused to a middleware that asks for it.
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
    response = await callWebHandler(web, { method, url, headers, body: unread });
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
