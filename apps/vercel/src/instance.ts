import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { pathToFileURL } from "node:url";
import { LOOPBACK } from "@evenbench/host/loopback";
import { readBuildOutput, type StaticFile, type VercelFunction } from "./build-output.ts";
import { parseRequestTarget } from "./request-target.ts";
import { createRouter, type Routed, UnservedError } from "./router.ts";

export type Invoke = (request: IncomingMessage, response: ServerResponse, ...rest: unknown[]) => unknown;

const require = createRequire(import.meta.url);
const ADAPTER = join(dirname(require.resolve("@vercel/node/package.json")), "dist/bundling-handler.js");
const MATCHED_PATH = "x-matched-path";

/** A Node.js handler is called as it is; web-standard exports go through the platform's adapter. */
async function loadFunction({ directory, configuration }: VercelFunction): Promise<Invoke> {
  process.chdir(directory);
  const handler = await import(pathToFileURL(join(directory, configuration.handler)).href);
  const exported: unknown = handler.default?.default ?? handler.default ?? handler;
  const invoke = typeof exported === "function" ? (exported as Invoke) : adapted(configuration.handler);
  return (request, response) => {
    // Another function may have been loaded since.
    if (process.cwd() !== directory) {
      process.chdir(directory);
    }
    return invoke(request, response);
  };
}

function adapted(handler: string): Invoke {
  // Of its own for each function: it keeps handlers by file name, which several may share.
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

async function sendFile(
  file: StaticFile,
  routed: Routed<unknown>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { size } = await stat(file.file);
  for (const [name, value] of Object.entries(file.headers)) {
    response.setHeader(name, value);
  }
  if (file.contentType !== undefined) {
    response.setHeader("content-type", file.contentType);
  }
  response.setHeader("content-length", size);
  // What Vercel's CDN says of files that no route says anything about.
  if (!response.hasHeader("cache-control") && !routed.headers.has("cache-control")) {
    response.setHeader("cache-control", "public, max-age=0, must-revalidate");
  }
  response.writeHead(file.status ?? 200);
  if (request.method === "HEAD") {
    response.end();
  } else {
    await pipeline(createReadStream(file.file), response);
  }
}

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

const pending = new Set<Promise<unknown>>();

async function waitedFor(): Promise<void> {
  while (pending.size > 0) {
    await Promise.all(pending);
  }
}

function waitUntil(work: unknown): void {
  const settled: Promise<unknown> = Promise.resolve(typeof work === "function" ? work() : work)
    .catch((error: unknown) => console.error("evenbench: work in waitUntil failed:", error))
    .finally(() => pending.delete(settled));
  pending.add(settled);
}

// `node instance.ts <build output> <port>`: several requests at a time in one process, as Fluid compute does.

const [directory = "", port = "0"] = process.argv.slice(2);
const { routes, resources, functions, lacking } = await readBuildOutput(directory);
for (const feature of lacking) {
  console.error(`evenbench: not served here, so it is answered with 501: ${feature}`);
}
const route = createRouter(routes, find);
const loaded = new Map<VercelFunction, Invoke>();
/** One after the other: each sets the working directory. */
let loading: Promise<unknown> = Promise.resolve();

// What @vercel/functions and the launcher of Next.js look up.
const context = { waitUntil, headers: {}, url: "" };
Object.assign(globalThis, { [Symbol.for("@vercel/request-context")]: { get: () => context } });
const [only] = functions;
if (only !== undefined && functions.length === 1) {
  await loadOnce(only);
}

const server = createServer((request, response) => {
  serve(request, response).catch((error: unknown) => fail(response, error));
});
// Node's default of 5 s is shorter than a slow round.
server.keepAliveTimeout = Number(process.env.KEEP_ALIVE_TIMEOUT ?? 65_000);
server.listen(Number(port), LOOPBACK);

process.once("SIGTERM", () => {
  // Requests in flight are finished, and what they left in waitUntil. Their connections turn idle only after that.
  setInterval(() => server.closeIdleConnections(), 20);
  server.close(() => waitedFor().finally(() => process.exit(0)));
});

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
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
  const routed = route(target.url, headers);
  applyRouted(routed, response);
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
  if (resource.function !== null && !(resource.file !== null && isRead)) {
    request.url = routed.url;
    request.headers = routed.requestHeaders;
    setRequestHeaders(request, routed.matchedPath);
    const invoke = loaded.get(resource.function) ?? (await loadOnce(resource.function));
    await invoke(request, response);
  } else if (resource.file !== null) {
    // An error's page is the answer to any method.
    if (isRead || status !== undefined) {
      return sendFile(resource.file, routed, request, response);
    }
    response.setHeader("allow", "GET, HEAD");
    sendText(response, 405, "METHOD_NOT_ALLOWED");
  }
}

/** What Vercel's proxy adds ("Request headers" in its documentation), as far as it means something here. */
function setRequestHeaders({ headers, socket }: IncomingMessage, matchedPath: string): void {
  headers["x-forwarded-for"] = socket.remoteAddress;
  headers["x-forwarded-host"] = headers.host;
  headers["x-forwarded-proto"] = "http";
  headers["x-matched-path"] = matchedPath;
}

function loadOnce(vercelFunction: VercelFunction): Promise<Invoke> {
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
    refuse(response, error.feature);
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

/** What the platform would do is not known here, so nothing else is done in its place. */
function refuse(response: ServerResponse, feature: string): void {
  response.setHeader("x-evenbench-not-served", feature.replace(/[^\x20-\x7e]/g, "?"));
  const words = `Vercel's local host does not serve ${feature}. Ask for a path that does not use it, or remove it from the build.`;
  sendText(response, 501, words);
}

function find(path: string) {
  const found = resources.get(path);
  if (found !== undefined || !/%|.\/$/.test(path)) {
    return found;
  }
  const bare = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
  return resources.get(bare) ?? resources.get(decoded(bare));
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
