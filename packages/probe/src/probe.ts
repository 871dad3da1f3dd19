import {
  CPU_HEADER,
  findRenderMarker,
  INSTANCE_HEADER,
  type InstanceAccount,
  MARKER_WITHIN_BYTES,
  parseCpuHeader,
  parseInstanceHeader,
  REQUEST_HEADER,
} from "@evenbench/core";
import {
  describeOwnLimit,
  describeStale,
  describeWireError,
  mayBeSentAgain,
  untilEndsAreRead,
} from "@evenbench/core/http";
import { Client, type Dispatcher } from "undici";
import { ReceivedBody } from "./body.ts";
import { cacheSaidIn } from "./cache-said.ts";
import { stampedConnector, type WatchedRequest } from "./connector.ts";
import { type CaptureOptions, type Exchange, type ExchangeError, newExchange } from "./exchange.ts";
import { clientPauses } from "./pauses.ts";
import { type AskedWith, requestOf } from "./request.ts";
import { codingOf, type Expectation, mediaType, wrongHead, wrongLength } from "./rules.ts";

/** Milliseconds within which the whole response to a request has to come. */
export const EXCHANGE_TIMEOUT_MS = 30_000;

/** Options of a probe. */
export interface ProbeOptions extends AskedWith {
  /** Milliseconds within which a whole response has to come. @default EXCHANGE_TIMEOUT_MS */
  readonly timeoutMs?: number;
}

/** A client of one target, over one connection. */
export interface Probe {
  /**
   * Sends one request, and times and checks its response. Never rejects: what failed is in `error`.
   *
   * @param requestId the name by which the target's platform accounts for the request.
   * @throws {Error} where its request before is still under way.
   */
  exchange(path: string, expected: Expectation, keep?: CaptureOptions, requestId?: string): Promise<Exchange>;
  /** Closes the connection. */
  close(): Promise<void>;
}

/** Milliseconds that a connection is kept: longer than any pause between rounds, so that only the server ends it. */
const KEEP_ALIVE_MS = 600_000;

/**
 * Time in milliseconds from a request within which a close of its kept connection met it on its way: any round trip
 * is shorter. Pauses of this process are not counted.
 */
const STALE_WITHIN_MS = 1000;

/**
 * Opens a client of one connection to `url`.
 *
 * First byte: the socket's `readable` event that brought the final answer's first byte. Start: where undici is
 * about to write, so that neither queue nor connecting is in the times.
 *
 * The connection is kept until the server ends it. Where that happens just as a request with an idempotent method is
 * sent, it is sent once more on a new connection; the exchange is marked as `resent`, and its times count from the first
 * sending. With another method, such as POST, it is an error: the server may have done what was asked.
 */
