// What records hold of the contracts of core: there they are types, since what is deployed has no zod.
import type { BuildRecord, CaseManifest, Identity, PlatformRecord } from "@evenbench/core";
import { z } from "zod";
import { count, milliseconds, strict, texts } from "./strict.ts";

export const platformRecord: z.ZodType<PlatformRecord> = strict({
  shortTitle: z.string(),
  spoken: z.string(),
  colour: count.max(7).nullable(),
  isHosted: z.boolean(),
  cpuAccountant: z.string().nullable(),
  cpuPrice: strict({
    title: z.string(),
    usdPerCpuHour: z.number().nonnegative(),
    stated: z.string(),
    readOn: z.iso.date(),
    source: z.url(),
  }).nullable(),
});

const parameter = z.discriminatedUnion("type", [
  strict({
    type: z.literal("integer"),
    default: z.int(),
    minimum: z.int(),
    maximum: z.int(),
    description: z.string(),
  }),
  strict({
    type: z.literal("choice"),
    default: z.string(),
    choices: texts,
    description: z.string(),
  }),
]);

export const bodyRules = {
  masks: z.array(strict({ name: z.string(), pattern: z.string(), replacement: z.string() })).readonly(),
  variation: strict({
    reason: z.string(),
    normalForm: z.enum(["react-stream"]),
    lengthWithin: z.number().nonnegative(),
  }).nullable(),
};

export const caseManifest: z.ZodType<CaseManifest> = strict({
  id: z.string(),
  path: z.string(),
  title: z.string(),
  kind: z.string().nullable(),
  description: z.string(),
  parameters: z.record(z.string(), parameter).readonly(),
  golden: strict({
    status: z.int(),
    contentType: z.string().nullable(),
    bytes: count,
    sha256: z.string(),
  }).nullable(),
  masks: bodyRules.masks,
  headline: z.enum(["firstByteMs", "lastByteMs"]),
  notSameCode: z.string().nullable(),
  services: texts,
  variation: bodyRules.variation,
  page: strict({ streams: z.boolean().nullable() }).nullable(),
  source: z.string().exactOptional(),
  warmAfter: z.record(z.string(), count).readonly().exactOptional(),
  request: strict({
    method: z.string(),
    headers: texts,
    body: strict({ file: z.string(), bytes: count, sha256: z.string() }).nullable(),
  }).exactOptional(),
});

export const identity: z.ZodType<Identity> = strict({
  schemaVersion: z.literal(1),
  app: z.string(),
  platform: z.string(),
  instance: strict({ id: z.string(), served: count }),
  pins: z.record(z.string(), z.string()).readonly(),
  facts: z.record(z.string(), z.string().nullable()).readonly(),
});

export const buildRecord: z.ZodType<BuildRecord> = strict({
  steps: z
    .array(strict({ name: z.string(), ms: milliseconds, peakResidentBytes: count.nullable() }))
    .readonly(),
  size: strict({
    bytes: count,
    gzipBytes: count,
    limit: strict({
      bytes: z.int().positive(),
      counts: z.enum(["bytes", "gzipBytes"]),
      says: z.string(),
    }).nullable(),
  }),
});
