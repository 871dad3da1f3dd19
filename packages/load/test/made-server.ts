import { syncBuiltinESMExports } from "node:module";
import promises from "node:timers/promises";
import { type Exchange, type Expectation, maskedDigest, type Probe } from "@evenbench/probe";
import { vi } from "vitest";
import type { Traffic } from "../src/engine/loops.ts";

export const BODY = "hello";

export const expected: Expectation = {
  ...{
    status: 200,
    contentType: "text/plain",
    bytes: BODY.length,
    masks: [],
    variation: null,
    isPage: false,
  },
  sha256: maskedDigest(Buffer.from(BODY)),
};

const realDelay = promises.setTimeout;

/** As that of node:timers/promises, by the held clock. */
const heldDelay: typeof realDelay = (ms, value, options) =>
  new Promise((resolve, reject) => {
    const { signal } = options ?? {};
    if (signal?.aborted) reject(signal.reason);
    setTimeout(() => resolve(value as never), ms);
    signal?.addEventListener("abort", () => reject(signal.reason));
  });

export function holdClocks(): void {
  vi.useFakeTimers();
  promises.setTimeout = heldDelay;
  syncBuiltinESMExports();
}

export function releaseClocks(): void {
  vi.useRealTimers();
  promises.setTimeout = realDelay;
  syncBuiltinESMExports();
}

/**
 * Probes of a server that is not there: it takes 2 ms of the held clock for an answer while its gate is
 * open.
 */
export function madeServer() {
  const seen = { requests: 0, most: 0 };
  const held: (() => void)[] = [];
  let [isOpen, now] = [true, 0];
  let error: Exchange["error"] = null;
  const exchange = async (): Promise<Exchange> => {
    const startedAt = performance.now();
    seen.requests += 1;
    seen.most = Math.max(seen.most, ++now);
    await new Promise<void>((answer) => {
      if (isOpen) setTimeout(answer, 2);
      else held.push(answer);
    });
    now -= 1;
    const ms = performance.now() - startedAt;
    return {
      ...{ startedAt, connectMs: null, firstByteMs: ms, lastByteMs: ms, status: 200, bodyBytes: 5, error },
      ...{ instanceId: null, served: null, inFlight: null, account: null, chunks: null, arrivals: null },
      ...{ isChunked: false, cost: { cpuMs: null, minorFaults: null } },
    };
  };
  const open = () => {
    isOpen = true;
    for (const answer of held.splice(0)) answer();
  };
  return {
    seen,
    shut: () => {
      isOpen = false;
    },
    open,
    /** Each exchange is answered from now on with this error. */
    fail(failure: Exchange["error"]): void {
      error = failure;
      open();
    },
    connections: (count: number): Probe[] =>
      Array.from({ length: count }, () => ({ exchange, close: async () => open() })),
  };
}

export function traffic(connections: readonly Probe[], signal = new AbortController().signal): Traffic {
  return { connections, path: "/", expected, signal, underWay: 0, over: [] };
}
