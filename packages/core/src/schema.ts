// Schemas of what records hold and what `/identity` answers. What is deployed has only their types: it has no zod.
import * as z from "zod";
import { openRecord } from "./records.ts";

/** Schema of a whole number from 0 on. */
export const count = z.int().nonnegative();
/** Schema of a number of trials, rounds or processes: up to a million, since nobody could carry out more. */
export const repeats = count.max(1_000_000);
/** The longest time in milliseconds, thirty years: what is computed from times up to it stays a finite number. */
const MAX_MS = 1e12;
/** Schema of a duration in milliseconds, from 0 on. */
export const milliseconds = z.number().nonnegative().max(MAX_MS);
/** Schema of a duration that has a logarithm, in milliseconds: at least a nanosecond, which no clock here tells apart. */
export const elapsedMs = z.number().min(1e-6).max(MAX_MS);
/** The largest difference, size or cost: what is computed from amounts up to it stays a finite number. */
const MAX_AMOUNT = 1e15;
/** Schema of a difference, a size or a cost, in whatever unit. */
export const amount = z.number().min(-MAX_AMOUNT).max(MAX_AMOUNT);
/** The length of the longest text: that of the longest word of a command line of Linux (MAX_ARG_STRLEN). */
const MAX_TEXT_LENGTH = 131_072;
/** Schema of a text of any content. */
export const text = z.string().max(MAX_TEXT_LENGTH);
/** The longest list of what a run measures: a hundred targets, each measured a hundred times in a hundred cases. */
const MAX_MEASURED_ENTRIES = 1_000_000;
/** The longest list of what people write down, and of what is named. */
const MAX_NAMES = 10_000;
/** Schema of a list of texts. */
export const texts = z.array(text).max(MAX_NAMES).readonly();
/** Schema of a time in UTC (ISO 8601). */
export const moment = z.iso.datetime().max(40);
/** Schema of an estimate between the two ends of its interval. */
export const interval = strict({ estimate: amount, low: amount, high: amount });

/** Makes the schema of a list that nobody changes. @param most its largest length. */
export function list<Item extends z.ZodType>(
  item: Item,
  most: number = MAX_MEASURED_ENTRIES,
): z.ZodReadonly<z.ZodArray<Item>> {
  return z.array(item).max(most).readonly();
}

/** Makes the schema of a record whose keys others chose, as {@link openRecord} keeps it. */
export function record<Value extends z.ZodType>(
  value: Value,
): z.ZodReadonly<z.ZodRecord<z.ZodString, Value>> {
  const entries = z
    .record(text, value)
    .refine((read) => Object.keys(read).length <= MAX_NAMES, `More than ${MAX_NAMES} names`);
  return entries.overwrite((read) => openRecord(Object.entries(read)) as typeof read).readonly();
}

/** Makes the schema of an object with these fields and no others, which nobody changes. */
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
/** A parameter of a case that is a whole number between two bounds. */
export type IntegerParameter = z.infer<typeof integerParameter>;
/** A parameter of a case, which its query may set. */
export type Parameter = z.infer<typeof parameter>;

const mask = strict({
  name: text,
  /** Source of a regular expression, applied with the flags "g" and "s". */
  pattern: text,
  replacement: text,
});
/** A pattern for text that may differ between responses, with a name for messages. */
export type Mask = z.infer<typeof mask>;

/** Schema of how a body is compared. */
export const bodyRules = {
  /** Patterns for text that may differ. */
  masks: list(mask, MAX_NAMES),
  /** How bodies of one page may differ beyond what masks hide; null where masked bodies are equal. */
  variation: strict({
    reason: text,
    normalForm: z.enum(["react-stream", "react-document"]),
    /** The fraction of the verified body's length by which another body's length may differ from it. */
    lengthWithin: z.number().nonnegative().max(MAX_AMOUNT),
  }).nullable(),
};

/** Schema of the response that all targets must give. */
export const golden = strict({
  status: z.int().min(0).max(999),
  /** The content type without its parameters; null where there is no body. */
  contentType: text.nullable(),
  /** Length of the body. */
  bytes: count,
  /** Digest of the masked body, in hexadecimal digits. */
  sha256: text,
});
/** The response that all targets must give. */
export type Golden = z.infer<typeof golden>;

