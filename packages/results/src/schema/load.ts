import { caseManifest, count, identity, milliseconds, record, strict, texts } from "@evenbench/core/schema";
import { z } from "zod";
import {
  clientUse,
  event,
  MOST_CASES,
  MOST_TARGETS,
  machine,
  processUse,
  recordHead,
  targetFields,
} from "./run.ts";
import { exchange, sampleError } from "./sample.ts";

export const loadSampleSchema = strict({
  /** Index in `load.json`'s stages: case, target, trial and load stand there. */
  stage: count,
  phase: z.enum(["warmup", "measure"]),
  connection: count,
  /** When it was due, from the start of the run. Latency counts from here (coordinated omission: Tene). */
  intendedAtMs: milliseconds,
  ...exchange,
  outstanding: count,
  error: sampleError,
}).meta({
  title: "Evenbench load sample",
  description: "One request under load: a line of samples.ndjson beside load.json. Times in milliseconds.",
});
export type LoadSample = z.infer<typeof loadSampleSchema>;

const arrivals = z.enum(["poisson", "uniform"]);
/** poisson: independent arrivals, exponential gaps. uniform: equal gaps. */
export type Arrivals = z.infer<typeof arrivals>;

/** Each connection sends its next request when the answer to the last one is complete. */
const closedLoad = strict({ kind: z.literal("closed"), connections: count });

export const openLoad = strict({
  kind: z.literal("open"),
  perSecond: z.number().positive(),
  arrivals,
  /** What is due while all are taken waits, and its wait counts. */
  connections: count,
});
/** Requests are due at times of their own, whether or not earlier ones have been answered. */
export type OpenLoad = z.infer<typeof openLoad>;

const load = z.discriminatedUnion("kind", [closedLoad, openLoad]);
export type OfferedLoad = z.infer<typeof load>;

const target = strict({
  ...targetFields,
  /** Hosts side by side; the client's connections are spread over them in turn. */
  instances: count,
  workers: count,
});
export type LoadTarget = z.infer<typeof target>;

const stage = strict({
  caseId: z.string(),
  target: z.string(),
  trial: count,
  load,
  startedAtMs: milliseconds,
  windowMs: milliseconds,
  sent: count,
  /** Waited for a connection (open loop). */
  queued: count,
  /** Sent more than 2 ms late by a free connection: the client's fault. */
  late: count,
  dropped: count,
  completed: count,
  meanInFlight: z.number().nonnegative(),
  usage: strict(processUse).nullable(),
  client: strict({
    ...clientUse,
    cpuMs: clientUse.cpuMs.nullable(),
    eventLoopDelayP99Ms: milliseconds.nullable(),
  }),
  ended: z.string().nullable(),
});
export type LoadStage = z.infer<typeof stage>;

const condition = strict({ quantile: z.number(), limitMs: milliseconds });
export type LatencyCondition = z.infer<typeof condition>;

export const loadPlan = strict({
  cases: z.array(caseManifest).max(MOST_CASES).readonly(),
  targets: z.array(target).max(MOST_TARGETS).readonly(),
  /** Each is put on every target. Empty for a capacity, which finds them on the way. */
  loads: z.array(load).readonly(),
  condition: condition.nullable(),
  trials: count,
  /** With warm-up; above 8 connections, or at a low rate in a search, stages are longer. */
  stageMs: milliseconds,
  seed: count,
  allowedPins: texts,
  engine: strict({ name: z.string(), version: z.string() }).nullable(),
});
export type LoadPlan = z.infer<typeof loadPlan>;

const client = strict({
  /** Its vantage's name, and its part of the load: "eu 1/4". */
  name: z.string(),
  nonce: z.string(),
  startedAt: z.iso.datetime(),
  logged: count,
  lacks: z.string().nullable(),
});

export const loadRunSchema = strict({
  schemaVersion: z.literal(2),
  ...recordHead,
  plan: loadPlan,
  machine: machine.nullable(),
  clients: z.array(client).readonly().exactOptional(),
  identities: record(identity),
  stages: z.array(stage).readonly(),
  events: z.array(event).readonly(),
}).meta({
  title: "Evenbench load run",
  description: "load.json: plan, stages and machine of one load run.",
});
export type LoadRun = z.infer<typeof loadRunSchema>;
