// Contracts that records hold, too. Only their types reach what is deployed: it has no zod.
import { z } from "zod";
import { openRecord } from "./basics.ts";

export const count = z.int().nonnegative();
/** More of anything that is done again and again (trials, rounds, processes) is no plan that anybody can carry out. */
export const repeats = count.max(1_000_000);
/** Thirty years: no run has a longer time, and what is computed from times within stays a number. */
const MOST_MS = 1e12;
export const milliseconds = z.number().nonnegative().max(MOST_MS);
/** What passes between a request and a byte of its answer; no clock here tells a nanosecond apart. */
export const elapsedMs = z.number().min(1e-6).max(MOST_MS);
/** Differences, sizes and costs: what is computed from numbers within stays a number. */
const MOST_AMOUNT = 1e15;
export const amount = z.number().min(-MOST_AMOUNT).max(MOST_AMOUNT);
/** The longest word that a command line of Linux can have: paths, commands and what names them are words of one. */
const MOST_LETTERS = 131_072;
export const text = z.string().max(MOST_LETTERS);
/** A hundred targets, each measured a hundred times in a hundred cases. */
const MOST_ENTRIES = 1_000_000;
/** Of what people write down, and of what is named. */
const MOST_TEXTS = 10_000;
export const texts = z.array(text).max(MOST_TEXTS).readonly();
/** In UTC, with as many digits as any clock has. */
export const moment = z.iso.datetime().max(40);
export const interval = strict({ estimate: amount, low: amount, high: amount });

/** @returns a list that nobody changes. */
export function list<Item extends z.ZodType>(
  item: Item,
  most = MOST_ENTRIES,
): z.ZodReadonly<z.ZodArray<Item>> {
  return z.array(item).max(most).readonly();
}

/** Its keys come from outside. */
export function record<Value extends z.ZodType>(
  value: Value,
): z.ZodReadonly<z.ZodRecord<z.ZodString, Value>> {
  const entries = z
    .record(text, value)
    .refine((read) => Object.keys(read).length <= MOST_TEXTS, `More than ${MOST_TEXTS} names`);
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
  description: text,
});
const choiceParameter = strict({
  type: z.literal("choice"),
  default: text,
  choices: texts,
  description: text,
});
const parameter = z.discriminatedUnion("type", [integerParameter, choiceParameter]);
export type IntegerParameter = z.infer<typeof integerParameter>;
export type Parameter = z.infer<typeof parameter>;

const mask = strict({
  name: text,
  /** Source of a regular expression, applied with the flags "g" and "s". */
  pattern: text,
  replacement: text,
});
export type Mask = z.infer<typeof mask>;

export const bodyRules = {
  masks: list(mask, MOST_TEXTS),
  /** What differs although the page is the same; null where masked bodies are equal. */
  variation: strict({
    reason: text,
    normalForm: z.enum(["react-stream"]),
    /** By how much a body's length may differ from the verified one's, as a fraction of that. */
    lengthWithin: z.number().nonnegative().max(MOST_AMOUNT),
  }).nullable(),
};

export const golden = strict({
  status: z.int().min(0).max(999),
  /** Without parameters; null where there is no body. */
  contentType: text.nullable(),
  bytes: count,
  sha256: text,
});
export type Golden = z.infer<typeof golden>;

const request = strict({
  method: text,
  /** "name: value"; "name: <value>" where the value may be a secret. */
  headers: texts,
  body: strict({ file: text, bytes: count, sha256: text }).nullable(),
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
  id: text,
  path: text,
  title: text,
  kind: text.nullable(),
  description: text,
  parameters: record(parameter),
  golden: golden.nullable(),
  masks: bodyRules.masks,
  headline: z.enum(["firstByteMs", "lastByteMs"]),
  notSameCode: text.nullable(),
  services: texts,
  variation: bodyRules.variation,
  page: page.nullable(),
  /** "packages/cases/trig/case.ts#L19"; without it people find it by `sourceOfCase`. */
  source: text.exactOptional(),
  warmAfter: record(count).exactOptional(),
  rounds: repeats.exactOptional(),
  scatter: z.number().positive().max(1).exactOptional(),
  /** How a target that knows nothing of Evenbench is asked; only its cases have this. */
  request: request.exactOptional(),
});
export type CaseManifest = z.infer<typeof caseManifest>;
export type BodyRules = Pick<CaseManifest, keyof typeof bodyRules>;

export const identity = strict({
  schemaVersion: z.literal(1),
  app: text,
  platform: text,
  instance: strict({
    id: text,
    /** Measured requests served before this one (identity requests do not count). */
    served: count,
  }),
  /** Must be equal on all targets of a comparison: NODE_ENV, artifact digest, React version and build ... */
  pins: record(text),
  /** May differ, and is reported: runtime and version, V8, region, limits. null: not known. */
  facts: record(text.nullable()),
});
export type Identity = z.infer<typeof identity>;

const cpuPrice = strict({
  title: text,
  usdPerCpuHour: z.number().nonnegative().max(MOST_AMOUNT),
  stated: text,
  readOn: z.iso.date(),
  source: z.url().max(MOST_LETTERS),
});
export type CpuPrice = z.infer<typeof cpuPrice>;

export const platformRecord = strict({
  shortTitle: text,
  /** In sentences: "Cloudflare's workerd" on this machine, "Cloudflare Workers" where it is deployed. */
  spoken: text,
  colour: count.max(7).nullable(),
  /** Whether somebody hosts it: then a local run is not the platform. */
  isHosted: z.boolean(),
  cpuAccountant: text.nullable(),
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
    says: text,
  }).nullable(),
});
export type DeployableSize = z.infer<typeof deployableSize>;

export const buildRecord = strict({ ms: milliseconds, size: deployableSize });
/** From the build that made it, also when a cache brought it back. */
export type BuildRecord = z.infer<typeof buildRecord>;

export const account = { requestId: text, cpuMs: milliseconds, wallMs: milliseconds.nullable() };
export type ProviderAccount = Readonly<z.infer<z.ZodObject<typeof account>>>;
