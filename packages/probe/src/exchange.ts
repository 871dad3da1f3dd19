import { messageOf, type ProviderAccount } from "@evenbench/core";
import type { ExchangeCost, Sample } from "@evenbench/results";
import type { exchange } from "@evenbench/results/schema";
import type { ReceivedBody } from "./body.ts";
import type { Expectation } from "./rules.ts";

/** The part of an exchange that a run's record has. */
export type Recorded = Pick<Sample, keyof typeof exchange | "error">;

/**
 * A request with its whole response. Times are milliseconds from `startedAt`; null: it did not come so far.
 */
export interface Exchange extends Writable<Omit<Recorded, "startedAtMs">> {
  /** The time by `performance.now()` when the request was written; when it was queued, if it never was. */
  startedAt: number;
  /** The platform's account of an earlier request that came with the response; null where there was none. */
  account: ProviderAccount | null;
  /**
   * The body for `checkBody`; null once that was called, and where the connection failed. The probe's next
   * answer replaces it.
   */
  body: ReceivedBody | null;
  /** True where the body's digest is asked for, as in {@link CaptureOptions}. */
  readonly withDigest: boolean;
  /** True where its body was found to be the expected one, as far as the expectation is checked at all. */
  isChecked: boolean;
  /** When each part of the body came; null where nobody asks for it. */
  arrivals: PartArrival[] | null;
  /** True where the body came as a stream: in chunks, of a length not named before. */
  isChunked: boolean;
  /** The cost for the target; `NO_COST` where nobody knows. */
  cost: ExchangeCost;
}

/** The cost of an exchange of which nobody knows what it cost. */
export const NO_COST: ExchangeCost = { cpuMs: null, minorFaults: null };

/** Begins the record of an exchange: nothing of its answer has come yet. */
export function newExchange(keep: CaptureOptions): Exchange {
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

/** A type whose fields may be written: an exchange is filled in while it is under way. */
type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** The fault of an exchange. */
export type ExchangeError = NonNullable<Sample["error"]>;

/** Tells whether an error is of the client itself, and says nothing of the target. */
export function isClients({ kind }: ExchangeError): boolean {
  return kind === "client-limit" || kind === "client-pause";
}

/** A part of a body: one chunk of a chunked body, else what one read of the socket gave. */
export interface PartArrival {
  /** Milliseconds from the request's write. */
  readonly ms: number;
  /** Length of the part. */
  readonly bytes: number;
}

/** Makes the record of an exchange. @param runStartedAt the run's start by `performance.now()`. */
export function recordedOf(exchange: Exchange, runStartedAt: number): Recorded {
  const { startedAt, account, body, withDigest, isChecked, arrivals, isChunked, cost, ...recorded } =
    exchange;
  return { startedAtMs: startedAt - runStartedAt, ...recorded };
}

/** Options that say what is kept of an exchange besides its times. */
export interface CaptureOptions {
  /** True where a body's digest is computed although it has the length of the last right one. Default: false. */
  readonly digest?: boolean;
  /** True where the time of each part of the body is noted. Default: false. */
  readonly arrivals?: boolean;
}

/**
 * Checks the body of an answer that is over, before its probe asks anew. A wrong one becomes the exchange's error.
 * Costs time, which must not fall into an exchange that is under way.
 */
export function checkBody(exchange: Exchange, expected: Expectation): void {
  const { body, withDigest } = exchange;
  exchange.body = null;
  if (exchange.error !== null) {
    return;
  }
  if (expected.unchecked === "body" || expected.unchecked === "digest") {
    exchange.isChecked = true;
    return;
  }
  if (body === null) {
    return;
  }
  try {
    const isExpected = body.isExpected(expected, withDigest);
    exchange.isChecked = isExpected === true;
    if (isExpected === false) {
      exchange.error = { kind: "digest", detail: describeOther(exchange, expected, body) };
    }
  } catch (error) {
    exchange.error = { kind: "digest", detail: `its body cannot be compared: ${messageOf(error)}` };
  }
}

function describeOther({ bodyBytes }: Exchange, expected: Expectation, body: ReceivedBody): string {
  const masked = expected.masks.length > 0 ? ", also where nothing is masked" : "";
  const offset = body.differsFrom(expected);
  const where = offset === null ? "" : `; it differs from byte ${offset}`;
  return `another body than in preflight${masked} (${bodyBytes} bytes instead of ${expected.bytes}${where})`;
}
