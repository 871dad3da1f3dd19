import { type ProcessAccount, usedBetween } from "@evenbench/host";
import { type ExchangeError, type Probe, recordedOf, voidUnchecked } from "@evenbench/probe";
import type { LoadSample, LoadStage, OfferedLoad } from "@evenbench/results";
import { type CaseRequest, watchClient } from "@evenbench/runner";
import { type ArrivalTerms, closedLoop, openLoop, type Traffic, waitUntilMoment } from "./loops.ts";
import { inWindow, phaseOf, UNMEASURED_SHARE } from "./window.ts";

/** The terms of one load on one target, whatever client sends it. */
export interface StageTerms extends CaseRequest {
  /** The load that is offered. */
  readonly load: OfferedLoad;
  /** Length of the stage in milliseconds, with the part that is not measured. */
  readonly stageMs: number;
  /** The start of the run by `performance.now()`: times of samples count from it. */
  readonly runStartedAt: number;
  /** Ends the stage early when it aborts: as the load's time is over, or the user interrupts. */
  readonly signal: AbortSignal;
  /** Aborts where the user interrupts: what is under way then is not waited for, and is no sample. */
  readonly interruption: AbortSignal;
  /** Reads what the target's processes have used so far; null where the system does not say it. */
  account(): Promise<ProcessAccount | null>;
  /** Is called when the measured window begins. */
  onWindow?(): void;
  /** Asks once more behind the load. @returns why the target does not answer as in preflight, or null. */
  prove(): Promise<ExchangeError | null>;
}

/** The terms of a stage that Evenbench's own client sends. */
export interface StageOptions extends StageTerms, ArrivalTerms {
  /** Open connections to the target, one for each that the load has. */
  readonly connections: readonly Probe[];
}

/** The counts and the use of a stage, as its record has them. */
type StageOutcome = Omit<LoadStage, "caseId" | "target" | "trial" | "load">;

/** The client's use in the measured window, as the stage's record has it. */
export type ClientUsage = LoadStage["client"];

/** A stage that was sent. */
export interface PlayedStage {
  /** The error of the answer behind the load; null where it was right, or the stage was cut short. */
  readonly wrong: ExchangeError | null;
  /** Counts and use. */
  readonly outcome: StageOutcome;
  /** Requests in the order in which they ended. */
  readonly samples: readonly Omit<LoadSample, "stage">[];
}

/** Says what cut a stage short; null where nothing did. */
export function whatCut({
  signal,
  interruption,
}: Pick<StageTerms, "signal" | "interruption">): string | null {
  if (!signal.aborted) {
    return null;
  }
  return interruption.aborted ? "the run was interrupted" : "the load's time was over";
}

/** Sends one load to a target by Evenbench's own client, on this process's thread. */
export async function runStage(options: StageOptions): Promise<PlayedStage> {
  const { load, stageMs, runStartedAt, signal } = options;
  const startedAt = performance.now();
  const windowAt = startedAt + stageMs * UNMEASURED_SHARE;
  const traffic: Traffic = { ...options, underWay: 0, over: [] };
  const offered = load.kind === "closed" ? closedLoop(traffic, stageMs) : openLoop(traffic, load, options);
  const watched = watchWindow(options, startedAt, signal, () => {
    const client = watchClient();
    return async () => ({ ...client.read(), eventLoopDelayP99Ms: client.lateMs(99) });
  });
  const [counts, { fromAt, toAt, used }] = await Promise.all([offered, watched]);
  const wrong = signal.aborted ? null : await options.prove();
  voidUnchecked(
    traffic.over.map(({ exchange }) => exchange),
    wrong,
  );
  const passed = traffic.over.map(({ begunAt, overAt, exchange }) => {
    return { begunAtMs: begunAt, overAtMs: overAt, isAnswer: exchange.error === null };
  });
  return {
    wrong,
    outcome: { ...counts, ...used, ...inWindow(passed, fromAt, toAt), ended: whatCut(options) },
    samples: traffic.over.map(({ connection, intendedAt, overAt, outstanding, exchange }) => ({
      phase: phaseOf(intendedAt, exchange.error === null ? null : overAt, windowAt),
      connection,
      intendedAtMs: intendedAt - runStartedAt,
      ...recordedOf(exchange, runStartedAt),
      outstanding,
    })),
  };
}

/** The measured window of a stage. */
export interface WatchedWindow {
  /** The start by `performance.now()`. */
  readonly fromAt: number;
  /** The end by `performance.now()`. */
  readonly toAt: number;
  /** The use of target and client in it. */
  readonly used: Pick<StageOutcome, "startedAtMs" | "windowMs" | "usage" | "client">;
}

/**
 * Waits through a stage, and reads what target and client use in its measured window.
 *
 * @param startedAt the start of the stage by `performance.now()`.
 * @param over ends the waiting early when it aborts.
 * @param watch begins to watch the client, and returns a function that reads the client's use since.
 */
export async function watchWindow(
  { stageMs, runStartedAt, account, onWindow }: StageTerms,
  startedAt: number,
  over: AbortSignal,
  watch: () => () => Promise<ClientUsage>,
): Promise<WatchedWindow> {
  await waitUntilMoment(startedAt + stageMs * UNMEASURED_SHARE, over);
  onWindow?.();
  const fromAt = performance.now();
  const before = account();
  const read = watch();
  await waitUntilMoment(startedAt + stageMs, over);
  const toAt = performance.now();
  const [client, after] = await Promise.all([read(), account()]);
  const usage = usedBetween(await before, after);
  return {
    fromAt,
    toAt,
    used: { startedAtMs: fromAt - runStartedAt, windowMs: toAt - fromAt, usage, client },
  };
}
