import {
  buildRecord,
  caseManifest,
  count,
  identity,
  list,
  milliseconds,
  moment,
  platformRecord,
  record,
  repeats,
  strict,
  text,
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
  id: text,
  startedAt: moment,
  finishedAt: moment.nullable(),
  status: z.enum(["running", "complete", "interrupted", "failed"]),
  evenbenchVersion: text,
};

const trialOfTarget = { caseId: text, target: text, trial: count };

export const instanceUsage = strict({ ...trialOfTarget, exchanges: count, ...processUse });
/** While it served measured exchanges: with background threads, without start and stop. */
export type InstanceUsage = z.infer<typeof instanceUsage>;

export const cpuAccount = strict({
  source: text,
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
  caseId: text,
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
  arrivals: list(z.tuple([milliseconds, count]).readonly()),
});
export type Timeline = z.infer<typeof timeline>;

export const coldStart = strict({
  caseId: text,
  target: text,
  repetition: count,
  readyMs: milliseconds,
});
export type ColdStart = z.infer<typeof coldStart>;

/** Pages and pictures of more would have no end. */
export const MOST_CASES = 1000;
export const MOST_TARGETS = 100;

export const targetFields = {
  name: text,
  app: text,
  platform: text.nullable(),
  about: platformRecord.exactOptional(),
  place: z.enum(["local", "url"]),
  /** null for local targets: each instance has another one. */
  url: text.nullable(),
  copyOf: text.nullable(),
  command: text.exactOptional(),
};
const runTarget = strict(targetFields);
export type RunTarget = z.infer<typeof runTarget>;

export const runPlan = strict({
  cases: list(caseManifest, MOST_CASES),
  targets: list(runTarget, MOST_TARGETS),
  usualPlatforms: texts.exactOptional(),
  /** Cases that a run has where nobody names any; not there where they were not asked for. */
  usualCases: texts.exactOptional(),
  seed: count,
  /** With warm-up and starts. Empty where nobody asked for a time. */
  caseBudgetMs: record(milliseconds),
  /** Of cases whose time is too short for warm trials: one that is not. */
  neededMs: record(milliseconds).exactOptional(),
  trials: strict({ minimum: repeats, maximum: repeats }),
  /** Where the user fixed them; otherwise time decides. */
  roundsPerTrial: repeats.nullable(),
  /** A case ends when all intervals are narrower than this fraction; null: when it is decided. */
  precision: z.number().nonnegative().max(1).nullable(),
  serverCores: z.enum(["all", "apart"]),
  spacing: repeats.min(1),
  pauseMs: milliseconds,
  workers: repeats.min(1),
  /** Where the user fixed them; otherwise what each target was found to need. */
  warmUpExchanges: repeats.nullable(),
  /** Of a smoke test (`--quick`): nothing is compared. */
  quick: z.literal(true).exactOptional(),
  /** Instances of every target that are started for their first exchanges alone, for each case. */
  coldStarts: repeats,
  /** Every measured body is checked by its digest, of the bodies of a warm-up every n-th; all by content type and length. */
  digestEvery: repeats,
  allowedPins: texts,
  cpu: z.literal("provider").exactOptional(),
  /** Whether the speed of cores was gauged between requests; there where the user switched it off. */
  gauge: z.literal(false).exactOptional(),
  sameWork: z.enum(["assumed", "json"]).exactOptional(),
});
export type RunPlan = z.infer<typeof runPlan>;

export const machine = strict({
  system: text,
  cpuModel: text,
  cores: repeats,
  memoryBytes: count,
  clientNode: text,
  coresApart: strict({ client: text, servers: text }).nullable(),
  /** What the measuring process might use of it; not there where that was not recorded. */
  limits: strict({
    /** Cores that it might run on, by its CPU affinity: taskset, or the cpuset of a container. */
    usableCores: count,
    /** Of so many cores it might use the time, such as 0.3: the limit of a container. null without one. */
    coreQuota: z.number().positive().nullable(),
    /** null without a limit. */
    memoryBytes: count.nullable(),
  }).exactOptional(),
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
    "gauge-ended",
    "cold-start-failed",
    "clock-stepped",
    "cpu-throttled",
    "vantage-incomplete",
    "mixed-http",
    "provider-cpu",
    "interrupted",
  ]),
  caseId: text.nullable(),
  target: text.nullable(),
  trial: count.nullable(),
  detail: text,
});
export type RunEvent = z.infer<typeof event>;

export const source = strict({
  commit: z.hex().max(64),
  changed: z.boolean(),
  repository: z.url({ protocol: /^https$/, error: "Not an https:// address" }).nullable(),
});

const samplesDigest = strict({ count, sha256: text });
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
  vantages: list(runVantage).optional(),
  identities: record(identity),
  /** How local targets were built, by name; null where that was not recorded. */
  deployables: record(buildRecord.nullable()),
  usage: list(instanceUsage),
  warmUps: list(warmUp),
  clientLoad: list(clientLoad),
  timelines: list(timeline),
  coldStarts: list(coldStart),
  events: list(event),
}).meta({
  title: "Evenbench run",
  description: "run.json: plan, settings, versions and machine of one run.",
});
/** `run.json`: what was to be measured, by what and where, and what happened meanwhile. */
export type Run = z.infer<typeof runSchema>;
