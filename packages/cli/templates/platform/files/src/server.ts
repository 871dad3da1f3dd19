// The server as it is deployed: it listens on HOST and PORT when it is imported. All that depends on the
// runtime is here and in platform.ts.
import type { Server } from "node:http";
import { serve } from "srvx/node";
import handler from "./handler.mjs";

const server = serve({
  fetch: (request) => handler.fetch(request),
  hostname: process.env.HOST ?? "127.0.0.1",
  port: process.env.PORT ?? 3000,
  // A kept connection must not be closed between two rounds: Node's default of 5 s is shorter than a slow round.
  node: { keepAliveTimeout: 65_000 },
  silent: true,
  gracefulShutdown: false,
});

process.once("SIGTERM", () => {
  // Requests in flight are finished. Their connections turn idle only after that.
  setInterval(() => (server.node?.server as Server | undefined)?.closeIdleConnections(), 20);
  void server.close().finally(() => process.exit(0));
});
