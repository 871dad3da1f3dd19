// Contracts that records hold, too. Only their types reach what is deployed: it has no zod.
import { z } from "zod";
import { openRecord } from "./basics.ts";

export const count = z.int().nonnegative();
/** Thirty years: no run has a longer time, and what is computed from times within stays a number. */
const MOST_MS = 1e12;
export const milliseconds = z.number().nonnegative().max(MOST_MS);
/** What passes between a request and a byte of its answer; no clock here tells a nanosecond apart. */
export const passed = z.number().min(1e-6).max(MOST_MS);
export const texts = z.array(z.string()).readonly();
export const interval = strict({ estimate: z.number(), low: z.number(), high: z.number() });

/** Its keys come from outside. */
export function record<Value extends z.ZodType>(
  value: Value,
): z.ZodReadonly<z.ZodRecord<z.ZodString, Value>> {
  const entries = z.record(z.string(), value);
  return entries.overwrite((read) => openRecord(Object.entries(read)) as typeof read).readonly();
}

/** An object with these fields and no others, which nobody changes. */
export function strict<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
): z.ZodReadonly<z.ZodObject<Shape, z.core.$strict>> {
  return z.strictObject(shape).readonly();
}

const integerParameter = strict({
  type: z.literal("integer"),
  default: z.int(),
  minimum: z.int(),
  maximum: z.int(),
  description: z.string(),
});
const choiceParameter = strict({
  type: z.literal("choice"),
  default: z.string(),
  choices: texts,
  description: z.string(),
});
const parameter = z.discriminatedUnion("type", [integerParameter, choiceParameter]);
export type IntegerParameter = z.infer<typeof integerParameter>;
export type Parameter = z.infer<typeof parameter>;

const mask = strict({
  name: z.string(),
  /** Source of a regular expression, applied with the flags "g" and "s". */
  pattern: z.string(),
  replacement: z.string(),
});
export type Mask = z.infer<typeof mask>;

export const bodyRules = {
  masks: z.array(mask).readonly(),
  /** What differs although the page is the same; null where masked bodies are equal. */
  variation: strict({
    reason: z.string(),
    normalForm: z.enum(["react-stream"]),
    /** By how much a body's length may differ from the verified one's, as a fraction of that. */
    lengthWithin: z.number().nonnegative(),
  }).nullable(),
};

export const golden = strict({
  status: z.int(),
  /** Without parameters; null where there is no body. */
  contentType: z.string().nullable(),
  bytes: count,
  sha256: z.string(),
});
export type Golden = z.infer<typeof golden>;

const request = strict({
  method: z.string(),
  /** "name: value"; "name: <value>" where the value may be a secret. */
  headers: texts,
  body: strict({ file: z.string(), bytes: count, sha256: z.string() }).nullable(),
});
export type RequestRecord = z.infer<typeof request>;

const page = strict({
  /** Whether its body comes in parts, as they are rendered; null for a page that is too small to tell. */
  streams: z.boolean().nullable(),
});
/** A page that a framework renders anew for each request, and that says so by `renderMarker`. */
export type PageTraits = z.infer<typeof page>;

export const caseManifest = strict({
  /** Names the case in a run: no two apps have one id. */
  id: z.string(),
  path: z.string(),
  title: z.string(),
  kind: z.string().nullable(),
  description: z.string(),
  parameters: record(parameter),
  golden: golden.nullable(),
  masks: bodyRules.masks,
  headline: z.enum(["firstByteMs", "lastByteMs"]),
  notSameCode: z.string().nullable(),
  services: texts,
  variation: bodyRules.variation,
  page: page.nullable(),
  /** "packages/cases/trig/case.ts#L19"; without it people find it by `sourceOfCase`. */
  source: z.string().exactOptional(),
  warmAfter: record(count).exactOptional(),
  rounds: count.exactOptional(),
  scatter: z.number().positive().max(1).exactOptional(),
  /** How a target that knows nothing of Evenbench is asked; only its cases have this. */
  request: request.exactOptional(),
});
export type CaseManifest = z.infer<typeof caseManifest>;
export type BodyRules = Pick<CaseManifest, keyof typeof bodyRules>;

export const identity = strict({
  schemaVersion: z.literal(1),
  app: z.string(),
  platform: z.string(),
  instance: strict({
    id: z.string(),
    /** Measured requests served before this one (identity requests do not count). */
    served: count,
  }),
  /** Must be equal on all targets of a comparison: NODE_ENV, artifact digest, React version and build ... */
  pins: record(z.string()),
  /** May differ, and is reported: runtime and version, V8, region, limits. null: not known. */
  facts: record(z.string().nullable()),
});
export type Identity = z.infer<typeof identity>;

const cpuPrice = strict({
  title: z.string(),
  usdPerCpuHour: z.number().nonnegative(),
  stated: z.string(),
  readOn: z.iso.date(),
  source: z.url(),
});
export type CpuPrice = z.infer<typeof cpuPrice>;

export const platformRecord = strict({
  shortTitle: z.string(),
  /** In sentences: "Cloudflare's workerd" on this machine, "Cloudflare Workers" where it is deployed. */
  spoken: z.string(),
  colour: count.max(7).nullable(),
  /** Whether somebody hosts it: then a local run is not the platform. */
  isHosted: z.boolean(),
  cpuAccountant: z.string().nullable(),
  cpuPrice: cpuPrice.nullable(),
});
/** What a run's record says of a target's platform: a report reads nothing else. */
export type PlatformRecord = z.infer<typeof platformRecord>;

const deployableSize = strict({
  bytes: count,
  gzipBytes: count,
  limit: strict({
    bytes: z.int().positive(),
    counts: z.enum(["bytes", "gzipBytes"]),
    says: z.string(),
  }).nullable(),
});
export type DeployableSize = z.infer<typeof deployableSize>;

export const buildRecord = strict({ ms: milliseconds, size: deployableSize });
/** From the build that made it, also when a cache brought it back. */
export type BuildRecord = z.infer<typeof buildRecord>;

export const account = { requestId: z.string(), cpuMs: milliseconds, wallMs: milliseconds.nullable() };
export type ProviderAccount = Readonly<z.infer<z.ZodObject<typeof account>>>;
