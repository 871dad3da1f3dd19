import { type ProcessAccount, usedBetween } from "@evenbench/host";
import { type Exchange, type Probe, recordOf } from "@evenbench/probe";
import type { LoadSample, LoadStage, OfferedLoad } from "@evenbench/results";
import { type CaseRequest, watchClient } from "@evenbench/runner/engine";
import { UNMEASURED_SHARE } from "@evenbench/vantages/rate";
import {
  type Answered,
  arrivalTimes,
  closedLoop,
  openLoop,
  type Traffic,
  type TrafficCounts,
  UnderWay,
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
  const { stageMs, runStartedAt } = options;
  const startedAt = performance.now();
  const windowAt = startedAt + stageMs * UNMEASURED_SHARE;
  const health = new HealthWatch(options.signal);
  const underWay = new UnderWay();
  const meters = windowMeters(options, underWay);
  const traffic: Traffic = {
    ...options,
    underWay,
    signal: health.signal,
    answered(one) {
      health.saw(one.exchange);
      if (one.exchange.error === null) meters.completed();
      options.sample(sampleOf(one, windowAt, runStartedAt));
    },
  };
  const begin = setTimeout(() => meters.begin(), windowAt - startedAt);
  const end = setTimeout(() => meters.end(), stageMs);
  const counts = await offer(traffic, options);
  // At a low rate the last answer comes long before the time is over, and what is counted is divided by all of it.
  await waitUntil(startedAt + stageMs, health.signal);
  clearTimeout(begin);
  clearTimeout(end);
  const ended = health.failure ?? (options.signal.aborted ? "the run was interrupted" : null);
  return { ...counts, ...(await meters.end()), ended };
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
  { connection, intendedAt, outstanding, exchange }: Answered,
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

type WindowReadings = Pick<
  StageOutcome,
  "startedAtMs" | "windowMs" | "completed" | "meanInFlight" | "usage" | "client"
>;

function windowMeters({ account, runStartedAt, onWindow }: StageOptions, underWay: UnderWay) {
  let [completed, startedAt] = [0, performance.now()];
  let before = account();
  let client = watchClient();
  let readings: Promise<WindowReadings> | null = null;
  return {
    completed(): void {
      completed += 1;
    },
    begin(): void {
      onWindow?.();
      client.read();
      before = account();
      client = watchClient();
      underWay.startWindow();
      completed = 0;
      startedAt = performance.now();
    },
    end(): Promise<WindowReadings> {
      if (readings !== null) return readings;
      const seen = {
        startedAtMs: startedAt - runStartedAt,
        windowMs: performance.now() - startedAt,
        completed,
        meanInFlight: underWay.mean(),
        client: client.read(),
      };
      readings = Promise.all([before, account()]).then((accounts) => {
        return { ...seen, usage: usedBetween(...accounts) };
      });
      return readings;
    },
  };
}

/** A stage in which nothing has succeeded for so long, and in so many exchanges, is given up. */
const MOST_SILENCE_MS = 3000;
const LEAST_ERRORS = 5;

/** Sees whether a target still answers: under load single errors are results, nothing but errors is the end. */
export class HealthWatch {
  readonly #over = new AbortController();
  readonly signal: AbortSignal;
  failure: string | null = null;
  readonly #now: () => number;
  #goodAt: number;
  #errorsSince = 0;

  constructor(outer: AbortSignal, now = () => performance.now()) {
    this.#now = now;
    this.#goodAt = now();
    this.signal = AbortSignal.any([outer, this.#over.signal]);
  }

  saw({ error }: Pick<Exchange, "error">): void {
    const now = this.#now();
    if (error === null) {
      this.#goodAt = now;
      this.#errorsSince = 0;
      return;
    }
    this.#errorsSince += 1;
    if (this.#errorsSince < LEAST_ERRORS || now - this.#goodAt < MOST_SILENCE_MS) return;
    this.failure ??= `nothing but errors for ${MOST_SILENCE_MS / 1000} s, the last one ${error.kind}: ${error.detail}`;
    this.#over.abort();
  }
}
