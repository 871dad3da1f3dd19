import type { Server } from "node:http";

/** Options of `serve` of srvx that all servers of web-standard handlers on Node.js have here. */
export interface WebServerOptions {
  readonly hostname: string;
  readonly port: number | string;
  readonly node: { readonly exclusive: boolean; readonly keepAliveTimeout: number };
  readonly silent: boolean;
  readonly gracefulShutdown: boolean;
}

/** Gives the options of a server from the variables that a host starts it with: HOST, PORT, KEEP_ALIVE_TIMEOUT. */
export function webServerOptions({ HOST, PORT, KEEP_ALIVE_TIMEOUT }: NodeJS.ProcessEnv): WebServerOptions {
  return {
    hostname: HOST ?? "127.0.0.1",
    port: PORT ?? 3000,
    node: {
      // srvx asks for a port of its own; the workers of a cluster share their primary's.
      exclusive: false,
      // Node's default of 5 s is shorter than a slow round.
      keepAliveTimeout: Number(KEEP_ALIVE_TIMEOUT ?? 65_000),
    },
    silent: true,
    // Its own shutdown holds an idle process for up to a second.
    gracefulShutdown: false,
  };
}

/** The part of a server of srvx that ends it. */
interface WebServer {
  readonly node?: { readonly server?: unknown } | undefined;
  close(): Promise<void>;
}

/** Ends a server, and this process, at SIGTERM. Requests in flight are finished. */
export function endAtSigterm(server: WebServer): void {
  process.once("SIGTERM", () => {
    // Connections turn idle only when their requests are finished, and nobody else would close them then.
    setInterval(() => (server.node?.server as Server | undefined)?.closeIdleConnections(), 20);
    void server.close().finally(() => process.exit(0));
  });
}
