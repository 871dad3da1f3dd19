import { addAbortListener } from "node:events";
import { type ProcessAccount, usedBetween } from "@evenbench/host";
import { sum, warmInstances, warmthOf } from "@evenbench/stats";
import type { TrialTook } from "./case-fit.ts";
import type { CaseState } from "./case-state.ts";
import type { Instance } from "./instance.ts";
import { type ClientWatch, machineCpuMs, watchClient } from "./machine.ts";
import { playRoundGroup, startInstances } from "./play.ts";
import type { RunningTarget } from "./running-target.ts";
import { measureEnd, type TrialBudget, warmUpEnd } from "./time-budget.ts";
import { extrasOf, playTransfer, recordArrivals, TRANSFER_SHARE } from "./transfer.ts";
import { noteHeavyLog, noteWorkBehind, noteWorkElsewhere } from "./trial-notes.ts";
import { defaultMeasureMs, MIN_ROUNDS } from "./trial-time.ts";
import { warmUpAll } from "./warm-up.ts";

/**
 * Plays one trial of a case: starts an instance of each target, warms them up, measures rounds, and tells them to
 * stop. They do so while the next trial starts.
 */
export async function runTrial(state: CaseState, budget: TrialBudget): Promise<TrialTook> {
  const { context } = state;
  const { trial } = budget;
  state.trial = trial;
  const begunAt = performance.now();
  state.showProgress("start");
  const startOrder = context.randomOrder(state.askedTargets, trial, "start")();
  state.running = await startInstances(state, startOrder);
  // An exchange under way would otherwise hold the trial until its timeout.
  using _aborted = addAbortListener(context.session.signal, () => {
    for (const { probe } of state.running) {
      void probe.close();
    }
  });
  const startedAt = performance.now();
  let warmAt = startedAt;
  let endsAt = startedAt;
  try {
    await warmUpAll(state, state.running, warmUpEnd(budget, performance.now()));
    warmAt = performance.now();
    await noteWorkElsewhere(state);
    endsAt = roundsEnd(state, budget);
    await measureRounds(state, budget, endsAt);
    recordWarmth(state);
    await measureExtras(state, endsAt);
  } finally {
    state.showProgress("stop");
    for (const running of state.running) {
      noteHeavyLog(state, running, performance.now() - startedAt);
    }
    for (const { name, instance } of state.running) {
      const stopped = instance.stop();
      // Whoever waits for it is told.
      stopped.catch(() => {});
      context.session.stopping.set(name, stopped);
    }
  }
  const endedAt = performance.now();
  return {
    startMs: startedAt - begunAt,
    warmUpMs: warmAt - startedAt,
    restMs: endedAt - warmAt,
    overMs: Math.max(0, endedAt - endsAt),
  };
}

/** The moment at which the trial's rounds end, by how long they take at present. */
function roundsEnd(state: CaseState, budget: TrialBudget): number {
  const { running, context } = state;
  const roundMs = sum(running.map(({ recentMs }) => recentMs)) + running.length * context.plan.pauseMs;
  const usualMs = defaultMeasureMs({ ...state.cost(), roundMs });
  return measureEnd(budget, usualMs, performance.now());
}

/**
 * Measures rounds until the trial's time is up, or as many as the plan fixes. An instance that was replaced on the
 * way is warmed up before the next round. Of rounds that an abort cut, nothing but the samples is recorded: by that a
 * report knows them.
 */
async function measureRounds(state: CaseState, budget: TrialBudget, endsAt: number): Promise<void> {
  const { spacing, roundsPerTrial } = state.context.plan;
  const instances = state.running.map(({ instance }) => instance);
  const before = await accountsOf(state.running);
  const client = watchClient();
  const machineBefore = machineCpuMs();
  const nextOrder = state.context.randomOrder(state.running, state.trial, "measure");
  const transferMs = extrasOf(state).transfer ? TRANSFER_SHARE * (endsAt - performance.now()) : 0;
  const roundsEndAt = endsAt - transferMs;
  const enoughRounds = roundsPerTrial ?? MIN_ROUNDS;
  /** Targets of which another process answers than at the start. */
  const restarted = new Set<string>();
  for (let roundIndex = 0; state.mayGoOn; roundIndex += spacing) {
    // Of an odd number of rounds the median would lie on one of two levels, as said at `MIN_ROUNDS`.
    const isTimeUp = performance.now() >= roundsEndAt && roundIndex % 2 === 0;
    if (roundIndex >= enoughRounds && (roundsPerTrial !== null || isTimeUp)) {
      break;
    }
    const order = nextOrder().filter(({ name }) => !state.isDropped(name));
    const replaced = await playRoundGroup(state, { phase: "measure", order, roundIndex, times: spacing });
    for (const { name } of replaced) {
      restarted.add(name);
      state.forgetReplaced(name);
    }
    await warmUpAll(state, replaced, warmUpEnd(budget, performance.now()));
  }
  if (state.context.session.signal.aborted) {
    return;
  }
  const machineAfter = machineCpuMs();
  const serversMs = await recordUsage(state, { instances, before, restarted });
  const isKnown = machineBefore !== null && machineAfter !== null && serversMs !== null;
  recordClientLoad(state, client, isKnown ? machineAfter - machineBefore - serversMs : null);
}

