import { count, interval, milliseconds, strict } from "@evenbench/core/schema";
import { z } from "zod";

const metric = z.enum(["firstByteMs", "lastByteMs", "cpuMs"]);
export type Metric = z.infer<typeof metric>;

const ratio = interval.nullable();

const kinds = strict({
  metric,
  lowMs: milliseconds,
  lowCount: count,
  highMs: milliseconds,
  highCount: count,
});

const warmUp = strict({
  warmFromExchange: count.nullable(),
  /** Beyond warm ones: below 0 where these scatter. */
  first10Ms: z.number().nullable(),
  first10CpuMs: z.number().nullable(),
  first100Ms: z.number().nullable(),
  first100CpuMs: z.number().nullable(),
});

const providerCpu = strict({
  accountant: z.string(),
  msPerRequest: milliseconds,
  interval: ratio,
  exchanges: count,
  joined: count,
});

const row = strict({
  caseId: z.string(),
  target: z.string(),
  baseline: z.string(),
  sameWork: z.literal("assumed").exactOptional(),
  /** In rows of "cpuMs" times are CPU time for one exchange. */
  metric,
  headline: z.boolean(),
  /** Why it has no verdict; null where it was warm. */
  notWarm: z.string().nullable(),
  exchanges: count,
  errors: count,
  /** Those that count: in which it was warm, or all where it has no verdict. */
  trials: count,
  medianMs: milliseconds.nullable(),
  medianLowMs: milliseconds.nullable(),
  medianHighMs: milliseconds.nullable(),
  /** Its trials' medians: what other runs are compared by. */
  trialMs: z.array(milliseconds).readonly(),
  meanMs: milliseconds.nullable(),
  p95Ms: milliseconds.nullable(),
  p99Ms: milliseconds.nullable().optional(),
  minimumMs: milliseconds.nullable(),
  maximumMs: milliseconds.nullable(),
  ratio,
  /** Where several vantages measured there is no ratio. null where they are not pooled. */
  differenceMs: interval.nullable().optional(),
  verdict: z.string().nullable(),
  /** Last byte less that of the payload of equal length and parts, whatever the row's metric. */
  computeMs: z.number().nullable(),
  computeRatio: ratio,
  noiseFloor: z.number().nullable(),
  cpuMsPerExchange: milliseconds.nullable(),
  /** Of means over whole trials. */
  cpuRatio: ratio,
  systemMsPerExchange: milliseconds.nullable(),
  minorFaultsPerExchange: z.number().nonnegative().nullable(),
  residentBytes: count.nullable(),
  /** By CPU time, or by the headline where that is not reported; null where no two kinds were seen. */
  instanceKinds: kinds.nullable(),
  exchangeKinds: kinds.nullable(),
  warmUp: warmUp.nullable(),
  providerCpu: providerCpu.nullable(),
});
export type SummaryRow = z.infer<typeof row>;

export const summarySchema = strict({
  schemaVersion: z.literal(2),
  runId: z.string(),
  startedAt: z.iso.datetime(),
  answer: z.string().nullable(),
  place: z.string(),
  notices: z.array(z.string()).readonly(),
  unproven: z.string().exactOptional(),
  damage: z.string().nullable(),
  rows: z.array(row).readonly(),
}).meta({
  title: "Evenbench summary",
  description: "summary.json: what the report says of each target in each case.",
});
export type RunSummary = z.infer<typeof summarySchema>;
