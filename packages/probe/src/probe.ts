import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
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
import { describeWireError } from "@evenbench/core/http";
import { buildConnector, Client, type Dispatcher } from "undici";
import { ReceivedBody } from "./body.ts";
import { checkBody, type Exchange, type ExchangeCost, type ExchangeError, type Keep } from "./exchange.ts";
import { type Expectation, mediaType, wrongHead, wrongLength } from "./rules.ts";

export const EXCHANGE_TIMEOUT_MS = 30_000;

export interface AskedWith {
  readonly token?: string | null | undefined;
  readonly request?: RequestSettings | undefined;
}

/** The same for preflight and probe. */
export function requestWith({ token, request }: AskedWith): RequestSettings {
  const { method = "GET", body = null, headers = {} } = request ?? {};
  return { method, body, headers: { ...REQUEST_HEADERS, ...bearer(token), ...headers } };
}

export interface ProbeOptions extends AskedWith {
  readonly timeoutMs?: number;
}

export interface Probe {
  /** One request, timed and checked. Never rejects: what failed is in `error`. */
  exchange(path: string, expected: Expectation, keep?: Keep, requestId?: string): Promise<Exchange>;
  close(): Promise<void>;
}

const REQUEST_HEADERS = { accept: "*/*", "accept-encoding": "identity", "user-agent": "evenbench" };

/** Longer than any pause between rounds, so that only the server ends a connection. */
const KEEP_ALIVE_MS = 600_000;

/**
 * First byte: the socket's first `readable` event, before undici parses anything. Start: where undici is
 * about to write, so that neither queue nor connecting is in the times.
 */
