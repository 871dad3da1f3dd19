// Listens on HOST and PORT when it is imported.
import type { Server } from "node:http";
import { serve } from "srvx/node";
import { respond } from "../respond.ts";

const server = serve({
  fetch: respond,
  hostname: process.env.HOST ?? "127.0.0.1",
  port: process.env.PORT ?? 3000,
  // The workers of a cluster share a port; a connection must not be closed between two rounds.
  node: { exclusive: false, keepAliveTimeout: Number(process.env.KEEP_ALIVE_TIMEOUT ?? 65_000) },
  silent: true,
  gracefulShutdown: false,
});

process.once("SIGTERM", () => {
  // Requests in flight are finished. Their connections turn idle only after that.
  setInterval(() => (server.node?.server as Server | undefined)?.closeIdleConnections(), 20);
  void server.close().finally(() => process.exit(0));
});
