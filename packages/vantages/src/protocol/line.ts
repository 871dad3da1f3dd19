import { count, milliseconds, sampleError, samplePhase, strict } from "@evenbench/results/schema";
import { z } from "zod";
import { VANTAGE_NAME } from "./name.ts";

export const vantageName = z.string().regex(VANTAGE_NAME);

const planSha256 = z.string().regex(/^[0-9a-f]{64}$/);
/** Drawn anew by each client at its start: two logs with one nonce are one log read twice. */
const clientNonce = z.string().regex(/^[0-9a-f]{16}$/);

const begun = {
  evenbench: z.literal("begin"),
  protocol: z.literal(1),
  plan: planSha256,
  nonce: clientNonce,
  vantage: vantageName,
  /** The client's clock at its start, ISO 8601: nothing in it can be compared across vantages. */
  startedAt: z.iso.datetime(),
};

/** What of a request every client writes. Durations in milliseconds, as k6 takes them. */
const exchanged = {
  evenbench: z.literal("exchange"),
  nonce: clientNonce,
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

const ended = {
  evenbench: z.literal("end"),
  plan: planSha256,
  nonce: clientNonce,
  /** Why it ended before all of its plan; null where it played all. */
  stopped: z.string().nullable(),
};

const beginLine = strict({
  ...begun,
  /** Which of the vantage's clients: the engine's number of the pod, or of the machine. "1" where there is one. */
  client: vantageName,
  /** By which rounds are ordered here: drawn from the plan's seed, the vantage and the client. */
  seed: count,
  /** Trials that this client is to play, and lines of exchanges that will follow if nothing stops it. */
  trials: count,
  exchanges: count,
});
export type BeginLine = z.infer<typeof beginLine>;

const exchangeLine = strict({
  ...exchanged,
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

const endLine = strict({
  ...ended,
  /** Lines of exchanges that this client wrote, and of these, with an error. */
  exchanges: count,
  failed: count,
  /** By the client's wall clock, from its begin line. */
  elapsedMs: milliseconds,
});
export type EndLine = z.infer<typeof endLine>;

/**
 * A line of a client's log of rounds. Each is JSON on one line that begins with `{"evenbench":"`, whatever an
 * engine puts before it. A log without an end line is not whole.
 */
export const lineSchema = z.discriminatedUnion("evenbench", [beginLine, exchangeLine, endLine]);
export type LogLine = z.infer<typeof lineSchema>;

const rateBeginLine = strict({
  ...begun,
  /** Its part of the load: the `index`-th (from 0) of `of` equal ones, as k6's execution segment says. */
  part: strict({ index: count, of: count.min(1) }),
});
export type RateBeginLine = z.infer<typeof rateBeginLine>;

const rateExchangeLine = strict({
  ...exchanged,
  /** Index among the plan's stages. */
  stage: count,
  /** Which of the client's connections, from 0. */
  connection: count,
  /** From the stage's start: when k6 began with it, and when it was over. `blockedMs`: until it had a connection. */
  begunAtMs: milliseconds,
  blockedMs: milliseconds,
  overAtMs: milliseconds,
});
export type RateExchangeLine = z.infer<typeof rateExchangeLine>;

const rateEndLine = strict({
  ...ended,
  /** Lines of requests that the client wrote, by stage. */
  exchanges: z.array(count).readonly(),
});
export type RateEndLine = z.infer<typeof rateEndLine>;

/** The same of a load that machines put on together. */
export const rateLineSchema = z.discriminatedUnion("evenbench", [
  rateBeginLine,
  rateExchangeLine,
  rateEndLine,
]);
