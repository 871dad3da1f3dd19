import type { Server } from "node:http";
import { getHeapStatistics } from "node:v8";
import { runtimeFacts } from "@evenbench/core";
import { serve } from "srvx/node";
import { createHandler } from "#behind/artifact";

const server = serve({
  fetch: createHandler({ platform: "node", nodeEnv: process.env.NODE_ENV, facts }),
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

declare const SRVX_VERSION: string;

function facts(): Record<string, string | null> {
  return {
    ...runtimeFacts(),
    adapter: `srvx ${SRVX_VERSION}`,
    heapLimitBytes: String(getHeapStatistics().heap_size_limit),
  };
}
