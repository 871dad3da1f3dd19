import { count, exchange, milliseconds, sampleError, samplePhase, strict } from "@evenbench/results/schema";
import * as z from "zod";
import { VANTAGE_NAME } from "./name.ts";

/** A name of a vantage or client. */
export const vantageName = z.string().regex(VANTAGE_NAME);

/** The number of a client, drawn anew at its start: two logs with one nonce are one log read twice. */
const nonce = z.string().regex(/^[0-9a-f]{16}$/);

const beginLine = strict({
  evenbench: z.literal("begin"),
  protocol: z.literal(1),
  /** The SHA-256 of the plan's file. */
  plan: z.string().regex(/^[0-9a-f]{64}$/),
  nonce,
  vantage: vantageName,
  client: vantageName,
  /** The client's part of a load: the `index`-th (from 0) of `count` equal ones. null: it plays rounds. */
  part: strict({ index: count, count: count.min(1) }).nullable(),
  /** The start, by the client's clock: nothing in it can be compared across vantages. */
  startedAt: z.iso.datetime(),
  /** Number of lines of exchanges that follow if nothing stops it; null where a rate decides. */
  exchanges: count.nullable(),
});
/** The first line of a client. */
export type BeginLine = z.infer<typeof beginLine>;

const { startedAtMs: _byTheRun, ...seen } = exchange;
const observed = {
  ...seen,
  /** k6 says 0 where the client's clock was set back. */
  firstByteMs: milliseconds.nullable(),
  lastByteMs: milliseconds.nullable(),
  protocol: z.string().nullable(),
  /** The place that took the request, as the platform names it; null where it names none. */
  edge: z.string().nullable(),
  error: sampleError,
  /** True where its body was compared with preflight's, as far as that is known. */
  isChecked: z.boolean(),
};
/** The answer to a request, as every line of a request has it. */
export type Observed = z.infer<z.ZodObject<typeof observed>>;

/**
 * Fields of every line of a request. `stage`: index of a load's stage; in rounds of a trial, counted through
 * all cases.
 */
const sent = { nonce, stage: count, ...observed };

const exchangeLine = strict({
  evenbench: z.literal("exchange"),
  ...sent,
  target: z.string(),
  phase: samplePhase.exclude(["cold"]),
  round: count,
  position: count,
  startedAtMs: milliseconds,
});
/** The line of one exchange of a round. */
export type ExchangeLine = z.infer<typeof exchangeLine>;

const requestLine = strict({
  evenbench: z.literal("request"),
  ...sent,
  connection: count,
  /**
   * When k6 began with it, and when it was over: milliseconds from the stage's start. `blockedMs`: until it
   * had a connection.
   */
  begunAtMs: milliseconds,
  blockedMs: milliseconds,
  overAtMs: milliseconds,
});
/** The line of one request of a load. */
export type RequestLine = z.infer<typeof requestLine>;

const endLine = strict({
  evenbench: z.literal("end"),
  nonce,
  exchanges: count,
  failed: count,
  elapsedMs: milliseconds,
  /** Why it ended before all of its plan; null where it played all. */
  stopped: z.string().nullable(),
});
/** The last line of a client. */
export type EndLine = z.infer<typeof endLine>;

/** A line of a client's log: JSON that begins with `{"evenbench":"`, whatever an engine puts before it. */
export const lineSchema = z.discriminatedUnion("evenbench", [beginLine, exchangeLine, requestLine, endLine]);
/** A line that the script writes. */
export type LogLine = z.infer<typeof lineSchema>;
/** A line of a request. */
export type SentLine = ExchangeLine | RequestLine;
