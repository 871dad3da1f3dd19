import { Server } from "node:http";

/** Milliseconds that a module has after it was loaded to let a server listen: as the platform's adapter waits. */
const WITHIN_MS = 1000;

/** The server that a module lets listen while it is loaded, and that does not do so yet. */
export interface PortListener {
  /** Waits for the server; null where none listens in time. */
  server(): Promise<Server | null>;
  /** Lets later servers listen as they want. */
  release(): void;
}

/** Holds the first server that listens from now on: a function is called by its host, and has no port of its own. */
export function holdPortListener(): PortListener {
  const original = Server.prototype.listen;
  const held = Promise.withResolvers<Server | null>();
  const release = () => {
    Server.prototype.listen = original;
  };
  Server.prototype.listen = function (this: Server) {
    release();
    held.resolve(this);
    return this;
  } as typeof original;
  return {
    release,
    async server() {
      const timer = setTimeout(() => held.resolve(null), WITHIN_MS);
      const server = await held.promise;
      clearTimeout(timer);
      return server;
    },
  };
}

/** Tells whether a module exports nothing that can be called: then it can only listen. */
export function exportsNothing(exported: unknown): boolean {
  return typeof exported === "object" && exported !== null && Object.keys(exported).length === 0;
}