const request = strict({
  method: text,
  /** "name: value"; "name: <value>" where the value may be a secret. */
  headers: texts,
  /** null: the request has no body. */
  body: strict({ file: text, bytes: count, sha256: text }).nullable(),
});
/** How a target that knows nothing of Evenbench is asked, as records show it. */
export type RequestRecord = z.infer<typeof request>;

/** The longest body of a request in bytes: Vercel's functions take 4.5 MB ("Request body size" of its limits). */
const MAX_SENT_BYTES = 4_500_000;

/** Schema of a case's own request, where it is no GET without a body. */
export const sentRequest = strict({
  method: z.enum(["POST", "PUT", "PATCH"]),
  contentType: text,
  /** The text that the body repeats: printable ASCII characters and line feeds, so that each is a byte. */
  repeated: z
    .string()
    .regex(/^[\n -~]+$/)
    .max(MAX_TEXT_LENGTH),
  /** Length of the body, at which the last repetition is cut off. */
  bytes: count.max(MAX_SENT_BYTES),
});
/** A case's own request, where it is no GET without a body. */
export type SentRequest = z.infer<typeof sentRequest>;

const page = strict({
  /** True where the page's body comes in parts, as they are rendered; null: too small to find out. */
  streams: z.boolean().nullable(),
});
/** A page that a framework renders anew for each request, and that says so by `renderMarker`. */
export type PageTraits = z.infer<typeof page>;

/** Schema of a case's description, without its functions. */
export const caseManifest = strict({
  /** The name of the case in a run: no two apps have one id. */
  id: text,
  /** The path that it is asked at: "/trig". */
  path: text,
  title: text,
  kind: text.nullable(),
  description: text,
  parameters: record(parameter),
  /** null where no values are known: all targets must agree. */
  golden: golden.nullable(),
  masks: bodyRules.masks,
  /** A sentence on why platforms run different code; null where it is the same. */
  notSameCode: text.nullable(),
  services: texts,
  variation: bodyRules.variation,
  /** null for a case that is no page of a framework. */
  page: page.nullable(),
  /** Place of the case's source: "packages/cases/trig/case.ts#L19". Default: what `sourceOfCase` says. */
  source: text.exactOptional(),
  /** Requests after which an instance is warm, by platform id (see `PlatformDefinition`). Default: it is searched. */
  warmAfter: record(count).exactOptional(),
  /** Measured requests of an instance in one trial (see `CaseDefinition`). */
  rounds: repeats.exactOptional(),
  /** The usual standard deviation between instances, as a fraction (see `CaseDefinition`). */
  scatter: z.number().positive().max(1).exactOptional(),
  /** How it is asked (see `CaseDefinition`). Absent: by a GET without a body. */
  sends: sentRequest.exactOptional(),
  /** How a target that knows nothing of Evenbench is asked; only its cases have this. */
  request: request.exactOptional(),
  /** Why its answers come from a cache, in whole sentences. Default: they are computed. */
  cached: text.exactOptional(),
  /** Who answers then: a cache, a file, or the build, which made the page. Not there where they are computed. */
  answeredBy: z.enum(["cache", "file", "build"]).exactOptional(),
  /** There for a page of which a cache has the beginning alone, and the rest is computed for each request. */
  partlyCached: z.literal(true).exactOptional(),
});
/** A case's description, without its functions. */
export type CaseManifest = z.infer<typeof caseManifest>;
/** How a body is compared. */
export type BodyRules = Pick<CaseManifest, keyof typeof bodyRules>;

/** Schema of a target's account of itself: its answer at `/identity`. */
export const identity = strict({
  schemaVersion: z.literal(1),
  app: text,
  platform: text,
  instance: strict({
    id: text,
    /** Measured requests served before this one (identity requests do not count). */
    served: count,
  }),
  /** Settings that must be equal on all targets: NODE_ENV, artifact digest, React's version and build. */
  pins: record(text),
  /** Properties that may differ, and are reported: runtime, V8, region, limits. null: not known. */
  facts: record(text.nullable()),
});
/** A target's account of itself: its answer at `/identity`. */
export type Identity = z.infer<typeof identity>;

