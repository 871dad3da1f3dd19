import { createHash } from "node:crypto";
import type { BodyRules, ProviderAccount } from "@evenbench/core";
import type { Sample } from "@evenbench/results";
import type { exchange } from "@evenbench/results/schema";
import { maskInTime } from "./mask-in-time.ts";

export type Recorded = Pick<Sample, keyof typeof exchange | "error">;

export type ExchangeCost = Pick<Sample, "cpuMs" | "minorFaults" | "gaugeMs">;

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

/** Whether an error is of the client itself, and says nothing of the target. */
export function isClients({ kind }: ExchangeError): boolean {
  return kind === "client-limit" || kind === "client-pause";
}

/** A part of a body: one chunk of a chunked body, else what one read of the socket gave. */
export interface Arrival {
  readonly ms: number;
  readonly bytes: number;
}

export function recordOf(exchange: Exchange, runStartedAt: number): Recorded {
  const { startedAt, account, chunks, arrivals, isChunked, cost, ...recorded } = exchange;
  return { startedAtMs: startedAt - runStartedAt, ...recorded };
}

export interface Keep {
  readonly body?: boolean;
  readonly arrivals?: boolean;
}

/** @throws {SlowMaskError} when a mask takes too long on this body. */
export function maskedDigest(body: Uint8Array, rules?: BodyRules): string {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("latin1");
  return createHash("sha256").update(maskInTime(text, rules), "latin1").digest("hex");
}
