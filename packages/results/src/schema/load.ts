import { z } from "zod";
import { caseManifest, identity } from "./contracts.ts";
import { clientUse, event, MOST_CASES, MOST_TARGETS, machine, processUse, runTarget } from "./run.ts";
import { exchange, sampleError } from "./sample.ts";
import { count, milliseconds, strict, texts } from "./strict.ts";

export const LOAD_SCHEMA_VERSION = 2;

export const loadSampleSchema = strict({
  /** Index in `load.json`'s stages: case, target, trial and load stand there. */
  stage: count,
  phase: z.enum(["warmup", "measure"]),
  connection: count,
  /** When it was due, from the start of the run. Latency counts from here (coordinated omission: Tene). */
  intendedAtMs: milliseconds,
  ...exchange,
  /** Other requests of this client that the target had not answered when this one was sent. */
  outstanding: count,
  error: sampleError,
}).meta({
  title: "Evenbench load sample",
  description: "One request under load: a line of samples.ndjson beside load.json. Times in milliseconds.",
});
/** One exchange under load: a line of `samples.ndjson`. Times are milliseconds on the client's monotonic clock. */
export type LoadSample = z.infer<typeof loadSampleSchema>;

const arrivals = z.enum(["poisson", "uniform"]);
/** poisson: independent arrivals, exponential gaps. uniform: equal gaps. */
export type Arrivals = z.infer<typeof arrivals>;

const closedLoad = strict({ kind: z.literal("closed"), connections: count });
/** Closed loop: each connection sends its next request when the answer to the last one is complete. */
export type ClosedLoad = z.infer<typeof closedLoad>;

const openLoad = strict({
  kind: z.literal("open"),
  perSecond: z.number().positive(),
  arrivals,
  /** What is due while all of them are taken waits, and its wait counts. */
  connections: count,
});
/** Open loop: requests are due at times of their own, whether or not earlier ones have been answered. */
export type OpenLoad = z.infer<typeof openLoad>;

const load = z.discriminatedUnion("kind", [closedLoad, openLoad]);
export type OfferedLoad = z.infer<typeof load>;

const target = strict({
  name: z.string(),
  target: runTarget,
  /** Hosts side by side; the client's connections are spread over them in turn. */
  instances: count,
  workers: count,
  parameters: z.record(z.string(), z.union([z.string(), z.number()])).readonly(),
});
/** What a load is put on: a target, as so many instances. */
export type LoadTarget = z.infer<typeof target>;

const stage = strict({
  caseId: z.string(),
  target: z.string(),
  trial: count,
  load,
  /** Start of the measured window, from the start of the run, and its length. */
  startedAtMs: milliseconds,
  windowMs: milliseconds,
  /** In the whole stage: requests that were sent, ... */
  sent: count,
  /** ... that found all connections taken and waited for one (open loop), ... */
  queued: count,
  /** ... that a free connection sent more than 2 ms late, which is the client's fault, ... */
  late: count,
  dropped: count,
  /** Answers that were complete within the window. */
  completed: count,
  /** Mean number of requests under way in the window, from the client's own count over time. */
  meanInFlight: z.number().nonnegative(),
  usage: strict(processUse).nullable(),
  /** With an engine of another program: that program, where the system reports it; and no event loop. */
  client: strict({
    ...clientUse,
    cpuMs: clientUse.cpuMs.nullable(),
    eventLoopDelayP99Ms: clientUse.eventLoopDelayP99Ms.nullable(),
  }),
  ended: z.string().nullable(),
});
/** One load on one target for some time. */
export type LoadStage = z.infer<typeof stage>;

const condition = strict({
  quantile: z.number(),
  limitMs: milliseconds,
});
export type LatencyCondition = z.infer<typeof condition>;

export const loadPlan = strict({
  cases: z.array(caseManifest).max(MOST_CASES).readonly(),
  targets: z.array(target).max(MOST_TARGETS).readonly(),
  /** Every load is put on every target; for a capacity they are found on the way, and there are none here. */
  loads: z.array(load).readonly(),
  condition: condition.nullable(),
  trials: count,
  /** Length of a stage, warm-up included; at a concurrency above 8, or at a low rate in a search, stages are longer. */
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
  /** What its log lacks; null where nothing is missing. */
  lacks: z.string().nullable(),
});
export type LoadClient = z.infer<typeof client>;

export const loadRunSchema = strict({
  schemaVersion: z.literal(LOAD_SCHEMA_VERSION),
  id: z.string(),
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime().nullable(),
  status: z.enum(["running", "complete", "interrupted", "failed"]),
  evenbenchVersion: z.string(),
  plan: loadPlan,
  machine: machine.nullable(),
  /** Machines that sent together, where it was not the one that wrote this; not there in other runs. */
  clients: z.array(client).readonly().exactOptional(),
  identities: z.record(z.string(), identity).readonly(),
  stages: z.array(stage).readonly(),
  events: z.array(event).readonly(),
}).meta({
  title: "Evenbench load run",
  description: "load.json: plan, stages and machine of one load run.",
});
export type LoadRun = z.infer<typeof loadRunSchema>;