/** Schema of where a price or a limit was found. */
const priceSource = {
  /** The platform's own words. */
  stated: text,
  /** The day on which somebody read them. */
  readOn: z.iso.date(),
  /** The page that states it. */
  source: z.url().max(MAX_TEXT_LENGTH),
};

const cpuPrice = strict({
  /** The plan and place that it holds for. */
  title: text,
  /** US dollars for an hour of CPU time. */
  usdPerCpuHour: z.number().nonnegative().max(MAX_AMOUNT),
  ...priceSource,
});
/** A platform's price of CPU time. */
export type CpuPrice = z.infer<typeof cpuPrice>;

const requestPrice = strict({
  /** The plan that it holds for, and what is counted. */
  title: text,
  /** US dollars for a million requests that reach the code, beyond those that the plan includes. */
  usdPerMillion: z.number().nonnegative().max(MAX_AMOUNT),
  ...priceSource,
});
/** A platform's price of requests, whatever they compute. */
export type RequestPrice = z.infer<typeof requestPrice>;

/** Schema of a limit that a platform has. */
const platformLimit = strict({
  /** What is limited. "heapBytes": what an isolate holds, its buffers among it. */
  metric: z.enum(["startupCpuMs", "heapBytes"]),
  value: z.number().positive().max(MAX_AMOUNT),
  ...priceSource,
});
/** A limit that a platform has. */
export type PlatformLimit = z.infer<typeof platformLimit>;

/** Schema of the part of a run's record that describes a target's platform. */
export const platformRecord = strict({
  /** The platform's name in heads of tables: "Worker". */
  shortTitle: text,
  /** The platform's name in sentences: "Cloudflare's workerd" here, "Cloudflare Workers" where it is deployed. */
  spoken: text,
  /** Number of its colour; null: one that is left. */
  colour: count.max(7).nullable(),
  /** True where somebody hosts the platform: then a local run is not the platform. */
  isHosted: z.boolean(),
  /** Who accounts for single requests' CPU time where it is deployed; null: nobody. */
  cpuAccountant: text.nullable(),
  /** null: it has no price. */
  cpuPrice: cpuPrice.nullable(),
  /** Not there: it has no price. */
  requestPrice: requestPrice.exactOptional(),
  /** Not there: it names none. */
  limits: list(platformLimit).exactOptional(),
});
/** The part of a run's record that describes a target's platform. A report reads nothing else of it. */
export type PlatformRecord = z.infer<typeof platformRecord>;

/** Schema of the size of a deployable. */
export const deployableSize = strict({
  bytes: count,
  /** The sum of the sizes of its files, each compressed by gzip. */
  gzipBytes: count,
  /** How much the platform takes; null: it names no limit. */
  limit: strict({
    bytes: z.int().positive(),
    /** Which of the two sizes the limit is for. */
    counts: z.enum(["bytes", "gzipBytes"]),
    /** The limit in words. */
    says: text,
  }).nullable(),
});
/** The size of a deployable, as its platform counts it. */
export type DeployableSize = z.infer<typeof deployableSize>;

/** Schema of the record of a build beside its deployable: how long it took, and the size of what it made. */
export const buildRecord = strict({ ms: milliseconds, size: deployableSize });
/** The record of the build that made a deployable, also when a cache brought it back. */
export type BuildRecord = z.infer<typeof buildRecord>;

/** Schema of a platform's account of one request: CPU time, and the time that passed, where it says that. */
export const account = { requestId: text, cpuMs: milliseconds, wallMs: milliseconds.nullable() };
/** A platform's account of one request. */
export type ProviderAccount = Readonly<z.infer<z.ZodObject<typeof account>>>;

/** A part of a file that does not count. */
export interface NotApplied {
  /** The part, such as "rewrites" or "bun.lock". */
  readonly what: string;
  /** The reason, in words that go behind it: "this host has none". */
  readonly why: string;
}

/** A file of an app's folder that was read. Of each part that is known, it says whether it counts. */
export interface OwnAppRead {
  /** Its path from the app's folder on, such as "vercel.json". */
  readonly file: string;
  /** The parts that count, such as "compatibility_date". */
  readonly applied: readonly string[];
  /** The parts that do not. */
  readonly notApplied: readonly NotApplied[];
}
