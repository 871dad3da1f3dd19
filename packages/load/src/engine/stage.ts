import { type ProcessAccount, usedBetween } from "@evenbench/host";
import { type ExchangeError, type Probe, recordOf, voidUnchecked } from "@evenbench/probe";
import type { LoadSample, LoadStage, OfferedLoad } from "@evenbench/results";
import { type CaseRequest, watchClient } from "@evenbench/runner";
import { type ArrivalTerms, closedLoop, openLoop, type Traffic, waitUntil } from "./loops.ts";
import { inWindow, phaseOf, UNMEASURED_SHARE } from "./window.ts";

export interface StageTerms extends CaseRequest {
  readonly load: OfferedLoad;
  readonly stageMs: number;
  readonly runStartedAt: number;
  readonly signal: AbortSignal;
  account(): Promise<ProcessAccount | null>;
  onWindow?(): void;
  /** Asks once more behind the load. @returns why the target does not answer as in preflight, or null. */
  prove(): Promise<ExchangeError | null>;
}

export interface StageOptions extends StageTerms, ArrivalTerms {
  readonly connections: readonly Probe[];
}

export type StageOutcome = Omit<LoadStage, "caseId" | "target" | "trial" | "load">;

export interface PlayedStage {
  /** What was wrong with the answer behind the load; null where it was right, or the run was aborted. */
  readonly wrong: ExchangeError | null;
  readonly outcome: StageOutcome;
  readonly samples: readonly Omit<LoadSample, "stage">[];
}

export async function runStage(options: StageOptions): Promise<PlayedStage> {
  const { load, stageMs, runStartedAt, signal } = options;
  const startedAt = performance.now();
  const windowAt = startedAt + stageMs * UNMEASURED_SHARE;
  const traffic: Traffic = { ...options, underWay: 0, begun: [], over: [] };
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
  const ended = signal.aborted ? "the run was interrupted" : null;
  return {
    wrong,
    outcome: { ...counts, ...used, ...inWindow(passed, fromAt, toAt), ended },
    samples: traffic.over.map(({ connection, intendedAt, overAt, outstanding, exchange }) => ({
      phase: phaseOf(intendedAt, exchange.error === null ? null : overAt, windowAt),
      connection,
      intendedAtMs: intendedAt - runStartedAt,
      ...recordOf(exchange, runStartedAt),
      outstanding,
    })),
  };
}

/** What the target and the client used in the measured part, and when that was; by `performance.now()`. */
export async function watchWindow(
  { stageMs, runStartedAt, account, onWindow }: StageTerms,
  startedAt: number,
  over: AbortSignal,
  watch: () => () => Promise<StageOutcome["client"]>,
) {
  await waitUntil(startedAt + stageMs * UNMEASURED_SHARE, over);
  onWindow?.();
  const fromAt = performance.now();
  const before = account();
  const read = watch();
  await waitUntil(startedAt + stageMs, over);
  const toAt = performance.now();
  const [client, after] = await Promise.all([read(), account()]);
  const usage = usedBetween(await before, after);
  return {
    fromAt,
    toAt,
    used: { startedAtMs: fromAt - runStartedAt, windowMs: toAt - fromAt, usage, client },
  };
}
