import { z } from "zod";
import { buildRecord, caseManifest, identity, platformRecord } from "./contracts.ts";
import { count, milliseconds, strict, texts } from "./strict.ts";
import { clientLoad, coldStart, cpuAccount, instanceUsage, timeline, warmUp } from "./usage.ts";
import { runVantage } from "./vantage.ts";

/** The version of `run.json` and `samples.ndjson` that this code writes. */
export const RUN_SCHEMA_VERSION = 2;

/** Pages and pictures of more would have no end. */
export const MOST_CASES = 1000;
export const MOST_TARGETS = 100;

export const runTarget = strict({
  name: z.string(),
  app: z.string(),
  /** null where a URL was given and its identity could not be read. */
  platform: z.string().nullable(),
  /** What its platform is; not there where nothing is known of it. */
  about: platformRecord.exactOptional(),
  place: z.enum(["local", "url"]),
  /** Given for place "url"; local targets have another address for each fresh instance. */
  url: z.string().nullable(),
  /** The name of the target that this one is the A/A copy of, for the control. */
  copyOf: z.string().nullable(),
  /** What starts it, where it is a server of somebody's own. */
  command: z.string().exactOptional(),
});
/** A target as a run knows it. */
export type RunTarget = z.infer<typeof runTarget>;

export const runPlan = strict({
  cases: z.array(caseManifest).max(MOST_CASES).readonly(),
  targets: z.array(runTarget).max(MOST_TARGETS).readonly(),
  /** Those that a run has where nobody names targets; not there where they were not asked for. */
  usualPlatforms: texts.exactOptional(),
  seed: count,
  /**
   * Budget for each case, by case id: warm-up and start of instances included. Empty where nobody asked for a
   * time: then each takes what it takes.
   */
  caseBudgetMs: z.record(z.string(), milliseconds).readonly(),
  /** Fresh instances of every target for each case: at least, and at most if the precision is not reached. */
  trials: strict({ minimum: count, maximum: count }),
  /** Rounds of each trial, where the user fixed them; otherwise time decides. */
  roundsPerTrial: count.nullable(),
  /** A case ends when all its intervals are narrower than this, as a fraction; null: it ends when it is decided. */
  precision: z.number().nonnegative().max(1).nullable(),
  /** Whether servers were to share all cores with the client, or to have some apart from it. */
  serverCores: z.enum(["all", "apart"]),
  /** Exchanges that a target gets back to back in a round. */
  spacing: z.int().positive(),
  /** Time without any request before each measured one. */
  pauseMs: milliseconds,
  /** Worker processes behind one address, where a platform has such a thing. */
  workers: z.int().positive(),
  /** Warm-up exchanges of each instance, where the user fixed them; otherwise what each target was found to need. */
  warmUpExchanges: count.nullable(),
  /** Fresh instances of every target that are started for their first exchanges alone, for each case. */
  coldStarts: count,
  /** Every n-th body is checked by digest; every body by length. */
  digestEvery: count,
  /** Pins that were allowed to differ. */
  allowedPins: texts,
  /** Given where platforms were asked what CPU time they account to each request. */
  cpu: z.literal("provider").exactOptional(),
  /** Given where servers of somebody's own were to be compared although their answers differ. */
  sameWork: z.literal("assumed").exactOptional(),
});
/** What was to be measured. Durations in milliseconds. */
export type RunPlan = z.infer<typeof runPlan>;

export const machine = strict({
  system: z.string(),
  cpuModel: z.string(),
  cores: count,
  memoryBytes: count,
  clientNode: z.string(),
  /**
   * The cores of the client and of the servers, or null where all share all of them: by choice, or because
   * the system allows nothing else.
   */
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
/** Something that happened and that a reader must know. */
export type RunEvent = z.infer<typeof event>;

export const source = strict({
  /** SHA-1 in hexadecimal. */
  commit: z.hex(),
  /** Whether files of the working copy differed from it. */
  changed: z.boolean(),
  /** Where people read it, such as "https://github.com/owner/name"; null where that is not known. */
  repository: z.url({ protocol: /^https$/, error: "Not an https:// address" }).nullable(),
});

const samplesDigest = strict({
  /** Lines of the file, each a sample. */
  count,
  /** Of all its bytes, in hexadecimal. */
  sha256: z.string(),
});
/** What shows whether `samples.ndjson` is still the file that a run wrote. */
export type SamplesDigest = z.infer<typeof samplesDigest>;

export const runSchema = strict({
  schemaVersion: z.literal(RUN_SCHEMA_VERSION),
  id: z.string(),
  /** ISO 8601. */
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime().nullable(),
  status: z.enum(["running", "complete", "interrupted", "failed"]),
  evenbenchVersion: z.string(),
  /** The state of the repository that measured: null outside of one. */
  source: source.nullable(),
  /** Known at the end: null in a run that could not end by itself. */
  samples: samplesDigest.nullable(),
  plan: runPlan,
  /** The one that measured; null where several did: see `vantages`. */
  machine: machine.nullable(),
  /** Where a run was measured from, if from more places than the machine that wrote it; not there in other runs. */
  vantages: z.array(runVantage).readonly().optional(),
  /** As preflight saw them, by target name. */
  identities: z.record(z.string(), identity).readonly(),
  /** How the deployables of local targets were made, by target name; null where that was not recorded. */
  deployables: z.record(z.string(), buildRecord.nullable()).readonly(),
  /** CPU time and memory of each trial in each case, where the system reports them. */
  usage: z.array(instanceUsage).readonly(),
  /** Of each trial in each case. */
  warmUps: z.array(warmUp).readonly(),
  /** What the client was busy with meanwhile. */
  clientLoad: z.array(clientLoad).readonly(),
  /** Of streamed bodies, one for each trial. */
  timelines: z.array(timeline).readonly(),
  /** Empty unless they were asked for. */
  coldStarts: z.array(coldStart).readonly(),
  events: z.array(event).readonly(),
}).meta({
  title: "Evenbench run",
  description: "run.json: plan, settings, versions and machine of one run.",
});
/** `run.json`. */
export type Run = z.infer<typeof runSchema>;
