import type { LoadSample, LoadStage, OfferedLoad } from "@evenbench/results";
import { type StageSummary, StageTally } from "../src/analysis.ts";

/** A queue with so many servers, first come first served, that works on each request for the same time. */
export interface SimulatedQueue {
  readonly servers: number;
  readonly serviceMs: number;
}

interface Served {
  readonly arrivedAt: number;
  readonly doneAt: number;
}

export function simulateArrivals({ servers, serviceMs }: SimulatedQueue, arrivals: Float64Array): Served[] {
  const freeAt = new Array<number>(servers).fill(0);
  return Array.from(arrivals, (arrivedAt) => {
    const server = freeAt.indexOf(Math.min(...freeAt));
    const doneAt = Math.max(arrivedAt, freeAt[server] as number) + serviceMs;
    freeAt[server] = doneAt;
    return { arrivedAt, doneAt };
  });
}

/** Connections that each send again when they are answered. */
export function simulateClosed(queue: SimulatedQueue, connections: number, durationMs: number): Served[] {
  const freeAt = new Array<number>(queue.servers).fill(0);
  const nextAt = new Array<number>(connections).fill(0);
  const served: Served[] = [];
  for (;;) {
    const connection = nextAt.indexOf(Math.min(...nextAt));
    const arrivedAt = nextAt[connection] as number;
    if (arrivedAt >= durationMs) return served;
    const server = freeAt.indexOf(Math.min(...freeAt));
    const doneAt = Math.max(arrivedAt, freeAt[server] as number) + queue.serviceMs;
    freeAt[server] = doneAt;
    nextAt[connection] = doneAt;
    served.push({ arrivedAt, doneAt });
  }
}

/** What was served, as a stage whose window is all of it. */
export function stageOf(
  served: readonly Served[],
  load: OfferedLoad,
  durationMs: number,
  trial = 0,
): { stage: LoadStage; tally: StageTally; summary: StageSummary } {
  const tally = new StageTally();
  for (const { arrivedAt, doneAt } of served) tally.push(sampleOf(arrivedAt, arrivedAt, doneAt - arrivedAt));
  const inWindow = served.map(({ arrivedAt, doneAt }) => Math.min(doneAt, durationMs) - arrivedAt);
  const stage: LoadStage = {
    ...{ caseId: "simulated", target: "queue", trial, load, startedAtMs: 0, windowMs: durationMs },
    ...{ sent: served.length, queued: 0, late: 0, dropped: 0 },
    completed: served.filter(({ doneAt }) => doneAt <= durationMs).length,
    meanInFlight: inWindow.reduce((sum, ms) => sum + ms, 0) / durationMs,
    usage: null,
    client: { wallMs: durationMs, cpuMs: 0, eventLoopDelayP99Ms: 0 },
    ended: null,
  };
  return { stage, tally, summary: tally.summarise(stage) };
}

export function sampleOf(intendedAtMs: number, startedAtMs: number, lastByteMs: number): LoadSample {
  return {
    ...{ stage: 0, phase: "measure", connection: 0, intendedAtMs, startedAtMs, connectMs: null },
    ...{ firstByteMs: lastByteMs, lastByteMs, status: 200, bodyBytes: 1, error: null },
    ...{ instanceId: null, served: null, inFlight: null, outstanding: 0 },
  };
}
