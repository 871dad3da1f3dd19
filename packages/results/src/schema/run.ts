import {
  bodyRules,
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
import * as z from "zod";
import { runVantage } from "./sample.ts";

/** Schema of what a target's processes used. */
export const processUse = {
  /** CPU time of all threads; user and system time apart where the system's account has them. */
  cpuMs: milliseconds,
  userMs: milliseconds.nullable(),
  systemMs: milliseconds.nullable(),
  /** Pages given by the kernel without a disk; null where the system does not report them. */
  minorFaults: count.nullable(),
  /** Memory in use at the end. */
  residentBytes: count,
  /** Largest memory in use at any moment; null where the system does not report it. */
  peakResidentBytes: count.nullable(),
};

/** Schema of how a measurement was asked for. Neither field is there where no command line asked for it. */
export const askedFor = {
  /**
   * Words behind the program as they were typed, options by their long names with one value each at most, with "<value>"
   * in the place of values that may be secret, and without the options of where results go.
   */
  command: texts.exactOptional(),
  /** The settings file that counted beside these words: its path, its SHA-256 digest, and those of its keys that counted. */
  settings: strict({ file: text, digest: text, keys: texts }).exactOptional(),
};
const askedForSchema = strict(askedFor);
/** The command line that asked for a measurement, and the settings file that counted beside it. */
export type AskedFor = z.infer<typeof askedForSchema>;

/** Schema of the first fields of every record. */
export const recordHead = {
  /** Name of the measurement, as its folder has it: "20261121-093015-3fa9". */
  id: text,
  startedAt: moment,
  /** null while it runs, and where its process was killed. */
  finishedAt: moment.nullable(),
  status: z.enum(["running", "complete", "interrupted", "failed"]),
  evenbenchVersion: text,
  ...askedFor,
};

const trialOfTarget = { caseId: text, target: text, trial: count };

/** Schema of what one instance used. */
export const instanceUsage = strict({ ...trialOfTarget, exchanges: count, ...processUse });
/** The use of an instance while it served measured exchanges: with background threads, without start and stop. */
export type InstanceUsage = z.infer<typeof instanceUsage>;

/** Schema of the description of a CPU account. */
export const cpuAccount = strict({
  source: text,
  /** Milliseconds by which a reading can be short. */
  resolutionMs: milliseconds,
});
/** The origin of CPU times, and how fine they are. */
export type CpuAccount = z.infer<typeof cpuAccount>;

/** Schema of the warm-up of one target in one trial. */
export const warmUp = strict({
  ...trialOfTarget,
  exchanges: count,
  /** How many exchanges it needs, with a margin; null where its time was over before that was known. */
  needed: count.nullable(),
  /**
   * Number of exchanges after which the instance was warm: 0 where no slower level came first; null where no
   * search ended, or the number was fixed.
   */
  warmAfter: count.nullable(),
});
/** The warm-up that an instance got. */
export type WarmUp = z.infer<typeof warmUp>;

/** Schema of the time and CPU time that the measuring process used. */
export const clientUse = { wallMs: milliseconds, cpuMs: milliseconds };

/** Schema of what the measuring process used in one trial of a case. */
export const clientLoad = strict({
  caseId: text,
  trial: count,
  ...clientUse,
  /** How late its event loop was, as the 90th percentile: checks of bodies between exchanges are in the 99th. */
  eventLoopDelayP90Ms: milliseconds,
  /** CPU time of all other programs on its machine, without the measured servers; null where that is not known. */
  othersCpuMs: milliseconds.nullable(),
});
/** The use of the measuring process in one trial of a case, how late its event loop was, and what else was at work. */
export type ClientLoad = z.infer<typeof clientLoad>;

/** Schema of how a target's body arrived in one measured round. */
export const timeline = strict({
  ...trialOfTarget,
  round: count,
  /** Milliseconds since the request's write, and bytes by then: of the first part, of half of the bytes, of the last. */
  arrivals: list(z.tuple([milliseconds, count]).readonly()),
});
/** When the parts of one streamed body arrived. */
export type Timeline = z.infer<typeof timeline>;

/** Schema of a cold start. */
export const coldStart = strict({
  caseId: text,
  target: text,
  /** Number of the repetition, from 0: the `trial` of its two samples. */
  repetition: count,
  /** Time from the start of the instance's processes until it was ready. */
  readyMs: milliseconds,
});
/** A start of an instance for its first exchanges alone. */
export type ColdStart = z.infer<typeof coldStart>;

/** Schema of a start by CPU time of all threads, in milliseconds. */
export const startUp = strict({
  target: text,
  /** Number of the repetition, from 0. */
  repetition: count,
  /** From the start of the processes until they take connections and rest: with the app, and of the control without it. */
  readyMs: milliseconds,
  controlMs: milliseconds,
  /** The same of the app with modules that are compiled and not evaluated; null where the platform has no such start. */
  compiledMs: milliseconds.nullable(),
});
/** A start of a target and of its control, by CPU time. */
export type StartUp = z.infer<typeof startUp>;

/** Schema of the memory in use after a block of requests, and a collection. */
export const memoryReading = strict({
  caseId: text,
  target: text,
  /** Number of the block, from 0. The first fills caches. */
  block: count,
  requests: count.min(1),
  /** In use in V8's heap, in buffers beside it, and resident in the process; null where the system does not say. */
  heapBytes: count,
  bufferBytes: count,
  residentBytes: count.nullable(),
});
/** The memory of one instance after a block of requests. */
export type MemoryReading = z.infer<typeof memoryReading>;

/** Largest number of cases in a plan: pages and pictures of more would have no end. */
export const MAX_CASES = 1000;

/** Largest number of targets in a plan, copies among them. */
export const MAX_TARGETS = 100;

/** Schema of the fields that targets of runs and of loads have in common. */
export const targetFields = {
  name: text,
  /** Id of its app. */
  app: text,
  /** Id of its platform; null where that is not known. */
  platform: text.nullable(),
  /** Description of its platform; not there where that is not known. */
  about: platformRecord.exactOptional(),
  place: z.enum(["local", "url"]),
  /** Origin of the target; null for local ones: each instance has another one. */
  url: text.nullable(),
  /** Name of the target that it is an A/A copy of; null for any other. */
  copyOf: text.nullable(),
  /** Which of two states of one thing it is, where they are compared; not there elsewhere. */
  state: z.enum(["before", "after"]).exactOptional(),
  /** The command that starts it, of a user's own server. */
  command: text.exactOptional(),
};
const runTarget = strict(targetFields);
/** A target in a run's plan. */
export type RunTarget = z.infer<typeof runTarget>;

/** A user's app that was built and served. How it was asked for stands in the run's command. */
const ownAppRecord = strict({
  /** Folder of the app as it was typed, such as "../my-app". */
  folder: text,
  /** Name of what the app is made with, such as "Hono (src/index.ts)". */
  title: text,
  /** Files of the folder that were read, with what of them counts and what does not. */
  read: list(strict({ file: text, applied: texts, notApplied: list(strict({ what: text, why: text })) })),
  /** Services that other programs stand for, by target. */
  simulated: list(strict({ target: text, binding: text, by: text })),
});
/** A user's app in a run's record. */
export type OwnAppRecord = z.infer<typeof ownAppRecord>;

/** Schema of the masks that preflight found for own servers, by case id, then by target name. */
export const masksFound = record(record(bodyRules.masks));

/** Schema of the part of a run's record that is fixed before its first trial. */
export const runPlan = strict({
  cases: list(caseManifest, MAX_CASES),
  targets: list(runTarget, MAX_TARGETS),
  /** The number that all random order is made from. */
  seed: count,
  /** Time limit by case id, including starts and warm-up. Empty where nobody asked for a time. */
  caseLimitMs: record(milliseconds),
  /** Time that a case would need, by case id, where its limit is too short for warm trials. */
  neededMs: record(milliseconds).exactOptional(),
  trials: strict({ minimum: repeats, maximum: repeats }),
  /** Number of measured rounds in a trial where the user fixed it; null where time decides. */
  roundsPerTrial: repeats.nullable(),
  /** A case ends when no interval reaches further than this fraction to either side; null: when it is decided. */
  precision: z.number().nonnegative().max(1).nullable(),
  serverCores: z.enum(["all", "apart"]),
  /** Number of requests that a target gets back to back in a round. */
  spacing: repeats.min(1),
  /** Pause before each measured exchange. */
  pauseMs: milliseconds,
  /** Number of processes that serve one target, on platforms that have such. */
  workers: repeats.min(1),
  /** Number of exchanges of a warm-up where the user fixed it; null where it is what each target was found to need. */
  warmUpExchanges: repeats.nullable(),
  /** There in a smoke test (`--quick`): nothing is compared. */
  quick: z.literal(true).exactOptional(),
  /** Instances of every target that are started for their first exchanges alone, for each case. */
  coldStarts: repeats,
  /** Starts of every local target whose CPU time is measured; not there without any. */
  startUps: repeats.exactOptional(),
  /** There where memory is read between blocks of requests. */
  memory: z.literal(true).exactOptional(),
  /** Every measured body is checked by its digest, of a warm-up's every n-th; all by type and length. */
  digestEvery: repeats,
  /** Settings that were allowed to differ. */
  allowedPins: texts,
  /** "provider" where platforms are asked for the CPU time of each request; absent elsewhere. */
  cpu: z.literal("provider").exactOptional(),
  /** Node.js of the Node.js and Vercel hosts as the user named it, by a version or a path. */
  node: text.exactOptional(),
  /** How it was known that own servers do the same work; absent where their bodies had to be equal. */
  sameWork: z.enum(["assumed", "json"]).exactOptional(),
  masksFound: masksFound.exactOptional(),
  ownApp: ownAppRecord.exactOptional(),
});
/** The plan of a run: what it is to measure, and how. */
export type RunPlan = z.infer<typeof runPlan>;

/** Schema of the machine that measured. */
export const machine = strict({
  system: text,
  cpuModel: text,
  cores: repeats,
  memoryBytes: count,
  /** Version of the Node.js that measured: "v24.21.0". */
  clientNode: text,
  /** The cores of client and servers, as taskset names them; null where they shared all. */
  coresApart: strict({ client: text, servers: text }).nullable(),
  /** Limits of the measuring process on its machine; not there where they were not recorded. */
  limits: strict({
    /** Cores that it might run on, by its CPU affinity: taskset, or the cpuset of a container. */
    usableCores: count,
    /** Number of cores whose time it might use, such as 0.3: the limit of a container. null without one. */
    coreQuota: z.number().positive().nullable(),
    /** Memory that it might use; null without a limit. */
    memoryBytes: count.nullable(),
  }).exactOptional(),
  cpuAccount,
});
/** The machine that measured. */
export type RunMachine = z.infer<typeof machine>;

/** Schema of something that went otherwise than planned, with its moment. */
export const event = strict({
  atMs: milliseconds,
  kind: z.enum([
    "build-failed",
    "body-varies",
    "body-masked",
    "cache-measured",
    "answer-empty",
    "bodies-sampled",
    "connections-hung",
    "work-behind",
    "work-elsewhere",
    "log-heavy",
    "open-to-others",
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
    "headers-differ",
    "work-unproven",
    "other-run-active",
    "cold-start-failed",
    "start-up-failed",
    "memory-failed",
    "clock-stepped",
    "cpu-throttled",
    "vantage-incomplete",
    "mixed-http",
    "provider-cpu",
    "interrupted",
    "load-ended",
  ]),
  caseId: text.nullable(),
  target: text.nullable(),
  trial: count.nullable(),
  detail: text,
  /** Why a target has no part in a run at all, where that is known. */
  why: z.enum(["not-started", "bad-answer"]).exactOptional(),
});
/** Something that happened in a run and that a reader has to know. */
export type RunEvent = z.infer<typeof event>;

/** Schema of the commit that measured. */
export const source = strict({
  commit: z.hex().max(64),
  /** True where files, or a build that was measured, differed from the commit. */
  changed: z.boolean(),
  /** Address of the repository; null where it is not known. */
  repository: z.url({ protocol: /^https$/, error: "Not an https:// address" }).nullable(),
});

/** The number of a run's samples, and the SHA-256 digest of the bytes of their lines. */
export const samplesDigest = strict({ count, sha256: text });
/** The number and digest of a run's samples, by which a changed `samples.ndjson` is seen. */
export type SamplesDigest = z.infer<typeof samplesDigest>;

/** Schema of `run.json`. */
export const runSchema = strict({
  schemaVersion: z.literal(2),
  ...recordHead,
  source: source.nullable(),
  /** null while the run is measured, and where its process was killed. */
  samples: samplesDigest.nullable(),
  plan: runPlan,
  /** The machine that measured; null where several did: see `vantages`. */
  machine: machine.nullable(),
  /** The places that measured; not there where one machine did. */
  vantages: list(runVantage).optional(),
  identities: record(identity),
  /** How local targets were built, by name; null where that was not recorded. */
  deployables: record(buildRecord.nullable()),
  usage: list(instanceUsage),
  warmUps: list(warmUp),
  clientLoad: list(clientLoad),
  timelines: list(timeline),
  coldStarts: list(coldStart),
  /** Not there in runs of before it was measured. */
  startUps: list(startUp).exactOptional(),
  memory: list(memoryReading).exactOptional(),
  /** There once every case has all trials that it gets; cold starts and platforms' accounts follow. */
  trialsEnded: z.literal(true).exactOptional(),
  events: list(event),
}).meta({
  title: "Evenbench run",
  description: "run.json: plan, settings, versions and machine of one run.",
});
/** `run.json`: what was to be measured, by what and where, and what happened meanwhile. */
export type Run = z.infer<typeof runSchema>;
