import type { Server } from "node:http";
import { fileURLToPath } from "node:url";
import { serve } from "srvx/node";
import { staticMiddleware } from "srvx/static";
import { answering } from "./environment.ts";
import { settings } from "./settings.ts";

const answer = answering((work) => {
  work.catch((error: unknown) => console.error("Work in waitUntil failed:", error));
});
const assets = new Set(settings.assets);
const files = staticMiddleware({ dir: fileURLToPath(new URL("public", import.meta.url)), compress: false });

function answerWithFiles(request: Request): Response | Promise<Response> {
  const { pathname } = new URL(request.url);
  return assets.has(pathname) ? files(request as never, () => answer(request)) : answer(request);
}

const server = serve({
  fetch: assets.size === 0 ? answer : answerWithFiles,
  hostname: process.env.HOST ?? "127.0.0.1",
  port: process.env.PORT ?? 3000,
  node: {
    // srvx asks for a port of its own; the workers of a cluster share their primary's.
    exclusive: false,
    // Node's default of 5 s is shorter than a slow round.
    keepAliveTimeout: Number(process.env.KEEP_ALIVE_TIMEOUT ?? 65_000),
  },
  silent: true,
  // Its own shutdown holds an idle process for up to a second.
  gracefulShutdown: false,
});

process.once("SIGTERM", () => {
  // Requests in flight are finished. Their connections turn idle only after that, and nobody else would close them.
  setInterval(() => (server.node?.server as Server | undefined)?.closeIdleConnections(), 20);
  void server.close().finally(() => process.exit(0));
});
