import {
  type CaseManifest,
  type Identity,
  RUN_SCHEMA_VERSION,
  type Run,
  type RunSummary,
  type Sample,
} from "@evenbench/core";
import { z } from "zod";

export const count = z.int().nonnegative();
export const milliseconds = z.number().nonnegative();
const texts = z.record(z.string(), z.string()).readonly();

export const sampleError = z
  .strictObject({
    kind: z.enum(["connection", "timeout", "status", "length", "digest", "encoding"]),
    detail: z.string(),
  })
  .nullable();

/** What every sample has of its exchange, whatever it was sent for. */
export const exchange = {
  startedAtMs: milliseconds,
  connectMs: milliseconds.nullable(),
  firstByteMs: milliseconds.nullable(),
  lastByteMs: milliseconds.nullable(),
  status: z.int().nullable(),
  bodyBytes: count.nullable(),
  instanceId: z.string().nullable(),
  served: count.nullable(),
  inFlight: count.nullable(),
};

/** One line of `samples.ndjson`. */
export const sampleSchema: z.ZodType<Sample> = z
  .strictObject({
    caseId: z.string(),
    target: z.string(),
    generation: count,
    phase: z.enum(["warmup", "measure", "floor", "cold"]),
    roundIndex: count,
    position: count,
    ...exchange,
    error: sampleError,
  })
  .meta({
    title: "Evenbench sample",
    description: "One exchange: a line of samples.ndjson. Times in milliseconds.",
  });

const parameter = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("integer"),
    default: z.int(),
    minimum: z.int(),
    maximum: z.int(),
    description: z.string(),
  }),
  z.strictObject({
    type: z.literal("choice"),
    default: z.string(),
    choices: z.array(z.string()).readonly(),
    description: z.string(),
  }),
]);

export const caseManifest: z.ZodType<CaseManifest> = z.strictObject({
  id: z.string(),
  path: z.string(),
  title: z.string(),
  description: z.string(),
  parameters: z.record(z.string(), parameter),
  golden: z
    .strictObject({
      status: z.int(),
      contentType: z.string().nullable(),
      bytes: count,
      sha256: z.string(),
    })
    .nullable(),
  masks: z
    .array(z.strictObject({ name: z.string(), pattern: z.string(), replacement: z.string() }))
    .readonly(),
  headline: z.enum(["firstByteMs", "lastByteMs"]),
  notSameCode: z.string().nullable(),
  // Runs from before there were services have none.
  services: z.array(z.string()).readonly().default([]),
  variation: z
    .strictObject({
      reason: z.string(),
      normalForm: z.enum(["react-stream"]),
      lengthWithin: z.number().nonnegative(),
    })
    .nullable(),
  page: z.strictObject({ streams: z.boolean().nullable() }).nullable(),
});

export const runTarget = z.strictObject({
  name: z.string(),
  app: z.string(),
  platform: z.string().nullable(),
  place: z.enum(["local", "url"]),
  url: z.string().nullable(),
  twinOf: z.string().nullable(),
});

const plan = z.strictObject({
  cases: z.array(caseManifest).readonly(),
  targets: z.array(runTarget).readonly(),
  seed: count,
  caseBudgetMs: z.record(z.string(), milliseconds).readonly(),
  generations: z.strictObject({ minimum: count, maximum: count }),
  roundsPerGeneration: count.nullable(),
  precision: z.number().nonnegative(),
  coldStarts: count,
  digestEvery: count,
  allowedPins: z.array(z.string()).readonly(),
});

export const machine = z.strictObject({
  system: z.string(),
  cpuModel: z.string(),
  cores: count,
  memoryBytes: count,
  clientNode: z.string(),
  coresApart: z.strictObject({ client: z.string(), servers: z.string() }).nullable(),
  // Runs from before it was noted have none.
  cpuAccount: z.strictObject({ source: z.string(), resolutionMs: milliseconds }).nullable().default(null),
});

export const identity: z.ZodType<Identity> = z.strictObject({
  schemaVersion: z.literal(1),
  app: z.string(),
  platform: z.string(),
  instance: z.strictObject({ id: z.string(), served: count }),
  pins: texts,
  facts: z.record(z.string(), z.string().nullable()).readonly(),
});

