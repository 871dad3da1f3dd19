import {
  amount,
  caseManifest,
  count,
  identity,
  list,
  milliseconds,
  moment,
  record,
  repeats,
  strict,
  text,
  texts,
} from "@evenbench/core/schema";
import * as z from "zod";
import {
  clientUse,
  event,
  MAX_CASES,
  MAX_TARGETS,
  machine,
  masksFound,
  memoryReading,
  processUse,
  recordHead,
  samplesDigest,
  targetFields,
} from "./run.ts";
import {
  exchange,
  isCount,
  isUsualExchange,
  isUsualMs,
  optionalFields,
  requiredFields,
  sampleError,
} from "./sample.ts";

/** Schema of a line of a load's `samples.ndjson`. */
export const loadSampleSchema = strict({
  /** Index in `load.json`'s stages: case, target, trial and load stand there. */
  stage: count,
  phase: z.enum(["warmup", "measure"]),
  /** Index of the connection that sent it, within its stage. */
  connection: count,
  /** When it was due, since the start of the run. Latency counts from here (Tene: coordinated omission). */
  intendedAtMs: milliseconds,
  ...exchange,
  /** Number of other requests that were under way when it began. */
  outstanding: count,
  error: sampleError,
}).meta({
  title: "Evenbench load sample",
  description: "One request under load: a line of samples.ndjson beside load.json. Times in milliseconds.",
});
/** A request under load, as a line of `samples.ndjson`. Times are in milliseconds. */
export type LoadSample = z.infer<typeof loadSampleSchema>;

const REQUIRED_FIELDS = requiredFields(loadSampleSchema.unwrap().shape);

/** Tells whether a value is surely a load's sample, as `isUsualSample` does of a run's. */
export function isUsualLoadSample(value: unknown): value is LoadSample {
  const sample = Object(value) as Readonly<Record<keyof LoadSample, unknown>>;
  return (
    Object.keys(sample).length === REQUIRED_FIELDS + optionalFields(sample) &&
    isCount(sample.stage) &&
    (sample.phase === "warmup" || sample.phase === "measure") &&
    isCount(sample.connection) &&
    isUsualMs(sample.intendedAtMs) &&
    isUsualExchange(sample) &&
    isCount(sample.outstanding)
  );
}

const arrivals = z.enum(["poisson", "uniform"]);
/**
 * How requests of an open load arrive: "poisson", independently with exponential gaps, or "uniform", with equal gaps.
 */
export type Arrivals = z.infer<typeof arrivals>;

/** A load whose connections each send their next request when the answer to the last one is complete. */
const closedLoad = strict({ kind: z.literal("closed"), connections: repeats });

/** Schema of an open load: arrivals at a rate, whether or not responses came. */
export const openLoad = strict({
  kind: z.literal("open"),
  perSecond: amount.positive(),
  arrivals,
  /** Number of connections: a request that is due while all are taken waits, and its wait counts. */
  connections: repeats,
});
/** A load whose requests are due at times of their own, whether or not earlier ones have been answered. */
export type OpenLoad = z.infer<typeof openLoad>;

const load = z.discriminatedUnion("kind", [closedLoad, openLoad]);
/** A load that is put on a target. */
export type OfferedLoad = z.infer<typeof load>;

const target = strict({
  ...targetFields,
  /** Hosts side by side; the client's connections are spread over them in turn. */
  instances: repeats,
  workers: repeats,
});
/** A target of a load run. */
export type LoadTarget = z.infer<typeof target>;

const stage = strict({
  caseId: text,
  target: text,
  trial: count,
  load,
  /** Start of the stage since that of the run. */
  startedAtMs: milliseconds,
  /** Time of the measured part. */
  windowMs: milliseconds,
  /** Number of requests that were sent. */
  sent: count,
  /** Number of requests that waited for a connection (open loop). */
  queued: count,
  /** Number of requests that a free connection sent more than 2 ms late: the client's fault. */
  late: count,
  dropped: count,
  completed: count,
  meanInFlight: amount.nonnegative(),
  /** The use of the target's processes; null where the system does not say. */
  usage: strict(processUse).nullable(),
  client: strict({
    ...clientUse,
    cpuMs: clientUse.cpuMs.nullable(),
    eventLoopDelayP99Ms: milliseconds.nullable(),
  }),
  /** Why the stage ended early; null where it did not. */
  ended: text.nullable(),
});
/** A load on one target for some time, in one trial. */
export type LoadStage = z.infer<typeof stage>;

const condition = strict({ quantile: z.number().min(0).max(1), limitMs: milliseconds });
/** A condition that a capacity keeps: a quantile of latency, as a fraction, is at most so many milliseconds. */
export type LatencyCondition = z.infer<typeof condition>;

/** Largest number of loads in a plan: a capacity is found with a dozen. */
const MAX_LOADS = 1000;

/** Schema of the part of a load's record that is fixed before it begins. */
export const loadPlan = strict({
  cases: list(caseManifest, MAX_CASES),
  targets: list(target, MAX_TARGETS),
  /** The loads that are put on every target. Empty for a capacity, which finds them on the way. */
  loads: list(load, MAX_LOADS),
  condition: condition.nullable(),
  trials: repeats,
  /** Time of a stage with its warm-up; above 8 connections, or at a low rate in a search, stages are longer. */
  stageMs: milliseconds,
  seed: count,
  allowedPins: texts,
  engine: strict({ name: text, version: text }).nullable(),
  masksFound: masksFound.exactOptional(),
  /** Requests at a time while memory is read, in instances of its own; not there where it is not read. */
  memoryConnections: repeats.exactOptional(),
});
/** The plan of a load: what it is to measure, and how. */
export type LoadPlan = z.infer<typeof loadPlan>;

const client = strict({
  /** The name of its vantage, and its part of the load: "eu 1/4". */
  name: text,
  nonce: text,
  startedAt: moment,
  /** Number of requests that its log has. */
  logged: count,
  /** The gaps of its log, in words; null where it is whole. */
  lacks: text.nullable(),
});

/** Schema of `load.json`. */
export const loadRunSchema = strict({
  schemaVersion: z.literal(2),
  ...recordHead,
  /** null while the load is measured, and where its process was killed. */
  samples: samplesDigest.nullable(),
  plan: loadPlan,
  machine: machine.nullable(),
  clients: list(client).exactOptional(),
  identities: record(identity),
  stages: list(stage),
  memory: list(memoryReading).exactOptional(),
  events: list(event),
}).meta({
  title: "Evenbench load run",
  description: "load.json: plan, stages and machine of one load run.",
});
/** The record of a load run. */
export type LoadRun = z.infer<typeof loadRunSchema>;
