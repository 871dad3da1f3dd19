import type { Server } from "node:http";

/** Options of `serve` of srvx that all servers of web-standard handlers on Node.js have here. */
export interface WebServerOptions {
  /** The address that it listens on. */
  readonly hostname: string;
  readonly port: number | string;
  /** Options of Node.js's own server; the time is in milliseconds. */
  readonly node: { readonly exclusive: boolean; readonly keepAliveTimeout: number };
  /** True where it does not write that it listens. */
  readonly silent: boolean;
  /** True where srvx ends it at signals itself, and not `endAtSigterm`. */
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
  /** Node.js's own server below it; left out on other runtimes. */
  readonly node?: { readonly server?: unknown } | undefined;
  /** Resolves when requests in flight are finished. */
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
