import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Expectation, maskedDigest } from "@evenbench/probe";

const BODY = "hello";

export const expected: Expectation = {
  status: 200,
  contentType: "text/plain",
  bytes: BODY.length,
  sha256: maskedDigest(Buffer.from(BODY)),
  masks: [],
  variation: null,
  isPage: false,
};

/** A real server that counts, and that answers only while its gate is open. */
export async function gatedServer(): Promise<
  AsyncDisposable & {
    readonly url: string;
    readonly seen: { requests: number };
    shut(): void;
    open(): void;
    arrived(count: number): Promise<void>;
  }
> {
  const seen = { requests: 0 };
  const held: ServerResponse[] = [];
  let isOpen = true;
  const answer = (response: ServerResponse) => {
    response.setHeader("content-length", BODY.length);
    response.end(BODY);
  };
  const server = createServer((_, response) => {
    seen.requests += 1;
    // Long enough for other connections' requests to arrive meanwhile.
    if (isOpen) setTimeout(() => answer(response), 2);
    else held.push(response);
    server.emit("counted");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    seen,
    shut: () => {
      isOpen = false;
    },
    open: () => {
      isOpen = true;
      for (const response of held.splice(0)) answer(response);
    },
    async arrived(count) {
      while (seen.requests < count) await once(server, "counted");
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
