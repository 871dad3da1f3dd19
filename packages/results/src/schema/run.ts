import {
  buildRecord,
  caseManifest,
  count,
  identity,
  milliseconds,
  platformRecord,
  record,
  strict,
  texts,
} from "@evenbench/core/schema";
import { z } from "zod";
import { runVantage } from "./sample.ts";

export const processUse = {
  /** Of all threads; user and system apart where the system's account has them. */
  cpuMs: milliseconds,
  userMs: milliseconds.nullable(),
  systemMs: milliseconds.nullable(),
  /** Pages given by the kernel without a disk; null where the system does not report them. */
  minorFaults: count.nullable(),
  residentBytes: count,
  peakResidentBytes: count.nullable(),
};

export const recordHead = {
  id: z.string(),
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime().nullable(),
  status: z.enum(["running", "complete", "interrupted", "failed"]),
  evenbenchVersion: z.string(),
};

const trialOfTarget = { caseId: z.string(), target: z.string(), trial: count };

export const instanceUsage = strict({ ...trialOfTarget, exchanges: count, ...processUse });
/** While it served measured exchanges: with background threads, without start and stop. */
export type InstanceUsage = z.infer<typeof instanceUsage>;

export const cpuAccount = strict({
  source: z.string(),
  /** Each reading can be short by so much. */
  resolutionMs: milliseconds,
});
export type CpuAccount = z.infer<typeof cpuAccount>;

export const warmUp = strict({
  ...trialOfTarget,
  exchanges: count,
  /** With a margin; null where its time was over before. */
  needed: count.nullable(),
  /** 0 where no slower level came first; null where no search ended, or the number was fixed. */
  warmAfter: count.nullable(),
});
export type WarmUp = z.infer<typeof warmUp>;

export const clientUse = { wallMs: milliseconds, cpuMs: milliseconds };

export const clientLoad = strict({
  caseId: z.string(),
  trial: count,
  ...clientUse,
  /** Not the 99th: checks of whole bodies, between exchanges, are among those, and hardly move a median. */
  eventLoopDelayP90Ms: milliseconds,
});
export type ClientLoad = z.infer<typeof clientLoad>;

export const timeline = strict({
  ...trialOfTarget,
  round: count,
  /** Milliseconds since the request's write, and bytes by then: of the first, the half and the last of them. */
  arrivals: z.array(z.tuple([milliseconds, count]).readonly()).readonly(),
});
export type Timeline = z.infer<typeof timeline>;

export const coldStart = strict({
  caseId: z.string(),
  target: z.string(),
  repetition: count,
  readyMs: milliseconds,
});
export type ColdStart = z.infer<typeof coldStart>;

/** Pages and pictures of more would have no end. */
export const MOST_CASES = 1000;
export const MOST_TARGETS = 100;

export const targetFields = {
  name: z.string(),
  app: z.string(),
  platform: z.string().nullable(),
  about: platformRecord.exactOptional(),
  place: z.enum(["local", "url"]),
  /** null for local targets: each instance has another one. */
  url: z.string().nullable(),
  copyOf: z.string().nullable(),
  command: z.string().exactOptional(),
};
const runTarget = strict(targetFields);
export type RunTarget = z.infer<typeof runTarget>;

export const runPlan = strict({
  cases: z.array(caseManifest).max(MOST_CASES).readonly(),
  targets: z.array(runTarget).max(MOST_TARGETS).readonly(),
  usualPlatforms: texts.exactOptional(),
  /** Cases that a run has where nobody names any; not there where they were not asked for. */
  usualCases: texts.exactOptional(),
  seed: count,
  /** With warm-up and starts. Empty where nobody asked for a time. */
  caseBudgetMs: record(milliseconds),
  /** Of cases whose time is too short for warm trials: one that is not. */
  neededMs: record(milliseconds).exactOptional(),
  trials: strict({ minimum: count, maximum: count }),
  /** Where the user fixed them; otherwise time decides. */
  roundsPerTrial: count.nullable(),
  /** A case ends when all intervals are narrower than this fraction; null: when it is decided. */
  precision: z.number().nonnegative().max(1).nullable(),
  serverCores: z.enum(["all", "apart"]),
  spacing: z.int().positive(),
  pauseMs: milliseconds,
  workers: z.int().positive(),
  /** Where the user fixed them; otherwise what each target was found to need. */
  warmUpExchanges: count.nullable(),
  /** Instances of every target that are started for their first exchanges alone, for each case. */
  coldStarts: count,
  /** Every measured body is checked by its digest, of the bodies of a warm-up every n-th; all by content type and length. */
  digestEvery: count,
  allowedPins: texts,
  cpu: z.literal("provider").exactOptional(),
  sameWork: z.enum(["assumed", "json"]).exactOptional(),
});
export type RunPlan = z.infer<typeof runPlan>;

export const machine = strict({
  system: z.string(),
  cpuModel: z.string(),
  cores: count,
  memoryBytes: count,
  clientNode: z.string(),
  coresApart: strict({ client: z.string(), servers: z.string() }).nullable(),
  cpuAccount,
});
export type RunMachine = z.infer<typeof machine>;

export const event = strict({
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
    "time-short",
    "one-process",
    "pin-allowed",
    "settings-unknown",
    "work-unproven",
    "other-run-active",
    "vantage-incomplete",
    "mixed-http",
    "provider-cpu",
    "interrupted",
  ]),
  caseId: z.string().nullable(),
  target: z.string().nullable(),
  trial: count.nullable(),
  detail: z.string(),
});
export type RunEvent = z.infer<typeof event>;

export const source = strict({
  commit: z.hex(),
  changed: z.boolean(),
  repository: z.url({ protocol: /^https$/, error: "Not an https:// address" }).nullable(),
});

const samplesDigest = strict({ count, sha256: z.string() });
/** Shows whether `samples.ndjson` is still the file that a run wrote. */
export type SamplesDigest = z.infer<typeof samplesDigest>;

export const runSchema = strict({
  schemaVersion: z.literal(2),
  ...recordHead,
  source: source.nullable(),
  samples: samplesDigest.nullable(),
  plan: runPlan,
  /** The one that measured; null where several did: see `vantages`. */
  machine: machine.nullable(),
  vantages: z.array(runVantage).readonly().optional(),
  identities: record(identity),
  /** How local targets were built, by name; null where that was not recorded. */
  deployables: record(buildRecord.nullable()),
  usage: z.array(instanceUsage).readonly(),
  warmUps: z.array(warmUp).readonly(),
  clientLoad: z.array(clientLoad).readonly(),
  timelines: z.array(timeline).readonly(),
  coldStarts: z.array(coldStart).readonly(),
  events: z.array(event).readonly(),
}).meta({
  title: "Evenbench run",
  description: "run.json: plan, settings, versions and machine of one run.",
});
export type Run = z.infer<typeof runSchema>;
