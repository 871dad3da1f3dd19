import { createHash } from "node:crypto";
import { type BodyRules, maskBody, type ProviderAccount } from "@evenbench/core";
import { describeWireError } from "@evenbench/core/http";
import type { Sample } from "@evenbench/results";
import type { exchange } from "@evenbench/results/schema";

export type Recorded = Pick<Sample, keyof typeof exchange | "error">;

export type ExchangeCost = Pick<Sample, "cpuMs" | "minorFaults">;

export interface Exchange extends Writable<Omit<Recorded, "startedAtMs">> {
  /** By `performance.now()`: the request's write, or where nothing was written, when it was asked for. */
  startedAt: number;
  account: ProviderAccount | null;
  chunks: Buffer[] | null;
  arrivals: Arrival[] | null;
  /** Whether the body came as a stream: in chunks, of a length not named before. */
  isChunked: boolean;
  cost: ExchangeCost;
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };
export type ExchangeError = NonNullable<Sample["error"]>;

/** A part of a body: one chunk of a chunked body, else what one read of the socket gave. */
export interface Arrival {
  readonly ms: number;
  readonly bytes: number;
}

export function recordOf(made: Exchange, runStartedAt: number): Recorded {
  const { startedAt, account, chunks, arrivals, isChunked, cost, ...recorded } = made;
  return { startedAtMs: startedAt - runStartedAt, ...recorded };
}

export interface Keep {
  readonly body?: boolean;
  readonly arrivals?: boolean;
}

const TIMEOUT_CODES = ["UND_ERR_CONNECT_TIMEOUT", "ETIMEDOUT"];

export class ExchangeTimeout extends Error {
  readonly code = "ETIMEDOUT";
}

export function classifyFailure(error: Error): ExchangeError {
  const code = "code" in error && typeof error.code === "string" ? error.code : null;
  const kind = code !== null && TIMEOUT_CODES.includes(code) ? "timeout" : "connection";
  return { kind, detail: describeWireError(error) };
}

export function maskedDigest(body: Uint8Array, rules?: BodyRules): string {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("latin1");
  return createHash("sha256").update(maskBody(text, rules), "latin1").digest("hex");
}