export function createProbe(url: string, options: ProbeOptions = {}): Probe {
  const { timeoutMs = EXCHANGE_TIMEOUT_MS } = options;
  const received = new ReceivedBody();
  let isBusy = false;
  let current: RequestUnderWay | null = null;
  const client = new Client(url, {
    connect: stampedConnector(timeoutMs, () => current),
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    // undici ends a connection so long before the server would, by its "Keep-Alive: timeout". This way it never does.
    keepAliveTimeoutThreshold: -KEEP_ALIVE_MS,
    // One timer bounds the whole exchange instead: undici's have a resolution of about a second.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  clientPauses.watch();
  return {
    exchange(path, expected, keep = {}, requestId) {
      if (isBusy) {
        throw new Error(`The probe of ${url} is busy: wait for its request to end.`);
      }
      isBusy = true;
      const asked = requestOf(options, { path, ...expected });
      const { method, body, headers } = asked;
      const named = requestId === undefined ? headers : { ...headers, [REQUEST_HEADER]: requestId };
      const { promise, resolve } = Promise.withResolvers<Exchange>();
      const send = (firstSentAt: number | null): void => {
        const hasBody = body !== null;
        const terms = { method, expected, keep, received, timeoutMs, hasBody, firstSentAt };
        const request = new RequestUnderWay(terms, (exchange) => {
          const restMs = timeoutMs - (performance.now() - exchange.startedAt);
          if (request.wasStale && mayBeSentAgain(method) && firstSentAt === null && restMs > 0) {
            // Not within undici's call: it is still ending the old connection.
            queueMicrotask(() => send(exchange.startedAt));
            return;
          }
          current = null;
          isBusy = false;
          if (firstSentAt !== null) {
            exchange.resent = true;
          }
          resolve(exchange);
        });
        current = request;
        // Without `reset`, undici closes the connection behind HEAD, and behind a GET or DELETE with a body.
        client.dispatch({ path: asked.path, method, headers: named, body, reset: false }, request);
      };
      if (mayBeSentAgain(method)) {
        send(null);
      } else {
        void untilEndsAreRead().then(() => send(null));
      }
      return promise;
    },
    close: () => client.destroy(),
  };
}

/** Response headers as undici gives them: several values where a header came several times. */
type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The terms of an answer: what it is held against, and where its body goes. */
interface AnswerTerms {
  /** The request's method, such as "GET". */
  readonly method: string;
  readonly expected: Expectation;
  readonly keep: CaptureOptions;
  /** The probe's own buffer for the body of this answer. */
  readonly received: ReceivedBody;
  /** Milliseconds within which it has to come whole, from when it was first sent. */
  readonly timeoutMs: number;
  /** The moment at which the request was sent before, by `performance.now()`; null: this is the first time. */
  readonly firstSentAt: number | null;
  /** True where the request has a body. */
  readonly hasBody: boolean;
}

/** A request from its write until its response is over, as undici reports it. */
export class RequestUnderWay implements Dispatcher.DispatchHandler, WatchedRequest {
  readonly exchange: Exchange;
  readonly hasBody: boolean;
  readonly method: string;
  readonly #expected: Expectation;
  readonly #received: ReceivedBody;
  readonly #timeoutMs: number;
  readonly #firstSentAt: number | null;
  readonly #ended: (exchange: Exchange) => void;
  #timer: NodeJS.Timeout | undefined;
  #isSent = false;
  #hasEnded = false;
  #wasStale = false;
  /** Milliseconds from the request's write until the socket last had bytes; null before. */
  #readableMs: number | null = null;
  /** The start of a page's body until its marker is found; null where there is nothing to look for. */
  #head: string | null = null;

  constructor(
    { method, expected, keep, received, timeoutMs, hasBody, firstSentAt }: AnswerTerms,
    ended: (exchange: Exchange) => void,
  ) {
    this.exchange = newExchange(keep);
    this.hasBody = hasBody;
    this.method = method;
    this.#expected = expected;
    this.#received = received;
    this.#received.begin(expected);
    this.#timeoutMs = timeoutMs;
    this.#firstSentAt = firstSentAt;
    this.#ended = ended;
  }

  /** Tells whether the server ended a kept connection as this was sent on it, without a byte of an answer. */
  get wasStale(): boolean {
    return this.#wasStale;
  }

  /** Tells whether the final answer's head has not come yet. */
  get isHeadDue(): boolean {
    return this.exchange.status === null;
  }

  onConnected(ms: number): void {
    this.exchange.connectMs = ms;
  }

  onReadable(): void {
    this.#readableMs = performance.now() - this.exchange.startedAt;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#isSent = true;
    clientPauses.noteRunning();
    const sentAt = performance.now();
    // Whoever asked waits since the first time.
    this.exchange.startedAt = this.#firstSentAt ?? sentAt;
    const restMs = this.#timeoutMs - (sentAt - this.exchange.startedAt);
    this.#timer = setTimeout(() => {
      const limit = Math.round(this.#timeoutMs);
      controller.abort(new ExchangeTimeout(`No complete response within ${limit} ms`));
    }, restMs);
  }

  /**
   * undici calls this at the first byte of each answer's head, and `onResponseStart` when that head is whole. Of
   * several answers (1xx) the final one comes last, and its time replaces those before.
   */
  onResponseStarted(): void {
    this.exchange.firstByteMs = this.#readableMs;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: ResponseHeaders,
  ): void {
    if (this.#hasEnded || status < 200) {
      return;
    }
    const { exchange } = this;
    exchange.status = status;
    exchange.bodyBytes = 0;
    this.#takeAccounts(headers);
    const said = cacheSaidIn(headers);
    if (said !== null) {
      exchange.cacheSaid = said;
    }
    const contentType = mediaType(singleValue(headers["content-type"]));
    const transferEncoding = singleValue(headers["transfer-encoding"]);
    exchange.isChunked = transferEncoding === "chunked";
    const coding = codingOf(singleValue(headers["content-encoding"]), transferEncoding);
    exchange.error = wrongHead(this.#expected, status, coding, contentType);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { exchange } = this;
    if (this.#hasEnded || exchange.bodyBytes === null) {
      return;
    }
    exchange.bodyBytes += chunk.length;
    exchange.arrivals?.push({ ms: performance.now() - exchange.startedAt, bytes: chunk.length });
    if (this.#head !== null) {
      this.#lookForMarker(this.#head, chunk);
    }
    this.#received.take(chunk, this.#expected);
  }

  onResponseEnd(): void {
    if (this.#hasEnded) {
      return;
    }
    this.exchange.lastByteMs = performance.now() - this.exchange.startedAt;
    this.exchange.error ??= wrongLength(this.#expected, this.exchange.bodyBytes ?? 0);
    this.exchange.body = this.#received;
    this.#end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#hasEnded) {
      return;
    }
    const { exchange } = this;
    exchange.lastByteMs = null;
    if (exchange.status === null) {
      exchange.firstByteMs = null;
    }
    exchange.error = classifyFailure(error);
    const isFirstOfConnection = exchange.connectMs !== null;
    this.#wasStale =
      this.#isSent &&
      !isFirstOfConnection &&
      this.#readableMs === null &&
      isClosing(error) &&
      performance.now() - exchange.startedAt - clientPauses.pausedSince(exchange.startedAt) < STALE_WITHIN_MS;
    if (this.#wasStale && !mayBeSentAgain(this.method)) {
      exchange.error = { kind: "connection", detail: describeStale(this.method) };
    }
    this.#end();
  }

  #takeAccounts(headers: ResponseHeaders): void {
    const account = parseInstanceHeader(singleValue(headers[INSTANCE_HEADER]));
    if (account !== null) {
      takeAccount(this.exchange, account);
    }
    const accounted = singleValue(headers[CPU_HEADER]);
    if (accounted !== null) {
      this.exchange.account = parseCpuHeader(accounted);
    }
    this.#head = account === null && this.#expected.isPage ? "" : null;
  }

  #lookForMarker(before: string, chunk: Buffer): void {
    const head = before + chunk.toString("latin1", 0, MARKER_WITHIN_BYTES - before.length);
    const account = findRenderMarker(head);
    if (account !== null) {
      takeAccount(this.exchange, account);
    }
    this.#head = account !== null || head.length === MARKER_WITHIN_BYTES ? null : head;
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#hasEnded = true;
    this.#blamePause();
    this.#ended(this.exchange);
  }

  /**
   * Blames this process where it stood still meanwhile: what was timed then, or failed for it, says nothing
   * of the target.
   */
  #blamePause(): void {
    const { exchange } = this;
    const mayBePauses = exchange.error === null || PAUSES_CAUSE.includes(exchange.error.kind);
    const pausedMs = clientPauses.pausedSince(exchange.startedAt);
    if (pausedMs < clientPauses.longMs || !mayBePauses) {
      return;
    }
    const detail = `the client itself stood still for ${Math.round(pausedMs)} ms meanwhile`;
    exchange.error = { kind: "client-pause", detail };
    exchange.lastByteMs = null;
  }
}

