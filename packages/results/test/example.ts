import { join } from "node:path";
import { MANIFEST_DEFAULTS } from "@evenbench/core";
import type { ExperimentResult, ExperimentsRun } from "../src/schema/experiment.ts";
import type { LoadRun, LoadSample, LoadStage } from "../src/schema/load.ts";
import type { Run, RunMachine } from "../src/schema/run.ts";
import type { Sample } from "../src/schema/sample.ts";
import { NOTHING_MEASURED, writeJson } from "../src/write.ts";

/** Writes a run's record into a folder. */
export async function writeRun(folder: string, run: Run): Promise<void> {
  await writeJson(join(folder, "run.json"), run);
}

/** The machine of all examples. */
const exampleMachine: RunMachine = {
  system: "test",
  cpuModel: "test",
  cores: 2,
  memoryBytes: 1,
  clientNode: "v24",
  coresApart: { client: "0", servers: "1" },
  cpuAccount: { source: "/proc", resolutionMs: 20 },
};

/** A valid run for tests, with nothing measured. */
export const exampleRun: Run = {
  schemaVersion: 2,
  id: "20261121-093015",
  startedAt: "2026-11-21T09:30:15.000Z",
  finishedAt: null,
  status: "running",
  evenbenchVersion: "0.0.0-test",
  source: null,
  samples: null,
  plan: {
    cases: [
      {
        ...MANIFEST_DEFAULTS,
        id: "empty",
        path: "/empty",
        title: "Empty",
        kind: "bare request",
        description: "For tests.",
        parameters: {
          n: { type: "integer", default: 1, minimum: 0, maximum: 2, description: "" },
          how: { type: "choice", default: "a", choices: ["a", "b"], description: "" },
        },
        golden: { status: 200, contentType: "text/plain", bytes: 2, sha256: "00" },
        masks: [{ name: "build id", pattern: "x", replacement: "y" }],
      },
    ],
    targets: [
      { name: "node", app: "bundle", platform: "node", place: "local", url: null, copyOf: null },
      { name: "node~copy", app: "bundle", platform: "node", place: "local", url: null, copyOf: "node" },
    ],
    seed: 1,
    caseLimitMs: { empty: 1000 },
    trials: { minimum: 1, maximum: 2 },
    roundsPerTrial: null,
    precision: 0.02,
    serverCores: "apart",
    spacing: 1,
    pauseMs: 0,
    workers: 1,
    warmUpExchanges: null,
    coldStarts: 0,
    digestEvery: 10,
    allowedPins: [],
  },
  machine: exampleMachine,
  ...NOTHING_MEASURED,
  identities: {
    node: {
      schemaVersion: 1,
      app: "bundle",
      platform: "node",
      instance: { id: "0123456789abcdef", served: 0 },
      pins: { artifact: "00" },
      facts: { runtime: "node", region: null },
    },
  },
  events: [{ atMs: 1, kind: "interrupted", caseId: null, target: null, trial: null, detail: "Ctrl-C" }],
};

/** Makes a measured sample; fields that are not given have values that tests do not care for. */
export function testSample(given: Partial<Sample>): Sample {
  return {
    caseId: "case",
    target: "node",
    trial: 0,
    phase: "measure",
    roundIndex: 0,
    position: 0,
    startedAtMs: 0,
    connectMs: null,
    firstByteMs: null,
    lastByteMs: null,
    cpuMs: null,
    minorFaults: null,
    status: 200,
    bodyBytes: 1,
    instanceId: null,
    served: 1,
    inFlight: 0,
    error: null,
    ...given,
  };
}

/** The n-th of endless valid samples. */
export function exampleSample(n: number): Sample {
  const isLost = n % 5 === 4;
  return testSample({
    caseId: "empty",
    target: n % 2 === 0 ? "node" : "node~copy",
    phase: n < 4 ? "warmup" : "measure",
    roundIndex: Math.floor(n / 2),
    position: n % 2,
    startedAtMs: n * 1.5,
    connectMs: n === 0 ? 0.25 : null,
    firstByteMs: 1 + n / 7,
    lastByteMs: isLost ? null : 2 + n / 7,
    bodyBytes: 2,
    instanceId: n % 2 === 0 ? "0123456789abcdef" : null,
    served: n,
    error: isLost ? { kind: "timeout", detail: "no answer in 30,000 ms" } : null,
  });
}

/** A stage of the example load, in which nothing was sent. */
export const exampleStage: LoadStage = {
  caseId: "empty",
  target: "node",
  trial: 0,
  load: { kind: "closed", connections: 1 },
  startedAtMs: 0,
  windowMs: 1000,
  sent: 0,
  queued: 0,
  late: 0,
  dropped: 0,
  completed: 0,
  meanInFlight: 0,
  usage: null,
  client: { wallMs: 1000, cpuMs: null, eventLoopDelayP99Ms: null },
  ended: null,
};

/** A valid load run of one stage. */
export const exampleLoad: LoadRun = {
  schemaVersion: 2,
  id: exampleRun.id,
  startedAt: exampleRun.startedAt,
  finishedAt: null,
  status: "complete",
  evenbenchVersion: exampleRun.evenbenchVersion,
  samples: null,
  plan: {
    cases: exampleRun.plan.cases,
    targets: exampleRun.plan.targets.slice(0, 1).map((target) => ({ ...target, instances: 1, workers: 1 })),
    loads: [exampleStage.load],
    condition: null,
    trials: 1,
    stageMs: 1000,
    seed: 1,
    allowedPins: [],
    engine: null,
  },
  machine: exampleRun.machine,
  identities: exampleRun.identities,
  stages: [exampleStage],
  events: [],
};

/** A sample of a stage of a load. */
export function exampleLoadSample(stage: number): LoadSample {
  return {
    stage,
    phase: "measure",
    connection: 0,
    intendedAtMs: 1,
    startedAtMs: 1,
    connectMs: null,
    firstByteMs: 1,
    lastByteMs: 2,
    status: 200,
    bodyBytes: 2,
    instanceId: null,
    served: null,
    inFlight: null,
    outstanding: 0,
    error: null,
  };
}

/** The result of an experiment that measured nothing. */
export function exampleResult(id: string): ExperimentResult {
  return {
    id,
    title: id,
    claim: "A claim.",
    source: { title: "A page", publisher: "A publisher", date: null },
    published: "10 % faster",
    verdict: "unclear",
    reason: "Nothing was measured.",
    figures: [],
    loads: [],
    comparisons: [],
    versions: {},
    startedAt: exampleRun.startedAt,
    durationMs: 1,
  };
}

/** A run of experiments with these results. */
export function exampleExperiments(results: readonly ExperimentResult[]): ExperimentsRun {
  return {
    schemaVersion: 3,
    id: exampleRun.id,
    startedAt: exampleRun.startedAt,
    finishedAt: null,
    status: "complete",
    evenbenchVersion: exampleRun.evenbenchVersion,
    machine: exampleMachine,
    seed: 1,
    timeMs: null,
    results,
    unfinished: null,
  };
}
