import { join } from "node:path";
import { MANIFEST_DEFAULTS } from "@evenbench/core";
import type { Run } from "../src/schema/run.ts";
import type { Sample } from "../src/schema/sample.ts";
import { NOTHING_MEASURED, writeJson } from "../src/write.ts";

/** Writes a run's record into a folder. */
export async function writeRun(folder: string, run: Run): Promise<void> {
  await writeJson(join(folder, "run.json"), run);
}

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
    caseBudgetMs: { empty: 1000 },
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
  machine: {
    system: "test",
    cpuModel: "test",
    cores: 2,
    memoryBytes: 1,
    clientNode: "v24",
    coresApart: { client: "0", servers: "1" },
    cpuAccount: { source: "/proc", resolutionMs: 20 },
  },
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

/** The n-th of endless valid samples. */
export function exampleSample(n: number): Sample {
  return {
    caseId: "empty",
    target: n % 2 === 0 ? "node" : "node~copy",
    trial: 0,
    phase: n < 4 ? "warmup" : "measure",
    roundIndex: Math.floor(n / 2),
    position: n % 2,
    startedAtMs: n * 1.5,
    connectMs: n === 0 ? 0.25 : null,
    firstByteMs: 1 + n / 7,
    lastByteMs: n % 5 === 4 ? null : 2 + n / 7,
    cpuMs: null,
    minorFaults: null,
    status: 200,
    bodyBytes: 2,
    instanceId: n % 2 === 0 ? "0123456789abcdef" : null,
    served: n,
    inFlight: 0,
    error: n % 5 === 4 ? { kind: "timeout", detail: "no answer in 30,000 ms" } : null,
  };
}