/** Errors that a pause of this process may have caused. */
const PAUSES_CAUSE: readonly ExchangeError["kind"][] = ["connection", "timeout"];

/** Error codes of Node.js, and of undici, where the other side ended the connection. */
const CLOSING_CODES = ["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"];

function isClosing(error: Error): boolean {
  return "code" in error && CLOSING_CODES.includes(String(error.code));
}

/** Error codes of Node.js, of undici, and of `ExchangeTimeout`, where time ran out. */
const TIMEOUT_CODES = ["UND_ERR_CONNECT_TIMEOUT", "ETIMEDOUT"];

/** The error of an exchange whose time ran out. */
class ExchangeTimeout extends Error {
  readonly code = "ETIMEDOUT";
}

/** Says of what kind a network error is: of the client itself, a timeout, or of the connection. */
function classifyFailure(error: Error): ExchangeError {
  const limit = describeOwnLimit(error);
  if (limit !== null) {
    return { kind: "client-limit", detail: limit };
  }
  const code = "code" in error && typeof error.code === "string" ? error.code : null;
  const kind = code !== null && TIMEOUT_CODES.includes(code) ? "timeout" : "connection";
  return { kind, detail: describeWireError(error) };
}

function takeAccount(exchange: Exchange, { instanceId, served, inFlight }: InstanceAccount): void {
  exchange.instanceId = instanceId;
  exchange.served = served;
  exchange.inFlight = inFlight;
}

/** Reads a header; null where it is missing, or came several times. */
function singleValue(value: string | string[] | undefined): string | null {
  return typeof value === "string" ? value : null;
}
