import { once } from "node:events";
import { request as ask, Server } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";
import { LOOPBACK } from "@evenbench/host/loopback";
import type { Invoke } from "./inner-call.ts";

/** Milliseconds that a module has after it was loaded to let a server listen: as the platform's adapter waits. */
const WITHIN_MS = 1000;

interface PortListener {
  /** Waits for the server; null where none listens in time. */
  server(): Promise<Server | null>;
  /** Lets later servers listen where they want. */
  release(): void;
}

/** Makes the first server that listens from now on do it on a free port, whatever port the module names. */
export function takePortListener(): PortListener {
  const original = Server.prototype.listen;
  const taken = Promise.withResolvers<Server | null>();
  const release = () => {
    Server.prototype.listen = original;
  };
  Server.prototype.listen = function (this: Server, ...values: unknown[]) {
    release();
    taken.resolve(this);
    const callback = values.findLast((value) => typeof value === "function") as (() => void) | undefined;
    return this.listen(0, LOOPBACK, callback);
  } as typeof original;
  return {
    release,
    async server() {
      const timer = setTimeout(() => taken.resolve(null), WITHIN_MS);
      const server = await taken.promise;
      clearTimeout(timer);
      return server;
    },
  };
}

/** Names of exports that take a request of the web. */
const WEB_HANDLERS = ["fetch", "GET", "HEAD", "OPTIONS", "POST", "PUT", "DELETE", "PATCH"];

/** Tells whether a module exports nothing that takes requests, as the platform's adapter asks: then it can only listen. */
export function exportsNoHandler(exported: unknown): boolean {
  const named = exported as Readonly<Record<string, unknown>>;
  return typeof exported !== "function" && !WEB_HANDLERS.some((name) => typeof named[name] === "function");
}

/** Passes requests on to a server by its port, as the platform's adapter does for a module that listens. */
export async function throughPort(server: Server): Promise<Invoke> {
  if (!server.listening) {
    await once(server, "listening");
  }
  const { port } = server.address() as AddressInfo;
  return async (request, response) => {
    const { method, url: path, headers } = request;
    const passed = ask({ hostname: LOOPBACK, port, path, method, headers });
    const sent = pipeline(request, passed);
    const [answer] = await once(passed, "response");
    response.writeHead(answer.statusCode, answer.headers);
    await Promise.all([sent, pipeline(answer, response)]);
  };
}
