import { count, elapsedMs, list, milliseconds, moment, strict, text } from "@evenbench/core/schema";
import * as z from "zod";

/** Origin of an exchange, where a run has vantages, and what was seen of its way. */
const seenFrom = strict({
  vantage: text,
  client: text,
  /** The place of the platform that took the request, as it names it: "FRA"; null where it names none. */
  edge: text.nullable(),
  httpVersion: text.nullable(),
});

const vantageClient = strict({
  client: text,
  nonce: text,
  /** Start of the client by its own clock: not to be compared with another's. */
  startedAt: moment,
  elapsedMs: milliseconds.nullable(),
  /** Number of requests that it was to send. */
  planned: count,
  /** Number of requests that its log has. */
  logged: count,
  /** The gaps of its log, in words; null where it is whole. */
  lacks: text.nullable(),
  /** Number of its first trial among those of the run. */
  firstTrial: count,
  trials: count,
});

/** Schema of a vantage of a run, with the clients that measured there. */
export const runVantage = strict({ name: text, clients: list(vantageClient) });

const errorKind = z.enum([
  "connection", // refused, reset, or closed before the response was complete
  "timeout",
  "status", // not the status of the verified response
  "content-type", // another content type than the verified response
  "length", // another body length than the verified response
  "digest", // another masked body than the verified response
  "encoding", // a content encoding, though none was accepted
  "client-limit", // the client could open no further connection: too few open files, ports or buffers
  "client-pause", // the client's own process stood still meanwhile
]);
/** The kind of an exchange's failure. */
export type SampleErrorKind = z.infer<typeof errorKind>;

/** Schema of an exchange's failure; null where it did not fail. */
export const sampleError = strict({ kind: errorKind, detail: text }).nullable();

/** The number of a sample that is compared: the time to its first byte, to its last byte, or its CPU time. Milliseconds. */
export type Metric = "firstByteMs" | "lastByteMs" | "cpuMs";

const cacheWord = z.enum(["hit", "stale", "miss"]);
type CacheWord = z.infer<typeof cacheWord>;

/** Schema of the part of a sample that the probe measures. */
export const exchange = {
  /** Time since the start of the run; with `from`, since that of its client by that one's clock. */
  startedAtMs: milliseconds,
  /** Time for a new connection; null where one was kept from before. */
  connectMs: milliseconds.nullable(),
  /**
   * Time from the request's write to the socket's readable event that brought the final answer's first byte.
   * Interim answers (102, 103) are none. null without an answer.
   */
  firstByteMs: elapsedMs.nullable(),
  /** Time from the request's write to the end of the body; null where that did not come. */
  lastByteMs: elapsedMs.nullable(),
  /** null without the head of an answer. */
  status: z.int().min(0).max(999).nullable(),
  /** Length of the body as far as it came; null without the head of an answer. */
  bodyBytes: count.nullable(),
  /** Id of the instance that answered; null where the answer does not say. */
  instanceId: text.nullable(),
  /** Number of exchanges that the instance served before this one: 0 marks a cold one. null where it does not say. */
  served: count.nullable(),
  /** Number of other exchanges that the instance had under way; null where it does not say. */
  inFlight: count.nullable(),
  /**
   * True where the server ended a kept connection, without a byte of an answer, as the request was sent on it; it was
   * then sent again on a new one, and all times are of that. Whether the server had closed before or crashed over the
   * request, nobody can tell. Absent elsewhere.
   */
  resent: z.literal(true).optional(),
  /** What the answer says that a cache did (x-vercel-cache, x-nextjs-cache and others). Absent where it says nothing. */
  cacheSaid: cacheWord.optional(),
};

const accounted = {
  /**
   * CPU time of all the target's threads from the previous exchange's end to this one's; null without an
   * account that fine.
   */
  cpuMs: milliseconds.nullable(),
  /** Pages that the kernel gave meanwhile without a disk; null without an account that fine. */
  minorFaults: count.nullable(),
};

/**
 * Purpose of an exchange.
 * - "warmup": it warmed its instance up, and no time of it is used.
 * - "measure": it was measured in a round.
 * - "transfer": it asked for constant text of the case's length and parts, to time the transfer alone.
 * - "cold": one of the first two exchanges of an instance that was started for just that.
 */
export const samplePhase = z.enum(["warmup", "measure", "transfer", "cold"]);
/** Number of exchanges of a cold start: the first loads what only the case needs, and the second does not. */
export const COLD_EXCHANGES = 2;

