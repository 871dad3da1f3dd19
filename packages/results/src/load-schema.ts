import { LOAD_SCHEMA_VERSION, type LoadRun, type LoadSample } from "@evenbench/core";
import { z } from "zod";
import {
  caseManifest,
  clientUse,
  count,
  event,
  exchange,
  identity,
  machine,
  milliseconds,
  processUse,
  runTarget,
  sampleError,
} from "./schema.ts";

/** One line of `samples.ndjson` in the folder of a load run. */
export const loadSampleSchema: z.ZodType<LoadSample> = z
  .strictObject({
    stage: count,
    phase: z.enum(["warmup", "measure"]),
    lane: count,
    intendedAtMs: milliseconds,
    ...exchange,
    outstanding: count,
    error: sampleError,
  })
  .meta({
    title: "Evenbench load sample",
    description: "One exchange under load: a line of samples.ndjson beside load.json. Times in milliseconds.",
  });

const load = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("closed"), lanes: count }),
  z.strictObject({
    kind: z.literal("open"),
    perSecond: z.number().positive(),
    arrivals: z.enum(["poisson", "uniform"]),
    lanes: count,
  }),
]);

const subject = z.strictObject({
  name: z.string(),
  target: runTarget,
  instances: count,
  workers: count,
  parameters: z.record(z.string(), z.union([z.string(), z.number()])).readonly(),
});

const stage = z.strictObject({
  caseId: z.string(),
  subject: z.string(),
  set: count,
  load,
  startedAtMs: milliseconds,
  windowMs: milliseconds,
  sent: count,
  queued: count,
  late: count,
  dropped: count,
  completed: count,
  meanInFlight: z.number().nonnegative(),
  usage: z.strictObject(processUse).nullable(),
  client: z.strictObject(clientUse),
  ended: z.string().nullable(),
});

/** `load.json`. */
export const loadRunSchema: z.ZodType<LoadRun> = z
  .strictObject({
    schemaVersion: z.literal(LOAD_SCHEMA_VERSION),
    id: z.string(),
    startedAt: z.iso.datetime(),
    finishedAt: z.iso.datetime().nullable(),
    status: z.enum(["running", "complete", "interrupted", "failed"]),
    evenbenchVersion: z.string(),
    plan: z.strictObject({
      cases: z.array(caseManifest).readonly(),
      subjects: z.array(subject).readonly(),
      loads: z.array(load).readonly(),
      condition: z.strictObject({ quantile: z.number(), limitMs: milliseconds }).nullable(),
      sets: count,
      stageMs: milliseconds,
      seed: count,
      allowedPins: z.array(z.string()).readonly(),
    }),
    machine,
    identities: z.record(z.string(), identity).readonly(),
    stages: z.array(stage).readonly(),
    events: z.array(event).readonly(),
  })
  .meta({ title: "Evenbench load run", description: "load.json: plan, stages and machine of one load run." });
