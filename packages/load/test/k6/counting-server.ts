import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { formatInstanceHeader, INSTANCE_HEADER } from "@evenbench/core";
import { BODY } from "./answers.ts";

interface Options {
  /** For each answer, in milliseconds; a payload costs nothing. */
  readonly workMs?: number;
  /** Answers in another way. @returns whether it did. */
  answer?(request: IncomingMessage, response: ServerResponse, index: number): boolean;
}

const KEEP_ALIVE_MS = 600_000;
const INSTANCE_ID = "0123456789abcdef";

export type CountingServer = Awaited<ReturnType<typeof startCountingServer>>;

/** A target of a known time: it counts what reaches it, and answers as a handler case does. */
export async function startCountingServer({ workMs = 0, answer }: Options = {}) {
  const requests: { path: string; headers: IncomingMessage["headers"] }[] = [];
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
    setTimeout(() => response.end(isPayload ? "x".repeat(BODY.length) : BODY), isPayload ? 0 : workMs);
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
