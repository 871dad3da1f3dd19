import {
  bearer,
  CPU_HEADER,
  findRenderMarker,
  INSTANCE_HEADER,
  type InstanceAccount,
  parseCpuHeader,
  parseInstanceHeader,
  REQUEST_HEADER,
  type RequestSettings,
} from "@evenbench/core";
import { buildConnector, Client, type Dispatcher } from "undici";
import { classifyFailure, type Exchange, ExchangeTimeout, type Keep } from "./exchange.ts";
import { type Expectation, maskedDigest } from "./expectation.ts";
import { lengthTolerance } from "./length-tolerance.ts";

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
   * One request, timed. Checks status, content encoding and body length against the expectation; never rejects, what
   * failed is in `error`. With a name, the platform is told it.
   *
   * @throws {Error} when an exchange is under way already: the next one would wait in line inside the client.
   */
  exchange(path: string, expected: Expectation, keep?: Keep, requestId?: string): Promise<Exchange>;
  /** Ends the connection; an exchange under way becomes a "connection" error. */
  close(): Promise<void>;
}

const REQUEST_HEADERS = { accept: "*/*", "accept-encoding": "identity", "user-agent": "evenbench" };

/** A page says who rendered it at its start: further on there is no use in looking. */
const MARKER_WITHIN_BYTES = 16_384;

/** Longer than any pause between rounds, so that only the server ends a connection. */
const KEEP_ALIVE_MS = 600_000;

/**
 * Makes a probe. No connection is opened before the first exchange.
 *
 * First byte is the socket's first `readable` event after the request's write, seen before undici parses anything
 * (our listener stands in front of its own). The start is stamped where undici is about to write, so neither its queue
 * nor connecting is in the times.
 *
 * @param url origin of the target, such as "http://127.0.0.1:41234".
 */
export function createProbe(url: string, options: ProbeOptions = {}): Probe {
  const { timeoutMs = 30_000 } = options;
  const { method = "GET", body = null, headers: own = {} } = options.request ?? {};
  const headers = { ...REQUEST_HEADERS, ...bearer(options.token), ...own };
  let current: Exchange | null = null;
  let expected: Expectation | null = null;
  let settle: ((exchange: Exchange) => void) | null = null;
  let timer: NodeJS.Timeout | undefined;
  let connectMs: number | null = null;
  /** The start of a page's body until its marker is found; null where there is nothing to look for. */
  let head: string | null = null;

  const connect = buildConnector({ allowH2: false, timeout: timeoutMs });
  const stampedConnect: buildConnector.connector = (connectOptions, callback) => {
    const connectStart = performance.now();
    connect(connectOptions, (error, socket) => {
      if (error !== null) return callback(error, null);
      connectMs = performance.now() - connectStart;
      socket.prependListener("readable", () => {
        // The end of a connection is readable too, but brings no bytes.
        if (current !== null && current.firstByteMs === null && socket.readableLength > 0) {
          current.firstByteMs = performance.now() - current.startedAt;
        }
      });
      callback(null, socket);
    });
  };

  const client = new Client(url, {
    connect: stampedConnect,
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    // One timer bounds the whole exchange instead: undici's have a resolution of about a second.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  function finish(exchange: Exchange): void {
    clearTimeout(timer);
    timer = undefined;
    const resolve = settle;
    current = null;
    expected = null;
    settle = null;
    resolve?.(exchange);
  }

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(controller) {
      if (current === null) return;
      timer = setTimeout(() => {
        controller.abort(new ExchangeTimeout(`No complete response within ${timeoutMs} ms`));
      }, timeoutMs);
      current.connectMs = connectMs;
      connectMs = null;
      current.startedAt = performance.now();
    },
    onResponseStart(_controller, status, headers) {
      if (current === null || expected === null || status < 200) return;
      current.status = status;
      current.bodyBytes = 0;
      const account = parseInstanceHeader(text(headers[INSTANCE_HEADER]));
      if (account !== null) takeAccount(current, account);
      const accounted = text(headers[CPU_HEADER]);
      if (accounted !== null) current.account = parseCpuHeader(accounted);
      head = account === null && expected.isPage ? "" : null;
      current.isChunked = text(headers["transfer-encoding"]) === "chunked";
      const encoding = text(headers["content-encoding"]);
      if (status !== expected.status) {
        current.error = { kind: "status", detail: `HTTP ${status} instead of ${expected.status}` };
      } else if (encoding !== null && encoding !== "identity") {
        current.error = {
          kind: "encoding",
          detail: `content-encoding "${encoding}", though none was accepted`,
        };
      }
    },
    onResponseData(_controller, chunk) {
      if (current === null || expected === null || current.bodyBytes === null) return;
      current.bodyBytes += chunk.length;
      current.arrivals?.push({ ms: performance.now() - current.startedAt, bytes: chunk.length });
      if (head !== null) {
        head += chunk.toString("latin1", 0, MARKER_WITHIN_BYTES - head.length);
        const account = findRenderMarker(head);
        if (account !== null) takeAccount(current, account);
        if (account !== null || head.length === MARKER_WITHIN_BYTES) head = null;
      }
      // More than expected fails by its length: no need to keep it.
      if (current.bodyBytes <= expected.bytes + lengthTolerance(expected)) current.chunks?.push(chunk);
    },
    onResponseEnd() {
      if (current === null || expected === null) return;
      current.lastByteMs = performance.now() - current.startedAt;
      const within = lengthTolerance(expected);
      if (current.error === null && Math.abs((current.bodyBytes ?? 0) - expected.bytes) > within) {
        const asked = within === 0 ? expected.bytes : `${expected.bytes} ± ${within}`;
        const detail = `a body of ${current.bodyBytes} bytes instead of ${asked}`;
        current.error = { kind: "length", detail };
      }
      finish(current);
    },
    onResponseError(_controller, error) {
      if (current === null) return;
      current.lastByteMs = null;
      if (current.status === null) current.firstByteMs = null;
      current.error = classifyFailure(error);
      finish(current);
    },
  };

  return {
    exchange(path, expectation, keep = {}, requestId) {
      if (current !== null) throw new Error(`The probe of ${url} is busy: wait for its request to end.`);
      expected = expectation;
      connectMs = null;
      const exchange: Exchange = {
        startedAt: performance.now(),
        connectMs: null,
        firstByteMs: null,
        lastByteMs: null,
        status: null,
        bodyBytes: null,
        instanceId: null,
        served: null,
        inFlight: null,
        account: null,
        error: null,
        chunks: keep.body ? [] : null,
        arrivals: keep.arrivals ? [] : null,
        isChunked: false,
        cost: null,
      };
      current = exchange;
      const named = requestId === undefined ? headers : { ...headers, [REQUEST_HEADER]: requestId };
      return new Promise((resolve) => {
        settle = resolve;
        client.dispatch({ path, method, headers: named, body }, handler);
      });
    },
    close: () => client.destroy(),
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

function takeAccount(exchange: Exchange, { instanceId, served, inFlight }: InstanceAccount): void {
  exchange.instanceId = instanceId;
  exchange.served = served;
  exchange.inFlight = inFlight;
}

function text(value: string | string[] | undefined): string | null {
  return typeof value === "string" ? value : null;
}