export function createProbe(url: string, options: ProbeOptions = {}): Probe {
  const { timeoutMs = EXCHANGE_TIMEOUT_MS } = options;
  const { method, body, headers } = requestWith(options);
  const received = new ReceivedBody();
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
        current = new RequestUnderWay({ expected, keep, received, timeoutMs }, (exchange) => {
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

/**
 * Node.js takes new memory for each read of a socket, and every 64 MB of it cost a full collection in the client, while
 * a target is timed. So reads share a few buffers: what was read is handed on, and used, before the next one.
 */
function sharedReads() {
  const buffers = Array.from({ length: SHARED_BUFFERS }, () => Buffer.allocUnsafeSlow(READ_BYTES));
  let next = 0;
  return {
    onread: {
      buffer: () => buffers[next++ % SHARED_BUFFERS] as Buffer,
      callback(this: Socket, bytes: number, buffer: Uint8Array) {
        const isUsed = this.readableLength === 0;
        this.push(isUsed ? buffer.subarray(0, bytes) : Buffer.from(buffer.subarray(0, bytes)));
        return true;
      },
    },
  };
}

const READ_BYTES = 65_536;
/** A head may lie in two reads. */
const SHARED_BUFFERS = 4;

function stampedConnector(
  timeoutMs: number,
  underWay: () => RequestUnderWay | null,
): buildConnector.connector {
  const connect = buildConnector({ allowH2: false, timeout: timeoutMs, ...sharedReads() } as never);
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

type Headers = Parameters<NonNullable<Dispatcher.DispatchHandler["onResponseStart"]>>[2];

/** A page says who rendered it at its start: further on there is no use in looking. */
const MARKER_WITHIN_BYTES = 16_384;

interface AnswerTerms {
  readonly expected: Expectation;
  readonly keep: Keep;
  /** The probe's, for the body of this answer. */
  readonly received: ReceivedBody;
  readonly timeoutMs: number;
}

export class RequestUnderWay implements Dispatcher.DispatchHandler {
  readonly exchange: Exchange;
  readonly #expected: Expectation;
  readonly #received: ReceivedBody;
  readonly #timeoutMs: number;
  readonly #ended: (exchange: Exchange) => void;
  #timer: NodeJS.Timeout | undefined;
  #hasEnded = false;
  /** Until its marker is found; null where there is nothing to look for. */
  #head: string | null = null;

  constructor({ expected, keep, received, timeoutMs }: AnswerTerms, ended: (exchange: Exchange) => void) {
    this.exchange = newExchange(keep);
    this.#expected = expected;
    this.#received = received;
    this.#received.begin(expected);
    this.#timeoutMs = timeoutMs;
    this.#ended = ended;
  }

  onReadable(): void {
    const { exchange } = this;
    if (exchange.firstByteMs === null) exchange.firstByteMs = performance.now() - exchange.startedAt;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#timer = setTimeout(() => {
      controller.abort(new ExchangeTimeout(`No complete response within ${this.#timeoutMs} ms`));
    }, this.#timeoutMs);
    this.exchange.startedAt = performance.now();
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    if (this.#hasEnded || status < 200) return;
    const { exchange } = this;
    exchange.status = status;
    exchange.bodyBytes = 0;
    exchange.isChunked = text(headers["transfer-encoding"]) === "chunked";
    this.#takeAccounts(headers);
    const contentType = mediaType(text(headers["content-type"]));
    exchange.error = wrongHead(this.#expected, status, text(headers["content-encoding"]), contentType);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { exchange } = this;
    if (this.#hasEnded || exchange.bodyBytes === null) return;
    exchange.bodyBytes += chunk.length;
    exchange.arrivals?.push({ ms: performance.now() - exchange.startedAt, bytes: chunk.length });
    if (this.#head !== null) this.#lookForMarker(this.#head, chunk);
    this.#received.take(chunk, this.#expected);
  }

  onResponseEnd(): void {
    if (this.#hasEnded) return;
    this.exchange.lastByteMs = performance.now() - this.exchange.startedAt;
    this.exchange.error ??= wrongLength(this.#expected, this.exchange.bodyBytes ?? 0);
    this.exchange.body = this.#received;
    this.#end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#hasEnded) return;
    const { exchange } = this;
    exchange.lastByteMs = null;
    if (exchange.status === null) exchange.firstByteMs = null;
    exchange.error = classifyFailure(error);
    this.#end();
  }

  #takeAccounts(headers: Headers): void {
    const account = parseInstanceHeader(text(headers[INSTANCE_HEADER]));
    if (account !== null) takeAccount(this.exchange, account);
    const accounted = text(headers[CPU_HEADER]);
    if (accounted !== null) this.exchange.account = parseCpuHeader(accounted);
    this.#head = account === null && this.#expected.isPage ? "" : null;
  }

  #lookForMarker(before: string, chunk: Buffer): void {
    const head = before + chunk.toString("latin1", 0, MARKER_WITHIN_BYTES - before.length);
    const account = findRenderMarker(head);
    if (account !== null) takeAccount(this.exchange, account);
    this.#head = account !== null || head.length === MARKER_WITHIN_BYTES ? null : head;
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#hasEnded = true;
    this.#ended(this.exchange);
  }
}

const TIMEOUT_CODES = ["UND_ERR_CONNECT_TIMEOUT", "ETIMEDOUT"];

class ExchangeTimeout extends Error {
  readonly code = "ETIMEDOUT";
}

function classifyFailure(error: Error): ExchangeError {
  const code = "code" in error && typeof error.code === "string" ? error.code : null;
  const kind = code !== null && TIMEOUT_CODES.includes(code) ? "timeout" : "connection";
  return { kind, detail: describeWireError(error) };
}

const NO_COST: ExchangeCost = { cpuMs: null, minorFaults: null };

function newExchange(keep: Keep): Exchange {
  return {
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
    body: null,
    withDigest: keep.digest ?? false,
    isChecked: false,
    arrivals: keep.arrivals ? [] : null,
    isChunked: false,
    cost: NO_COST,
  };
}

function takeAccount(exchange: Exchange, { instanceId, served, inFlight }: InstanceAccount): void {
  exchange.instanceId = instanceId;
  exchange.served = served;
  exchange.inFlight = inFlight;
}

function text(value: string | string[] | undefined): string | null {
  return typeof value === "string" ? value : null;
}

export interface AskedTarget {
  readonly name: string;
  readonly probe: Probe;
  readonly path: string;
  readonly expected: Expectation;
  readonly requestId?: string | undefined;
  readCost?(): ExchangeCost;
  gauge?(): Promise<Gauged | null>;
}

/** How fast the core was on which the target ran last: what a fixed loop took on it, in milliseconds. */
export interface Gauged {
  readonly core: number;
  readonly ms: number;
}

/**
 * Asks one target after the other. Bodies are checked when all are over; that of a target that is asked several times
 * before it is asked again.
 */
export async function runRound<T extends AskedTarget>(
  order: readonly T[],
  keep: Keep,
  signal?: AbortSignal,
  pauseMs = 0,
): Promise<{ readonly target: T; readonly exchange: Exchange }[]> {
  const done: { readonly target: T; readonly exchange: Exchange }[] = [];
  for (const target of order) {
    if (pauseMs > 0) await delay(pauseMs, undefined, { signal }).catch(() => {});
    if (signal?.aborted) break;
    const last = done.findLast((earlier) => earlier.target.probe === target.probe);
    if (last !== undefined) checkBody(last.exchange, last.target.expected);
    const before = await target.gauge?.();
    const exchange = await target.probe.exchange(target.path, target.expected, keep, target.requestId);
    if (signal?.aborted) break;
    const cost = target.readCost?.() ?? NO_COST;
    const after = await target.gauge?.();
    exchange.cost = { ...cost, ...(after && { gaugeMs: gaugedMs(before, after) }) };
    done.push({ target, exchange });
  }
  for (const { target, exchange } of done) if (exchange.body !== null) checkBody(exchange, target.expected);
  return done;
}

/** One that moved to another core meanwhile was gauged on that one only behind it. */
function gaugedMs(before: Gauged | null | undefined, after: Gauged): number {
  return before?.core === after.core ? (before.ms + after.ms) / 2 : after.ms;
}
