import { messageOf, quotesOf, type Reason } from "@evenbench/core";
import { type AskedTarget, type Exchange, faultOf, runRound } from "@evenbench/probe";
import { requestId, type Sample } from "@evenbench/results";
import type { CaseView, SamplePlace } from "./case-state.ts";
import { type Instance, startInstance } from "./instance.ts";
import { refuseClientLimit } from "./open-files.ts";
import { RunError } from "./options.ts";
import { DIGEST_EVERY } from "./plan.ts";
import { RunningTarget } from "./running-target.ts";
import { whyNotAwaited } from "./session.ts";
import type { MeasuredTarget } from "./targets.ts";
import { addExchange } from "./warm-up-series.ts";

/** Rounds that are played in one go: each target is asked as often as there are rounds, back to back. */
export interface RoundGroup {
  readonly phase: Extract<Sample["phase"], "warmup" | "measure">;
  /** The targets, in the order in which they are asked. */
  readonly order: readonly RunningTarget[];
  /** Number of its first round, from 0. */
  readonly roundIndex: number;
  /** Number of its rounds: how often each target is asked. */
  readonly times: number;
}

/** An exchange that is to be played. */
interface PlannedExchange extends AskedTarget {
  readonly running: RunningTarget;
  readonly where: SamplePlace;
}

/**
 * Plays a group of rounds, records its exchanges, and starts instances again that died.
 *
 * @returns the targets for which another instance answers since.
 */
export async function playRoundGroup(state: CaseView, block: RoundGroup): Promise<RunningTarget[]> {
  const { session, plan } = state.context;
  const { phase, roundIndex, times } = block;
  state.showProgress(phase, roundIndex);
  // Every measured body is checked, or an error page that is served meanwhile would be taken for the work.
  const groupIndex = Math.floor(roundIndex / times);
  const groupsPerDigest = Math.ceil(DIGEST_EVERY / times);
  const digest = phase === "measure" || groupIndex % groupsPerDigest === 0;
  const pauseMs = phase === "measure" ? plan.pauseMs : 0;
  const disturbed = new Map<RunningTarget, Exchange>();
  const planned = plannedExchanges(state, block);
  for (const { target, exchange } of await runRound(planned, { digest }, session.signal, pauseMs)) {
    const { running, where } = target;
    state.record(where, exchange);
    if (phase === "warmup") {
      addExchange(running.series, exchange);
    }
    if (faultOf(exchange) !== null || isReplaced(state, running, exchange)) {
      disturbed.set(running, exchange);
    }
  }
  session.recorder.flush();
  return handleDisturbed(state, disturbed);
}

/** Lists the exchanges of a group of rounds in the order in which they are played: each target's back to back. */
function plannedExchanges(state: CaseView, block: RoundGroup): PlannedExchange[] {
  const { session, manifest } = state.context;
  const { phase, order, roundIndex, times } = block;
  const planned: PlannedExchange[] = [];
  for (const [position, running] of order.entries()) {
    const { name, probe, path, expected, instance } = running;
    const isAccounted = session.accounts !== null && running.target.place === "url";
    for (let turn = 0; turn < times; turn++) {
      const key = { target: name, phase, roundIndex: roundIndex + turn };
      planned.push({
        name,
        probe,
        path,
        expected,
        running,
        where: { ...key, position },
        requestId: isAccounted
          ? requestId(session.recorder.record.id, { caseId: manifest.id, trial: state.trial, ...key })
          : undefined,
        beginCost: instance.cpu.beginCost,
        readCost: instance.cpu.readCost,
      });
    }
  }
  return planned;
}

/**
 * Handles the exchanges of a group of rounds that failed.
 *
 * @returns the targets for which another instance answers since.
 */
async function handleDisturbed(
  state: CaseView,
  disturbed: ReadonlyMap<RunningTarget, Exchange>,
): Promise<RunningTarget[]> {
  for (const { error } of disturbed.values()) {
    refuseClientLimit(error);
  }
  const replaced: RunningTarget[] = [];
  for (const [running, exchange] of disturbed) {
    if (!state.context.session.signal.aborted && (await handleFailure(state, running, exchange))) {
      replaced.push(running);
    }
  }
  return replaced;
}