const buildRecord = z.strictObject({
  steps: z
    .array(z.strictObject({ name: z.string(), ms: milliseconds, peakResidentBytes: count.nullable() }))
    .readonly(),
  size: z.strictObject({
    bytes: count,
    gzipBytes: count,
    limit: z
      .strictObject({ bytes: count, counts: z.enum(["bytes", "gzipBytes"]), says: z.string() })
      .nullable(),
  }),
});

export const processUse = {
  cpuMs: milliseconds,
  userMs: milliseconds.nullable(),
  systemMs: milliseconds.nullable(),
  residentBytes: count,
  peakResidentBytes: count.nullable(),
};

const usage = z.strictObject({
  caseId: z.string(),
  target: z.string(),
  generation: count,
  exchanges: count,
  ...processUse,
});

export const clientUse = { wallMs: milliseconds, cpuMs: milliseconds, eventLoopDelayP99Ms: milliseconds };

const clientLoad = z.strictObject({ caseId: z.string(), generation: count, ...clientUse });

const timeline = z.strictObject({
  caseId: z.string(),
  target: z.string(),
  generation: count,
  arrivals: z.array(z.tuple([milliseconds, count]).readonly()).readonly(),
});

const coldStart = z.strictObject({
  caseId: z.string(),
  target: z.string(),
  repetition: count,
  readyMs: milliseconds,
});

export const event = z.strictObject({
  atMs: milliseconds,
  kind: z.enum([
    "build-failed",
    "body-varies",
    "golden-unconfirmed",
    "host-restarted",
    "target-dropped",
    "case-failed",
    "error-budget",
    "warmup-unstable",
    "pin-allowed",
    "other-run-active",
    "provider-cpu",
    "interrupted",
  ]),
  caseId: z.string().nullable(),
  target: z.string().nullable(),
  generation: count.nullable(),
  detail: z.string(),
});

/** `run.json`. */
export const runSchema: z.ZodType<Run> = z
  .strictObject({
    schemaVersion: z.literal(RUN_SCHEMA_VERSION),
    id: z.string(),
    startedAt: z.iso.datetime(),
    finishedAt: z.iso.datetime().nullable(),
    status: z.enum(["running", "complete", "interrupted", "failed"]),
    evenbenchVersion: z.string(),
    plan,
    machine,
    identities: z.record(z.string(), identity).readonly(),
    deployables: z.record(z.string(), buildRecord.nullable()).readonly(),
    usage: z.array(usage).readonly(),
    clientLoad: z.array(clientLoad).readonly(),
    timelines: z.array(timeline).readonly(),
    coldStarts: z.array(coldStart).readonly(),
    events: z.array(event).readonly(),
  })
  .meta({ title: "Evenbench run", description: "run.json: plan, pins, versions and machine of one run." });

const summaryRatio = z.strictObject({ estimate: z.number(), low: z.number(), high: z.number() }).nullable();

/** `summary.json`. */
export const summarySchema: z.ZodType<RunSummary> = z
  .strictObject({
    schemaVersion: z.literal(1),
    runId: z.string(),
    startedAt: z.iso.datetime(),
    rows: z
      .array(
        z.strictObject({
          caseId: z.string(),
          target: z.string(),
          baseline: z.string(),
          metric: z.enum(["firstByteMs", "lastByteMs"]),
          headline: z.boolean(),
          exchanges: count,
          errors: count,
          medianMs: milliseconds.nullable(),
          medianLowMs: milliseconds.nullable(),
          medianHighMs: milliseconds.nullable(),
          meanMs: milliseconds.nullable(),
          p95Ms: milliseconds.nullable(),
          minimumMs: milliseconds.nullable(),
          maximumMs: milliseconds.nullable(),
          ratio: summaryRatio,
          verdict: z.string().nullable(),
          workMs: z.number().nullable(),
          workRatio: summaryRatio,
          noiseFloor: z.number().nullable(),
          cpuMsPerExchange: milliseconds.nullable(),
          cpuRatio: summaryRatio,
          residentBytes: count.nullable(),
          providerCpu: z
            .strictObject({
              accountant: z.string(),
              msPerRequest: milliseconds,
              lowMs: z.number().nullable(),
              highMs: milliseconds.nullable(),
              exchanges: count,
              joined: count,
            })
            .nullable(),
        }),
      )
      .readonly(),
  })
  .meta({
    title: "Evenbench summary",
    description: "summary.json: what the report says of each target in each case.",
  });