/** The fields that name a sample: no two of a run have all of them equal. */
export const sampleKey = {
  caseId: text,
  /** A control's A/A copy is a target of its own, "<target>~copy". */
  target: text,
  /** Number of the trial, from 0; in phase "cold", the repetition. */
  trial: count,
  phase: samplePhase,
  /** Number of the round within its trial and phase, from 0. */
  roundIndex: count,
};

/** Schema of a line of a run's `samples.ndjson`. */
export const sampleSchema = strict({
  ...sampleKey,
  /** Place of the exchange within its round, from 0. */
  position: count,
  ...exchange,
  ...accounted,
  from: seenFrom.optional(),
  error: sampleError,
}).meta({
  title: "Evenbench sample",
  description: "One request: a line of samples.ndjson. Times in milliseconds.",
});

/** A request with its response: a line of `samples.ndjson`, in milliseconds of the client's monotonic clock. */
export type Sample = z.infer<typeof sampleSchema>;
/** The cost of an exchange for its target, as fields of its sample: CPU time and page faults. */
export type ExchangeCost = Pick<Sample, keyof typeof accounted>;
/** The fields that name a sample. */
export type SampleKey = Pick<Sample, keyof typeof sampleKey>;

/** Length of a name up to which it is usual. */
const USUAL_LENGTH = 1000;
/** Duration up to which it is usual: eleven days, in milliseconds. */
const USUAL_MS = 1e9;
/** Shortest time of an answer that is usual: a microsecond, in milliseconds. */
const LEAST_USUAL_MS = 1e-3;

/** Counts the fields of a schema that have to be there. */
export function requiredFields(shape: Readonly<Record<string, z.ZodType>>): number {
  return Object.values(shape).filter((field) => !field.safeParse(undefined).success).length;
}

const REQUIRED_FIELDS = requiredFields(sampleSchema.unwrap().shape);

/**
 * Tells whether a value is surely a sample, in a fraction of the schema's time: there are millions of them. It says
 * yes of usual ones alone, those of failed exchanges and of several places not among them; the schema decides
 * of the others.
 */
export function isUsualSample(value: unknown): value is Sample {
  const sample = Object(value) as Readonly<Record<keyof Sample, unknown>>;
  return (
    Object.keys(sample).length === REQUIRED_FIELDS + optionalFields(sample) &&
    isUsualName(sample.caseId) &&
    isUsualName(sample.target) &&
    isCount(sample.trial) &&
    samplePhase.options.includes(sample.phase as Sample["phase"]) &&
    isCount(sample.roundIndex) &&
    isCount(sample.position) &&
    isUsualExchange(sample) &&
    (sample.cpuMs === null || isUsualMs(sample.cpuMs)) &&
    (sample.minorFaults === null || isCount(sample.minorFaults))
  );
}

/** The fields of an exchange whose validity is looked at, of any value. */
type UnknownExchange = Readonly<Record<keyof typeof exchange | "error", unknown>>;

/** Counts the fields of `exchange` that are there and need not be. */
export function optionalFields({ resent, cacheSaid }: UnknownExchange): number {
  return Number(resent !== undefined) + Number(cacheSaid !== undefined);
}

/** Tells whether the fields of `exchange` are surely valid, and it did not fail. */
export function isUsualExchange(sample: UnknownExchange): boolean {
  return (
    isUsualMs(sample.startedAtMs) &&
    (sample.connectMs === null || isUsualMs(sample.connectMs)) &&
    (sample.firstByteMs === null || isUsualMs(sample.firstByteMs, LEAST_USUAL_MS)) &&
    (sample.lastByteMs === null || isUsualMs(sample.lastByteMs, LEAST_USUAL_MS)) &&
    (sample.status === null || (isCount(sample.status) && sample.status <= 999)) &&
    (sample.bodyBytes === null || isCount(sample.bodyBytes)) &&
    (sample.instanceId === null || isUsualName(sample.instanceId)) &&
    (sample.served === null || isCount(sample.served)) &&
    (sample.inFlight === null || isCount(sample.inFlight)) &&
    (sample.resent === undefined || sample.resent === true) &&
    (sample.cacheSaid === undefined || cacheWord.options.includes(sample.cacheSaid as CacheWord)) &&
    sample.error === null
  );
}

function isUsualName(value: unknown): boolean {
  return typeof value === "string" && value.length <= USUAL_LENGTH;
}

/** Tells whether a value is a whole number from 0 on. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Tells whether a value is a usual duration in milliseconds. */
export function isUsualMs(value: unknown, least = 0): value is number {
  return typeof value === "number" && value >= least && value <= USUAL_MS;
}
