import { count, milliseconds, sampleError, samplePhase, strict } from "@evenbench/results/schema";
import { z } from "zod";
import { VANTAGE_NAME } from "./name.ts";

export const vantageName = z.string().regex(VANTAGE_NAME);

export const planSha256 = z.string().regex(/^[0-9a-f]{64}$/);
/** Drawn anew by each client at its start: two logs with one nonce are one log read twice. */
export const clientNonce = z.string().regex(/^[0-9a-f]{16}$/);

const beginLine = strict({
  evenbench: z.literal("begin"),
  protocol: z.literal(1),
  plan: planSha256,
  nonce: clientNonce,
  vantage: vantageName,
  /** Which of the vantage's clients: the engine's number of the pod, or of the machine. "1" where there is one. */
  client: vantageName,
  /** By which rounds are ordered here: drawn from the plan's seed, the vantage and the client. */
  seed: count,
  /** The client's clock at its start, ISO 8601: nothing in it can be compared across vantages. */
  startedAt: z.iso.datetime(),
  /** Trials that this client is to play, and lines of exchanges that will follow if nothing stops it. */
  trials: count,
  exchanges: count,
});
export type BeginLine = z.infer<typeof beginLine>;

const exchangeLine = strict({
  evenbench: z.literal("exchange"),
  nonce: clientNonce,
  /** From 0, without a gap. */
  seq: count,
  case: z.string(),
  target: z.string(),
  trial: count,
  phase: samplePhase.exclude(["cold"]),
  /** Within trial and phase, from 0. */
  round: count,
  /** Place in its round's random order, from 0. */
  position: count,
  /** Start, from the client's begin line, by the client's wall clock. */
  startedAtMs: milliseconds,
  /** Connecting and TLS, where this exchange opened the connection. */
  connectMs: milliseconds.nullable(),
  /** From the request's write to the response's first byte, as k6 takes it (sending + waiting). */
  firstByteMs: milliseconds.nullable(),
  /** From the request's write to the end of the body (sending + waiting + receiving). */
  lastByteMs: milliseconds.nullable(),
  status: z.int().nullable(),
  bodyBytes: count.nullable(),
  /** Whether the masked body was the expected one; null where that was not checked. */
  digest: z.enum(["same", "other"]).nullable(),
  instanceId: z.string().nullable(),
  served: count.nullable(),
  inFlight: count.nullable(),
  /** Where the platform took the request: the colo of cf-ray ("FRA"), or the first region of x-vercel-id ("fra1"). */
  edge: z.string().nullable(),
  /** As k6 says it: "HTTP/1.1", "HTTP/2.0". null without a response. */
  protocol: z.string().nullable(),
  error: sampleError,
});
export type ExchangeLine = z.infer<typeof exchangeLine>;

const endLine = strict({
  evenbench: z.literal("end"),
  plan: planSha256,
  nonce: clientNonce,
  /** Lines of exchanges that this client wrote. */
  exchanges: count,
  failed: count,
  /** By the client's wall clock, from its begin line. */
  elapsedMs: milliseconds,
  /** Why it ended before all of its trials; null where it played them all. */
  stopped: z.string().nullable(),
});
export type EndLine = z.infer<typeof endLine>;

/**
 * A line of a client's log. Each is JSON on one line that begins with `{"evenbench":"`, whatever an engine
 * puts before it.
 */
export const lineSchema = z.discriminatedUnion("evenbench", [beginLine, exchangeLine, endLine]);
export type LogLine = z.infer<typeof lineSchema>;
