import { count, identity, milliseconds, strict } from "@evenbench/core/schema";
import { z } from "zod";
import { event, machine, recordHead } from "./run.ts";

const share = z.number().min(0).max(1);

const ownerKind = z.enum([
  "case",
  "package",
  "adapter",
  "harness",
  "runtime",
  "collector",
  "program",
  "idle",
  "unattributed",
]);
export type OwnerKind = z.infer<typeof ownerKind>;

const ownerFields = {
  kind: ownerKind,
  name: z.string(),
};
const owner = strict(ownerFields);
/** Whose code a function is: a row of the table. */
export type Owner = z.infer<typeof owner>;

const selfTimeRow = strict({
  ...ownerFields,
  samples: count,
  /** Of the samples that were not idle; null for the row of the idle ones. */
  share: share.nullable(),
});

const functionRow = strict({
  functionName: z.string(),
  owner: z.string(),
  /** File of the deployable, line and column (from 1); "" for V8's own. */
  place: z.string(),
  samples: count,
  share,
});
export type FunctionRow = z.infer<typeof functionRow>;

const selfTimeFields = {
  samples: count,
  busySamples: count,
  /** Largest first, idle last. Their samples add up to `samples`. */
  rows: z.array(selfTimeRow).readonly(),
  functions: z.array(functionRow).readonly(),
  collectorShare: share,
  unattributedShare: share,
};
const selfTime = strict(selfTimeFields);
export type SelfTime = z.infer<typeof selfTime>;

const loadFields = {
  exchanges: count,
  elapsedMs: milliseconds,
};
const load = strict(loadFields);
/** One connection, the next request when the last one's body has ended. */
export type ProfileLoad = z.infer<typeof load>;

const warmup = strict({
  ...loadFields,
  /** Else the warm-up ended with its time. */
  steady: z.boolean(),
  /** null where the time was too short to find out. */
  needed: count.nullable(),
});
export type ProfileWarmUp = z.infer<typeof warmup>;

const target = strict({
  target: z.string(),
  caseId: z.string(),
  identity,
  /** Aimed at between two samples, in microseconds. */
  intervalUs: count,
  sampledMs: milliseconds,
  /** Of the process in that time, all threads. */
  cpuMs: milliseconds.nullable(),
  warmup,
  load,
  ...selfTimeFields,
  /** The `.cpuprofile` file in the same folder. */
  file: z.string(),
});
/** Where the time of one target goes under the load of one case. */
export type TargetRecord = z.infer<typeof target>;

export const profileSchema = strict({
  schemaVersion: z.literal(1),
  ...recordHead,
  machine,
  caseId: z.string(),
  collectorCounted: z.string(),
  targets: z.array(target).readonly(),
  events: z.array(event).readonly(),
}).meta({
  title: "Evenbench profile",
  description: "profile.json: where the time of several targets goes under the load of one case.",
});
export type ProfileRecord = z.infer<typeof profileSchema>;
