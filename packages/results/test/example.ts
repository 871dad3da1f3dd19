import type { Run, Sample } from "@evenbench/core";

/** A valid run for tests, with nothing measured. */
export const exampleRun: Run = {
  schemaVersion: 1,
  id: "20261121-093015",
  startedAt: "2026-11-21T09:30:15.000Z",
  finishedAt: null,
  status: "running",
  evenbenchVersion: "0.0.0-test",
  plan: {
    cases: [
      {
        id: "empty",
        path: "/empty",
        title: "Empty",
        description: "For tests.",
        parameters: {
          n: { type: "integer", default: 1, minimum: 0, maximum: 2, description: "" },
          how: { type: "choice", default: "a", choices: ["a", "b"], description: "" },
        },
        golden: { status: 200, contentType: "text/plain", bytes: 2, sha256: "00" },
        masks: [{ name: "build id", pattern: "x", replacement: "y" }],
        headline: "lastByteMs",
        notSameCode: null,
        services: [],
        variation: null,
        page: null,
      },
    ],
    targets: [
      { name: "node", app: "bundle", platform: "node", place: "local", url: null, twinOf: null },
      { name: "node~twin", app: "bundle", platform: "node", place: "local", url: null, twinOf: "node" },
    ],
    seed: 1,
    caseBudgetMs: { empty: 1000 },
    generations: { minimum: 1, maximum: 2 },
    roundsPerGeneration: null,
    precision: 0.02,
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
  deployables: {},
  usage: [],
  clientLoad: [],
  timelines: [],
  coldStarts: [],
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
  events: [{ atMs: 1, kind: "interrupted", caseId: null, target: null, generation: null, detail: "Ctrl-C" }],
};

/** The n-th of endless valid samples. */
export function exampleSample(n: number): Sample {
  return {
    caseId: n % 3 === 0 ? "other" : "empty",
    target: n % 2 === 0 ? "node" : "node~twin",
    generation: 0,
    phase: n < 4 ? "warmup" : "measure",
    roundIndex: Math.floor(n / 2),
    position: n % 2,
    startedAtMs: n * 1.5,
    connectMs: n === 0 ? 0.25 : null,
    firstByteMs: 1 + n / 7,
    lastByteMs: n % 5 === 4 ? null : 2 + n / 7,
    status: 200,
    bodyBytes: 2,
    instanceId: n % 2 === 0 ? "0123456789abcdef" : null,
    served: n,
    inFlight: 0,
    error: n % 5 === 4 ? { kind: "timeout", detail: "no answer in 30,000 ms" } : null,
  };
}
