import { type ProcessAccount, usedBetween } from "@evenbench/host";
import { type Probe, recordOf } from "@evenbench/probe";
import type { LoadSample, LoadStage, OfferedLoad } from "@evenbench/results";
import { type CaseRequest, watchClient } from "@evenbench/runner";
import { inWindow, type Passed, UNMEASURED_SHARE } from "../remote/rate.ts";
import {
  arrivalTimes,
  closedLoop,
  openLoop,
  type Sent,
  type Traffic,
  type TrafficCounts,
  waitUntil,
} from "./loops.ts";

const WAITING_FOR_MS = 1000;
/** Where the client has cores of its own, it may look at the clock instead of sleeping. */
const SPIN_MS = 1.5;

export interface StageTerms extends CaseRequest {
  readonly load: OfferedLoad;
  readonly stageMs: number;
  readonly runStartedAt: number;
  readonly signal: AbortSignal;
  account(): Promise<ProcessAccount | null>;
  onWindow?(): void;
  sample(sample: Omit<LoadSample, "stage">): void;
}

export interface StageOptions extends StageTerms {
  readonly seed: number;
  readonly connections: readonly Probe[];
  readonly ownCores: boolean;
}

export type StageOutcome = Omit<LoadStage, "caseId" | "target" | "trial" | "load">;

export async function runStage(options: StageOptions): Promise<StageOutcome> {
  const { stageMs, runStartedAt, signal } = options;
  const startedAt = performance.now();
  const windowAt = startedAt + stageMs * UNMEASURED_SHARE;
  const passed: Passed[] = [];
  const traffic: Traffic = {
    ...options,
    underWay: 0,
    over(sent) {
      const isAnswer = sent.exchange.error === null && !signal.aborted;
      passed.push({ begunAtMs: sent.begunAt, overAtMs: performance.now(), isAnswer });
      if (!signal.aborted) options.sample(sampleOf(sent, windowAt, runStartedAt));
    },
  };
  let window: ReturnType<typeof openWindow> | null = null;
  const begin = setTimeout(() => {
    options.onWindow?.();
    window = openWindow(options);
  }, windowAt - startedAt);
  const end = setTimeout(() => void window?.close(), stageMs);
  const counts = await offer(traffic, options);
  // At a low rate the last answer comes long before the time is over, and what is counted is divided by all of it.
  await waitUntil(startedAt + stageMs, signal);
  clearTimeout(begin);
  clearTimeout(end);
  const { fromAt, toAt, ...used } = await (window ?? openWindow(options)).close();
  return {
    ...counts,
    ...used,
    ...inWindow(passed, fromAt, toAt),
    startedAtMs: fromAt - runStartedAt,
    windowMs: toAt - fromAt,
    ended: signal.aborted ? "the run was interrupted" : null,
  };
}

function offer(traffic: Traffic, { load, stageMs, seed, ownCores }: StageOptions): Promise<TrafficCounts> {
  if (load.kind === "closed") return closedLoop(traffic, stageMs);
  return openLoop(traffic, {
    arrivals: arrivalTimes(load.perSecond, load.arrivals, stageMs, seed),
    mostWaiting: Math.max(load.connections, Math.ceil((load.perSecond * WAITING_FOR_MS) / 1000)),
    drainMs: WAITING_FOR_MS,
    spinMs: ownCores ? SPIN_MS : 0,
  });
}

function sampleOf(
  { connection, intendedAt, outstanding, exchange }: Sent,
  windowAt: number,
  runStartedAt: number,
): Omit<LoadSample, "stage"> {
  return {
    phase: intendedAt < windowAt ? "warmup" : "measure",
    connection,
    intendedAtMs: intendedAt - runStartedAt,
    ...recordOf(exchange, runStartedAt),
    outstanding,
  };
}

interface Readings extends Pick<StageOutcome, "usage" | "client"> {
  readonly fromAt: number;
  readonly toAt: number;
}

function openWindow({ account }: StageOptions): { close(): Promise<Readings> } {
  const [fromAt, before, client] = [performance.now(), account(), watchClient()];
  let readings: Promise<Readings> | null = null;
  const read = async (): Promise<Readings> => {
    const used = { ...client.read(), eventLoopDelayP99Ms: client.late(99) };
    const seen = { fromAt, toAt: performance.now(), client: used };
    return { ...seen, usage: usedBetween(...(await Promise.all([before, account()]))) };
  };
  return {
    close() {
      readings ??= read();
      return readings;
    },
  };
}
