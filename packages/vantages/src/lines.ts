import { count, milliseconds, sampleError, samplePhase, strict } from "@evenbench/results/schema";
import { z } from "zod";
import { VANTAGE_NAME } from "./name.ts";

export const vantageName = z.string().regex(VANTAGE_NAME);

const planSha256 = z.string().regex(/^[0-9a-f]{64}$/);
/** Drawn anew by each client at its start: two logs with one nonce are one log read twice. */
const nonce = z.string().regex(/^[0-9a-f]{16}$/);

const beginLine = strict({
  evenbench: z.literal("begin"),
  protocol: z.literal(1),
  plan: planSha256,
  nonce,
  vantage: vantageName,
  /** Which of the vantage's clients: the engine's number of the pod, or of the machine. "1" where there is one. */
  client: vantageName,
  /** Its part of a load: the `index`-th (from 0) of `of` equal ones, as k6's execution segment says. null: it plays rounds. */
  part: strict({ index: count, of: count.min(1) }).nullable(),
  /** The client's clock at its start, ISO 8601: nothing in it can be compared across vantages. */
  startedAt: z.iso.datetime(),
  /** Lines of exchanges that will follow if nothing stops it; null where a rate decides. */
  exchanges: count.nullable(),
});
export type BeginLine = z.infer<typeof beginLine>;

/** What of a request every client writes. Durations in milliseconds, as k6 takes them. */
const observed = {
  nonce,
  /** Connecting and TLS, where this exchange opened the connection. */
  connectMs: milliseconds.nullable(),
  /** From the request's write to the response's first byte (sending + waiting). */
  firstByteMs: milliseconds.nullable(),
  /** From the request's write to the end of the body (sending + waiting + receiving). */
  lastByteMs: milliseconds.nullable(),
  status: z.int().nullable(),
  bodyBytes: count.nullable(),
  instanceId: z.string().nullable(),
  served: count.nullable(),
  inFlight: count.nullable(),
  /** As k6 says it: "HTTP/1.1", "HTTP/2.0". null without a response. */
  protocol: z.string().nullable(),
  error: sampleError,
};

const exchangeLine = strict({
  evenbench: z.literal("exchange"),
  ...observed,
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
  /** Whether the masked body was the expected one; null where that was not checked. */
  digest: z.enum(["same", "other"]).nullable(),
  /** Where the platform took the request: the colo of cf-ray ("FRA"), or the first region of x-vercel-id ("fra1"). */
  edge: z.string().nullable(),
});
export type ExchangeLine = z.infer<typeof exchangeLine>;

const requestLine = strict({
  evenbench: z.literal("request"),
  ...observed,
  /** Index among the plan's stages. */
  stage: count,
  /** Which of the client's connections, from 0. */
  connection: count,
  /** From the stage's start: when k6 began with it, and when it was over. `blockedMs`: until it had a connection. */
  begunAtMs: milliseconds,
  blockedMs: milliseconds,
  overAtMs: milliseconds,
});
export type RequestLine = z.infer<typeof requestLine>;

const stageLine = strict({
  evenbench: z.literal("stage"),
  nonce,
  stage: count,
  /** By the client's wall clock. */
  startedAt: z.int(),
});

const endLine = strict({
  evenbench: z.literal("end"),
  plan: planSha256,
  nonce,
  /** Lines of requests that this client wrote, by stage; of rounds there is one sum. */
  exchanges: z.array(count).readonly(),
  /** Of all of these, with an error. */
  failed: count,
  /** By the client's wall clock, from its begin line. */
  elapsedMs: milliseconds,
  /** Why it ended before all of its plan; null where it played all. */
  stopped: z.string().nullable(),
});
export type EndLine = z.infer<typeof endLine>;

/**
 * A line of a client's log. Each is JSON on one line that begins with `{"evenbench":"`, whatever an engine puts
 * before it. A log without an end line is incomplete.
 */
export const lineSchema = z.discriminatedUnion("evenbench", [
  beginLine,
  stageLine,
  exchangeLine,
  requestLine,
  endLine,
]);
export type LogLine = z.infer<typeof lineSchema>;
