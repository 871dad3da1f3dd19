import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { formatInstanceHeader, INSTANCE_HEADER } from "@evenbench/core";
import { BODY } from "./answers.ts";

/** Options of a counting server. */
interface CountingOptions {
  /** Milliseconds of work for each answer. Default: 0. A payload costs nothing. */
  readonly workMs?: number;
  /** Answers a request in another way. @param index of the request, from 0. @returns whether it did. */
  answer?(request: IncomingMessage, response: ServerResponse, index: number): boolean;
}

/** Milliseconds for which the server keeps idle connections: longer than any test. */
const KEEP_ALIVE_MS = 600_000;
const INSTANCE_ID = "0123456789abcdef";

/** A request that reached a counting server. */
interface CountedRequest {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
}

/** A target of a known time, which counts what reaches it. */
export interface CountingServer extends AsyncDisposable {
  /** The origin, such as "http://127.0.0.1:4001". */
  readonly origin: string;
  /** The requests that reached it, in their order. */
  readonly requests: readonly CountedRequest[];
  /** Counts the connections that were opened so far. */
  connections(): number;
}

/** Starts a target of a known time: it counts what reaches it, and answers as a handler case does. */
export async function startCountingServer({
  workMs = 0,
  answer,
}: CountingOptions = {}): Promise<CountingServer> {
  const requests: CountedRequest[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    const { url: path = "/", headers } = request;
    const served = requests.push({ path, headers }) - 1;
    if (answer?.(request, response, served)) {
      return;
    }
    const account = formatInstanceHeader({ instanceId: INSTANCE_ID, served, inFlight: 0 });
    response.setHeader(INSTANCE_HEADER, account).setHeader("content-type", "text/plain");
    const isPayload = path.startsWith("/payload");
    const body = isPayload ? "x".repeat(BODY.length) : BODY;
    setTimeout(() => response.end(body), isPayload ? 0 : workMs);
  });
  // Only the client ends a connection: on a busy machine a pause can be longer than Node's usual five seconds.
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.on("connection", () => {
    connections += 1;
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => connections,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