/**
 * Records how busy this process was, how late its event loop, and what else was at work, since the watch began.
 *
 * @param restMs the CPU time of this process and of all others but the measured servers; null where it is not known.
 */
function recordClientLoad({ context, trial }: CaseState, client: ClientWatch, restMs: number | null): void {
  const { wallMs, cpuMs } = client.read();
  context.session.recorder.add("clientLoad", {
    caseId: context.manifest.id,
    trial,
    wallMs,
    cpuMs,
    eventLoopDelayP90Ms: client.lateMs(90),
    othersCpuMs: restMs === null ? null : Math.max(0, restMs - cpuMs),
  });
}

/** The instances of a trial as its rounds began. */
interface RoundsBegun {
  /** The instances, in the order of the running targets, as `before`. */
  readonly instances: readonly Instance[];
  /** The use of each until then; null where the system does not say. */
  readonly before: readonly (ProcessAccount | null)[];
  /** Names of the targets of which another process answers since. */
  readonly restarted: ReadonlySet<string>;
}

/**
 * Records what each instance used over the rounds; nothing of one that was replaced on the way.
 *
 * @returns the CPU time of all instances in milliseconds; null where that of one is not known.
 */
async function recordUsage(
  state: CaseState,
  { instances, before, restarted }: RoundsBegun,
): Promise<number | null> {
  const { session, manifest } = state.context;
  let allMs: number | null = 0;
  for (const [index, account] of (await accountsOf(state.running)).entries()) {
    const { name, instance } = state.running[index] as RunningTarget;
    const used = usedBetween(before[index] ?? null, account);
    allMs = allMs === null || used === null ? null : allMs + used.cpuMs;
    const exchanges = state.samplesOfTrial.filter(({ target }) => target === name).length;
    if (used !== null && instance === instances[index] && !restarted.has(name) && instance.cpu.isTrusted) {
      noteWorkBehind(state, state.running[index] as RunningTarget);
      session.recorder.add("usage", {
        caseId: manifest.id,
        trial: state.trial,
        target: name,
        exchanges,
        ...used,
      });
    }
  }
  return allMs;
}

function accountsOf(running: readonly RunningTarget[]): Promise<(ProcessAccount | null)[]> {
  return Promise.all(running.map(({ instance }) => instance.account()));
}

/** Records how much warm-up the trial's instances got, and what their rounds say of how much they need. */
function recordWarmth(state: CaseState): void {
  const { going, trial, context } = state;
  const { warmUps, manifest, session } = context;
  const warm = warmInstances(state.samplesOfTrial, []).cpuTime;
  for (const running of going) {
    session.recorder.add("warmUps", {
      caseId: manifest.id,
      target: running.name,
      trial,
      exchanges: running.series.costs.length,
      needed: warmUps.neededBy(running),
      warmAfter: warmUps.warmAfter(running),
    });
  }
  for (const running of going) {
    warmUps.raiseIfCold(running, warmthOf(warm, running.name, trial), running.series.costs.length);
    // Only now: it changes the need that this trial's instances were to get, which the line above looks at.
    warmUps.updateExchangeTime(running, running.recentTimes);
  }
  if (going.every(({ name }) => warmthOf(warm, name, trial) === null)) {
    state.warmTrials += 1;
  }
}

/** Records how the case's body arrives, and measures transfer times, where the case has them. */
async function measureExtras(state: CaseState, endsAt: number): Promise<void> {
  const { arrivals, transfer } = extrasOf(state);
  if (!state.mayGoOn || !arrivals) {
    return;
  }
  const parts = state.parts === 1 ? 1 : await recordArrivals(state);
  state.parts = parts;
  if (transfer) {
    await playTransfer(state, parts, endsAt);
  }
}
