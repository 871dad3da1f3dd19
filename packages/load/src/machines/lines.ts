import { count, exchange, milliseconds, sampleError, strict } from "@evenbench/results/schema";
import { clientNonce, planSha256, vantageName } from "@evenbench/vantages";
import { z } from "zod";

const beginLine = strict({
  evenbench: z.literal("begin"),
  protocol: z.literal(1),
  /** Hash of the plan. */
  plan: planSha256,
  nonce: clientNonce,
  vantage: vantageName,
  /** Its part of the load: the `index`-th (from 0) of `of` equal ones, as k6's execution segment says. */
  part: strict({ index: count, of: count.min(1) }),
  /** The client's clock when its first stage began, ISO 8601. */
  startedAt: z.iso.datetime(),
});
export type LoadBeginLine = z.infer<typeof beginLine>;

const { startedAtMs: _startedAtMs, ...seen } = exchange;

const exchangeLine = strict({
  evenbench: z.literal("exchange"),
  nonce: clientNonce,
  /** Index among the plan's stages. */
  stage: count,
  /** Which of the client's connections, from 0. */
  connection: count,
  /** From the stage's start: when k6 began with it, and when it was over. `blockedMs`: until it had a connection. */
  begunAtMs: milliseconds,
  blockedMs: milliseconds,
  overAtMs: milliseconds,
  ...seen,
  firstByteMs: milliseconds.nullable(),
  lastByteMs: milliseconds.nullable(),
  /** As k6 says it: "HTTP/1.1". null without a response. */
  protocol: z.string().nullable(),
  error: sampleError,
});
export type LoadExchangeLine = z.infer<typeof exchangeLine>;

const endLine = strict({
  evenbench: z.literal("end"),
  plan: planSha256,
  nonce: clientNonce,
  /** Lines of requests that the client wrote, by stage. */
  exchanges: z.array(count).readonly(),
  /** Why it ended before all of its stages; null where it played them all. */
  stopped: z.string().nullable(),
});
export type LoadEndLine = z.infer<typeof endLine>;

export const loadLineSchema = z.discriminatedUnion("evenbench", [beginLine, exchangeLine, endLine]);
