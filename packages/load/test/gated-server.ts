import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createProbe, type Expectation, maskedDigest, type Probe } from "@evenbench/probe";
import type { Traffic } from "../src/engine/traffic.ts";
import { UnderWay } from "../src/engine/under-way.ts";

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
    readonly seen: { requests: number; most: number };
    shut(): void;
    open(): void;
    /** Resolves when so many requests have arrived. */
    arrived(count: number): Promise<void>;
    connections(count: number, timeoutMs?: number): readonly Probe[];
  }
> {
  const seen = { requests: 0, most: 0 };
  const held: ServerResponse[] = [];
  const probes: Probe[] = [];
  let [isOpen, now] = [true, 0];
  const answer = (response: ServerResponse) => {
    now -= 1;
    response.setHeader("content-length", BODY.length);
    response.end(BODY);
  };
  const server = createServer((_, response) => {
    seen.requests += 1;
    now += 1;
    seen.most = Math.max(seen.most, now);
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
    connections(count, timeoutMs = 5000) {
      const own = Array.from({ length: count }, () => createProbe(url, { timeoutMs }));
      probes.push(...own);
      return own;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(probes.map((probe) => probe.close()));
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Traffic of which every answer is kept. */
export function traffic(
  connections: readonly Probe[],
  signal = new AbortController().signal,
): Traffic & { readonly all: Parameters<Traffic["answered"]>[0][] } {
  const all: Parameters<Traffic["answered"]>[0][] = [];
  return {
    connections,
    path: "/",
    expected,
    underWay: new UnderWay(),
    signal,
    all,
    answered: (one) => all.push(one),
  };
}
