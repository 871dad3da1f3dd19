import { count, milliseconds, passed, strict } from "@evenbench/core/schema";
import { z } from "zod";

/** Where an exchange was asked from, and what was seen of its way. */
const seenFrom = strict({
  vantage: z.string(),
  client: z.string(),
  /** The colo of cf-ray, the first region of x-vercel-id; null where none is named. */
  edge: z.string().nullable(),
  httpVersion: z.string().nullable(),
});

const vantageClient = strict({
  client: z.string(),
  nonce: z.string(),
  /** By its own clock: not to be compared with another's. */
  startedAt: z.iso.datetime(),
  elapsedMs: milliseconds.nullable(),
  planned: count,
  logged: count,
  lacks: z.string().nullable(),
  firstTrial: count,
  trials: count,
});

export const runVantage = strict({ name: z.string(), clients: z.array(vantageClient).readonly() });

const errorKind = z.enum([
  "connection", // refused, reset, or closed before the response was complete
  "timeout",
  "status", // not the status of the verified response
  "content-type", // another content type than the verified response
  "length", // another body length than the verified response
  "digest", // another masked body than the verified response
  "encoding", // a content encoding, though none was accepted
]);
export type SampleErrorKind = z.infer<typeof errorKind>;

export const sampleError = strict({ kind: errorKind, detail: z.string() }).nullable();

export const exchange = {
  /** From the start of the run; with `from`, of its client by that one's clock. */
  startedAtMs: milliseconds,
  connectMs: milliseconds.nullable(),
  /** From the request's write to the socket's first readable event. */
  firstByteMs: passed.nullable(),
  /** From the request's write to the end of the body. */
  lastByteMs: passed.nullable(),
  status: z.int().nullable(),
  bodyBytes: count.nullable(),
  instanceId: z.string().nullable(),
  /** By the instance before this one: 0 marks a cold exchange. */
  served: count.nullable(),
  inFlight: count.nullable(),
};

const accounted = {
  /** Of all threads since the exchange before; null where the system has no account that fine. */
  cpuMs: milliseconds.nullable(),
  /** Pages that the kernel gave meanwhile without a disk; null likewise. */
  minorFaults: count.nullable(),
  /** What a fixed loop took on the same core, just before and after: how fast that was. None where that is not known. */
  gaugeMs: milliseconds.optional(),
};

/** "transfer": constant text of the case's length and parts. "cold": the first two exchanges of an instance started for just that. */
export const samplePhase = z.enum(["warmup", "measure", "transfer", "cold"]);

export const sampleKey = {
  caseId: z.string(),
  /** A control's A/A copy is a target of its own, "<target>~copy". */
  target: z.string(),
  /** From 0; in phase "cold", the repetition. */
  trial: count,
  phase: samplePhase,
  roundIndex: count,
};

export const sampleSchema = strict({
  ...sampleKey,
  position: count,
  ...exchange,
  ...accounted,
  from: seenFrom.optional(),
  error: sampleError,
}).meta({
  title: "Evenbench sample",
  description: "One request: a line of samples.ndjson. Times in milliseconds.",
});

export type Sample = z.infer<typeof sampleSchema>;
export type SampleKey = Pick<Sample, keyof typeof sampleKey>;
