// The server as it is deployed: it listens on HOST and PORT when it is imported.
import type { Server } from "node:http";
import { serve } from "srvx/node";
import { createHandler } from "./artifact/index.mjs";

/** Filled in by the build. */
declare const SRVX_VERSION: string;

const server = serve({
  fetch: createHandler({
    platform: "template-platform",
    nodeEnv: process.env.NODE_ENV,
    facts: () => ({
      runtime: `Node.js ${process.versions.node}`,
      v8: process.versions.v8,
      adapter: `srvx ${SRVX_VERSION}`,
      v8Flags: process.execArgv.join(" ") || "none",
      region: null,
    }),
  }),
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
  server.close().finally(() => process.exit(0));
});
