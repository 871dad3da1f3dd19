import {
  CPU_HEADER,
  findRenderMarker,
  INSTANCE_HEADER,
  type InstanceAccount,
  parseCpuHeader,
  parseInstanceHeader,
} from "@evenbench/core";
import type { Dispatcher } from "undici";
import { classifyFailure, type Exchange, ExchangeTimeout, type Keep } from "./exchange.ts";
import type { Expectation } from "./expectation.ts";
import { lengthTolerance } from "./length-tolerance.ts";

type Headers = Parameters<NonNullable<Dispatcher.DispatchHandler["onResponseStart"]>>[2];

/** A page says who rendered it at its start: further on there is no use in looking. */
const MARKER_WITHIN_BYTES = 16_384;

/** One request on its way: takes what undici reports of it, and gives the exchange away when it has ended. */
export class RequestUnderWay implements Dispatcher.DispatchHandler {
  readonly exchange: Exchange;
  readonly #expected: Expectation;
  readonly #timeoutMs: number;
  readonly #ended: (exchange: Exchange) => void;
  #timer: NodeJS.Timeout | undefined;
  #hasEnded = false;
  /** The start of a page's body until its marker is found; null where there is nothing to look for. */
  #head: string | null = null;

  /** @param timeoutMs from the request's write to the end of the response. */
  constructor(expected: Expectation, keep: Keep, timeoutMs: number, ended: (exchange: Exchange) => void) {
    this.exchange = newExchange(keep);
    this.#expected = expected;
    this.#timeoutMs = timeoutMs;
    this.#ended = ended;
  }

  /** Bytes are there to be read from the socket. */
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
    this.#checkHead(status, text(headers["content-encoding"]));
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { exchange } = this;
    if (this.#hasEnded || exchange.bodyBytes === null) return;
    exchange.bodyBytes += chunk.length;
    exchange.arrivals?.push({ ms: performance.now() - exchange.startedAt, bytes: chunk.length });
    if (this.#head !== null) this.#lookForMarker(this.#head, chunk);
    // More than expected fails by its length: no need to keep it.
    const most = this.#expected.bytes + lengthTolerance(this.#expected);
    if (exchange.bodyBytes <= most) exchange.chunks?.push(chunk);
  }

  onResponseEnd(): void {
    if (this.#hasEnded) return;
    this.exchange.lastByteMs = performance.now() - this.exchange.startedAt;
    this.#checkLength();
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

  #checkHead(status: number, encoding: string | null): void {
    if (status !== this.#expected.status) {
      const detail = `HTTP ${status} instead of ${this.#expected.status}`;
      this.exchange.error = { kind: "status", detail };
    } else if (encoding !== null && encoding !== "identity") {
      const detail = `content-encoding "${encoding}", though none was accepted`;
      this.exchange.error = { kind: "encoding", detail };
    }
  }

  #checkLength(): void {
    const { bytes } = this.#expected;
    const within = lengthTolerance(this.#expected);
    const came = this.exchange.bodyBytes ?? 0;
    if (this.exchange.error !== null || Math.abs(came - bytes) <= within) return;
    const asked = within === 0 ? bytes : `${bytes} ± ${within}`;
    this.exchange.error = { kind: "length", detail: `a body of ${came} bytes instead of ${asked}` };
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#hasEnded = true;
    this.#ended(this.exchange);
  }
}

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
    chunks: keep.body ? [] : null,
    arrivals: keep.arrivals ? [] : null,
    isChunked: false,
    cost: null,
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
