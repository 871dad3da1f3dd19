// The Node.js server as it is deployed: `server.mjs` listens on HOST and PORT when it is imported.
import { serve } from "srvx/node";
import { createHandler } from "./artifact/index.mjs";
import { facts } from "./facts.ts";

serve({
  fetch: createHandler({ platform: "node", nodeEnv: process.env.NODE_ENV, facts }),
  hostname: process.env.HOST ?? "127.0.0.1",
  port: process.env.PORT ?? 3000,
  node: {
    // srvx asks for a port of its own; the workers of a cluster share their primary's.
    exclusive: false,
    // A kept connection must not be closed between two rounds: Node's default of 5 s is shorter than a slow round.
    keepAliveTimeout: Number(process.env.KEEP_ALIVE_TIMEOUT ?? 65_000),
  },
  silent: true,
});

// srvx closes the server on SIGTERM and lets its requests end. The cluster's channel must not keep the process after that.
process.once("SIGTERM", () => process.channel?.unref());
