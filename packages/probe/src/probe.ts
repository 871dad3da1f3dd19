import { bearer, REQUEST_HEADER, type RequestSettings } from "@evenbench/core";
import { buildConnector, Client } from "undici";
import type { Exchange, Keep } from "./exchange.ts";
import { type Expectation, maskedDigest } from "./expectation.ts";
import { RequestUnderWay } from "./request-under-way.ts";

/** Longest that one exchange may take where nobody says otherwise, in milliseconds. */
export const EXCHANGE_TIMEOUT_MS = 30_000;

export interface ProbeOptions {
  /** Longest that connecting, and then the exchange itself, may take. Default 30,000. */
  readonly timeoutMs?: number;
  /** The target's token, where it is closed. */
  readonly token?: string | null;
  /** With what it is asked. Default: a GET with our own headers alone. */
  readonly request?: RequestSettings | undefined;
}

/** One client of one target: one connection, kept alive, one request at a time. */
export interface Probe {
  /**
   * One request, timed. Checks status, content encoding and body length against the expectation; never
   * rejects, what failed is in `error`. With a name, the platform is given it.
   */
  exchange(path: string, expected: Expectation, keep?: Keep, requestId?: string): Promise<Exchange>;
  /** Ends the connection; an exchange under way becomes a "connection" error. */
  close(): Promise<void>;
}

const REQUEST_HEADERS = { accept: "*/*", "accept-encoding": "identity", "user-agent": "evenbench" };

/** Longer than any pause between rounds, so that only the server ends a connection. */
const KEEP_ALIVE_MS = 600_000;

/**
 * Makes a probe. Its first byte is the socket's first `readable` event, seen before undici parses anything;
 * its start is where undici is about to write, so that neither queue nor connecting is in the times.
 */
export function createProbe(url: string, options: ProbeOptions = {}): Probe {
  const { timeoutMs = EXCHANGE_TIMEOUT_MS } = options;
  const { method = "GET", body = null, headers: own = {} } = options.request ?? {};
  const headers = { ...REQUEST_HEADERS, ...bearer(options.token), ...own };
  let current: RequestUnderWay | null = null;
  const client = new Client(url, {
    connect: stampedConnector(timeoutMs, () => current),
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    // One timer bounds the whole exchange instead: undici's have a resolution of about a second.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    exchange(path, expected, keep = {}, requestId) {
      if (current !== null) throw new Error(`The probe of ${url} is busy: wait for its request to end.`);
      const named = requestId === undefined ? headers : { ...headers, [REQUEST_HEADER]: requestId };
      return new Promise((resolve) => {
        current = new RequestUnderWay(expected, keep, timeoutMs, (exchange) => {
          current = null;
          resolve(exchange);
        });
        client.dispatch({ path, method, headers: named, body, ...KEPT_OPEN[method] }, current);
      });
    },
    close: () => client.destroy(),
  };
}

/** undici closes the connection behind an answer without a body, unless it is asked not to. */
const KEPT_OPEN: Readonly<Record<string, { readonly reset: false }>> = { HEAD: { reset: false } };

/** Connects, and tells the request under way how long that took and when bytes are there to be read. */
function stampedConnector(
  timeoutMs: number,
  underWay: () => RequestUnderWay | null,
): buildConnector.connector {
  const connect = buildConnector({ allowH2: false, timeout: timeoutMs });
  return (options, callback) => {
    const startedAt = performance.now();
    connect(options, (error, socket) => {
      if (error !== null) return callback(error, null);
      const request = underWay();
      if (request !== null) request.exchange.connectMs = performance.now() - startedAt;
      // The end of a connection is readable too, but brings no bytes.
      socket.prependListener("readable", () => {
        if (socket.readableLength > 0) underWay()?.onReadable();
      });
      callback(null, socket);
    });
  };
}

/** Holds a collected body against the expectation; sets `error` where it differs, and lets go of the body. */
export function checkDigest(exchange: Exchange, expected: Expectation): void {
  const { chunks } = exchange;
  exchange.chunks = null;
  if (chunks === null || exchange.error !== null || expected.unchecked === "body") return;
  const digest = maskedDigest(Buffer.concat(chunks), expected);
  if (digest === expected.sha256) return;
  exchange.error = { kind: "digest", detail: `masked body ${digest} instead of ${expected.sha256}` };
}
