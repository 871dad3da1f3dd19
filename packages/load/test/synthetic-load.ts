import { appendFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ABOUT } from "@evenbench/report/testing/synthetic";
import {
  LOAD_FILE,
  type LoadRun,
  type LoadSample,
  type LoadStage,
  type LoadTarget,
  type OfferedLoad,
  SAMPLES_FILE,
  writeWhole,
} from "@evenbench/results";
import { exampleLoad, exampleLoadSample, exampleStage } from "@evenbench/results/testing";
import { fixtureCase } from "@evenbench/runner/testing";
import { arrivalTimes } from "../src/engine/loops.ts";
import { type StageSummary, summarise } from "../src/stage-summary.ts";

/** A queue of several servers, first come first served, that work on each request for the same time. */
interface SimulatedQueue {
  /** Number of servers. */
  readonly servers: number;
  /** Milliseconds of work on a request. */
  readonly serviceMs: number;
}

/** A request that was served; times in milliseconds. */
interface Served {
  readonly arrivedAt: number;
  readonly doneAt: number;
}

/** Makes a function that serves a request which arrives at a time. */
function serveOn({ servers, serviceMs }: SimulatedQueue): (arrivedAt: number) => Served {
  const freeAt = new Array<number>(servers).fill(0);
  return (arrivedAt: number): Served => {
    const server = freeAt.indexOf(Math.min(...freeAt));
    const doneAt = Math.max(arrivedAt, freeAt[server] as number) + serviceMs;
    freeAt[server] = doneAt;
    return { arrivedAt, doneAt };
  };
}

/** Serves requests that arrive at these times, in milliseconds. */
export function simulateArrivals(queue: SimulatedQueue, arrivals: Float64Array): Served[] {
  return Array.from(arrivals, serveOn(queue));
}

/** Serves connections that each send again when they are answered. */
export function simulateClosed(queue: SimulatedQueue, connections: number, durationMs: number): Served[] {
  const serve = serveOn(queue);
  const nextAt = new Array<number>(connections).fill(0);
  const all: Served[] = [];
  for (;;) {
    const connection = nextAt.indexOf(Math.min(...nextAt));
    const arrivedAt = nextAt[connection] as number;
    if (arrivedAt >= durationMs) {
      return all;
    }
    const served = serve(arrivedAt);
    nextAt[connection] = served.doneAt;
    all.push(served);
  }
}

/** A stage of a simulated queue, and its summary. */
interface SimulatedStage {
  readonly stage: LoadStage;
  readonly summary: StageSummary;
}

/** Makes a stage of served requests, whose window is all of it. */
export function stageOf(
  served: readonly Served[],
  load: OfferedLoad,
  durationMs: number,
  trial = 0,
): SimulatedStage {
  const samples = served.map(({ arrivedAt, doneAt }) => sampleOf(arrivedAt, arrivedAt, doneAt - arrivedAt));
  const inWindow = served.map(({ arrivedAt, doneAt }) => Math.min(doneAt, durationMs) - arrivedAt);
  const stage: LoadStage = {
    ...exampleStage,
    caseId: "simulated",
    target: "queue",
    trial,
    load,
    windowMs: durationMs,
    sent: served.length,
    completed: served.filter(({ doneAt }) => doneAt <= durationMs).length,
    meanInFlight: inWindow.reduce((sum, ms) => sum + ms, 0) / durationMs,
    client: { wallMs: durationMs, cpuMs: 0, eventLoopDelayP99Ms: 0 },
  };
  return { stage, summary: summarise(stage, samples) };
}

/** Makes the sample of a request that was answered. Times are in milliseconds. */
export function sampleOf(intendedAtMs: number, startedAtMs: number, lastByteMs: number): LoadSample {
  return { ...exampleLoadSample(0), intendedAtMs, startedAtMs, firstByteMs: lastByteMs, lastByteMs };
}

/** Two targets: one that serves a request at a time, and one that serves four. */
const NAMES = ["single", "fourfold"] as const;
/** Their queues, in the same order. */
const QUEUES: readonly SimulatedQueue[] = [
  { servers: 1, serviceMs: 10 },
  { servers: 4, serviceMs: 12 },
];
/** Milliseconds of a stage. */
const DURATION_MS = 2_000;

/** The choices of a synthetic load. */
export interface SyntheticLoad {
  /** "rates" are those of a search for p90 <= 30 ms. */
  readonly levels: "concurrency" | "rates";
  /** Default: "short". */
  readonly caseId?: string;
  /** The names of its two targets. */
  readonly names?: readonly [string, string];
  /** Fields of its record that are replaced. */
  readonly changes?: Partial<LoadRun>;
}

/** Writes the folder of a load on two simulated queues, in the place of one that is there. @returns its record. */
export async function writeSyntheticLoad(folder: string, options: SyntheticLoad): Promise<LoadRun> {
  const { levels, caseId = "short", names = NAMES, changes } = options;
  const stages: LoadStage[] = [];
  rmSync(join(folder, SAMPLES_FILE), { force: true });
  for (const trial of [0, 1, 2]) {
    for (const [index, queue] of QUEUES.entries()) {
      const slower = { ...queue, serviceMs: queue.serviceMs * (1 + trial / 50) };
      for (const offered of levels === "concurrency" ? [1, 2, 8] : [40, 80, 160]) {
        const [load, all] = levels === "concurrency" ? closedOn(slower, offered) : rateOn(slower, offered);
        const lines = all.map(({ arrivedAt, doneAt }): LoadSample => {
          return { ...sampleOf(arrivedAt, arrivedAt, doneAt - arrivedAt), stage: stages.length, inFlight: 0 };
        });
        appendFileSync(join(folder, SAMPLES_FILE), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
        const { stage } = stageOf(all, load, DURATION_MS, trial);
        const memory = { minorFaults: 0, residentBytes: 5e7, peakResidentBytes: 6e7 };
        const cpuMs = stage.completed * 9;
        const usage = { cpuMs, userMs: cpuMs, systemMs: 0, ...memory };
        stages.push({ ...stage, usage, caseId, target: names[index] as string });
      }
    }
  }
  const targets = names.map((name, index): LoadTarget => {
    const about = ABOUT[name];
    const place = { place: "local", url: null, copyOf: null } as const;
    const size = { instances: 1, workers: index === 0 ? 1 : 4 };
    return { name, app: "fixture", platform: name, ...place, ...(about && { about }), ...size };
  });
  const run: LoadRun = {
    ...exampleLoad,
    id: "synthetic",
    startedAt: "2026-11-21T09:00:00.000Z",
    finishedAt: "2026-11-21T09:01:00.000Z",
    plan: {
      ...exampleLoad.plan,
      cases: [{ ...fixtureCase("short"), id: caseId, title: "Short" }],
      condition: levels === "rates" ? { quantile: 0.9, limitMs: 30 } : null,
      targets,
      loads: [],
      trials: 3,
      stageMs: DURATION_MS,
    },
    identities: {},
    stages,
    ...changes,
  };
  await writeWhole(join(folder, LOAD_FILE), JSON.stringify(run));
  return run;
}

function closedOn(queue: SimulatedQueue, connections: number) {
  const load = { kind: "closed", connections } as const;
  return [load, simulateClosed(queue, connections, DURATION_MS)] as const;
}

function rateOn(queue: SimulatedQueue, perSecond: number) {
  const load = { kind: "open", perSecond, arrivals: "uniform", connections: 64 } as const;
  return [load, simulateArrivals(queue, arrivalTimes(perSecond, "uniform", DURATION_MS, 1))] as const;
}