/** Tells whether another process answered than before, where a target has just one. */
function isReplaced({ context }: CaseView, running: RunningTarget, { instanceId }: Exchange): boolean {
  const isAnother = running.answeredBy(instanceId);
  return isAnother && running.target.place === "local" && context.session.instanceSettings.workers === 1;
}

/**
 * Handles an answer of another process, a failed exchange, or one that was sent again: starts a dead instance again, and
 * drops a target that has too many of these.
 *
 * @returns whether another instance answers since.
 */
async function handleFailure(state: CaseView, running: RunningTarget, exchange: Exchange): Promise<boolean> {
  const { name } = running;
  const { error } = exchange;
  const { session, manifest } = state.context;
  if (faultOf(exchange) === null) {
    const detail = `${name}: another instance answers; the host replaced its process.`;
    state.reportEvent("host-restarted", detail, name);
    running.forgetWarmUp();
    return true;
  }
  const cause = error?.kind === "connection" ? await running.instance.causeOfDeath() : null;
  if (cause !== null) {
    return restart(state, running, cause);
  }
  const { exhausted } = state.errorBudgetOf(name);
  if (exhausted === null) {
    return false;
  }
  if (error?.kind === "timeout") {
    session.lost.set(name, manifest.id);
  }
  state.drop(name, exhausted);
  return false;
}

/** Starts an instance of each target, side by side. Targets that do not start are dropped. */
export async function startInstances(
  state: CaseView,
  order: readonly MeasuredTarget[],
): Promise<RunningTarget[]> {
  const started = await Promise.all(
    order.map(async (target): Promise<RunningTarget | null> => {
      const instance = await startOrDrop(state, target, "its host does not start. ");
      const request = state.context.requestOf(target);
      return instance === null ? null : new RunningTarget(target, request, instance);
    }),
  );
  return started.filter((running) => running !== null);
}

/** Starts an instance, at the second try if need be. @param why begins the reason for which it is dropped. */
async function startOrDrop(state: CaseView, target: MeasuredTarget, why: string): Promise<Instance | null> {
  const { name } = target;
  const { session, manifest } = state.context;
  const { signal, lost, instanceSettings } = session;
  const whyNot = whyNotAwaited(lost, name);
  if (whyNot !== null) {
    state.drop(name, whyNot);
    return null;
  }
  // Its log, and what else is named by the target, is used by one instance at a time.
  await session.stopping.get(name);
  try {
    const instance = await startTwice(state, name, () =>
      startInstance(target, state.context.identityOf(target), instanceSettings),
    );
    state.errorBudgetOf(name).startInstance();
    // Its start is no exchange's cost.
    instance.cpu.readCost();
    return instance;
  } catch (problem) {
    if (signal.aborted) {
      return null;
    }
    lost.set(name, manifest.id);
    state.drop(name, (problem instanceof RunError ? "" : why) + messageOf(problem), quotesOf(problem));
    return null;
  }
}

/** Starts a target's host, at the second try if need be: the first may have failed by chance, as where its port was lost. */
export async function startTwice<T>(
  state: Pick<CaseView, "context" | "reportEvent">,
  name: string,
  start: () => Promise<T>,
): Promise<T> {
  try {
    return await start();
  } catch (problem) {
    // Another start would find the same pins.
    if (problem instanceof RunError || state.context.session.signal.aborted) {
      throw problem;
    }
    const detail = `${name}: its host did not start, and is tried again. ${messageOf(problem)}`;
    state.reportEvent("host-restarted", detail, name, quotesOf(problem));
    return start();
  }
}

/** Starts the instance of a target again that died. The second death in a trial drops the target. */
async function restart(
  state: CaseView,
  running: RunningTarget,
  { message, quotes }: Reason,
): Promise<boolean> {
  const { name } = running;
  await running.instance.stop();
  if (running.hasRestarted) {
    state.drop(name, `its host died twice in one trial. ${message}`, quotes);
    return false;
  }
  const instance = await startOrDrop(state, running, "its host died and could not be started again. ");
  if (instance === null) {
    return false;
  }
  running.restartWith(instance);
  state.reportEvent("host-restarted", `${name}: its host was started again. ${message}`, name, quotes);
  return true;
}
