import type { ProviderAccount } from "@evenbench/core";
import { describeWireError } from "@evenbench/core/http";
import type { Sample } from "@evenbench/results";
import type { exchange } from "@evenbench/results/schema";

/** What every sample has of its exchange. */
export type Recorded = Pick<Sample, keyof typeof exchange | "error">;

/** What a server's system accounts to one exchange; nulls where it does not report it. */
export type ExchangeCost = Pick<Sample, "cpuMs" | "minorFaults">;

/** One request and its response, while it is made and until its sample is written. */
export interface Exchange extends Writable<Omit<Recorded, "startedAtMs">> {
  /** `performance.now()` at the request's write; where nothing was written, when the exchange was asked for. */
  startedAt: number;
  /** What the platform accounted to an earlier request, where it reported it with this one. */
  account: ProviderAccount | null;
  /** The body's chunks, where they were asked for. */
  chunks: Buffer[] | null;
  /** When parts of the body arrived, where that was asked for. */
  arrivals: Arrival[] | null;
  /** Whether the body came as a stream: in chunks, of a length not named before. */
  isChunked: boolean;
  /** What the system accounts to it, where somebody reads that. */
  cost: ExchangeCost | null;
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };
export type ExchangeError = NonNullable<Sample["error"]>;

/** A part of a body: one chunk of a chunked body, else what one read of the socket gave. */
export interface Arrival {
  /** Milliseconds since the request's write. */
  readonly ms: number;
  readonly bytes: number;
}

/** @param runStartedAt by the clock of `performance.now()`. */
export function recordOf(made: Exchange, runStartedAt: number): Recorded {
  const { connectMs, firstByteMs, lastByteMs, status, bodyBytes, instanceId, served, inFlight, error } = made;
  const startedAtMs = made.startedAt - runStartedAt;
  return {
    ...{ startedAtMs, connectMs, firstByteMs, lastByteMs, status, bodyBytes },
    ...{ instanceId, served, inFlight, error },
  };
}

/** What an exchange is to keep beside its times. */
export interface Keep {
  /** The body, for `checkDigest`. */
  readonly body?: boolean;
  readonly arrivals?: boolean;
}

/** The codes by which undici and Node.js say that time is up. */
const TIMEOUT_CODES = new Set([
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
  "ETIMEDOUT",
]);

/** Thrown into an exchange that exceeds its bound. */
export class ExchangeTimeout extends Error {
  readonly code = "ETIMEDOUT";
}

/** Sorts what went wrong on the wire into the closed set: time is up, or the connection failed. */
export function classifyFailure(error: Error): ExchangeError {
  const code = "code" in error && typeof error.code === "string" ? error.code : null;
  const kind = code !== null && TIMEOUT_CODES.has(code) ? "timeout" : "connection";
  return { kind, detail: describeWireError(error) };
}
