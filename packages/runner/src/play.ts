import { messageOf } from "@evenbench/core";
import { type AskedTarget, type Exchange, runRound } from "@evenbench/probe";
import type { Sample } from "@evenbench/results";
import type { CaseWork } from "./case-work.ts";
import { type Instance, startInstance } from "./instance.ts";
import { RunError } from "./options.ts";
import { DIGEST_EVERY } from "./plan.ts";
import type { MeasuredTarget } from "./targets.ts";

type Phase = Extract<Sample["phase"], "warmup" | "measure">;

export interface Block {
  readonly phase: Phase;
  readonly order: readonly RunningTarget[];
  readonly roundIndex: number;
  readonly times: number;
}

/** @returns the runningTargets whose instance is another one since. */
export async function playBlock(
  work: CaseWork,
  trial: number,
  { phase, order, roundIndex, times }: Block,
): Promise<RunningTarget[]> {
  const { session } = work;
  work.showProgress(phase, trial, roundIndex);
  const turns = order.flatMap((running, place) =>
    Array.from({ length: times }, (_, turn) => ({ running, place, roundIndex: roundIndex + turn })),
  );
  const named = turns.map(({ running, roundIndex: round }) => {
    const key = { caseId: work.manifest.id, target: running.name, trial, phase, roundIndex: round };
    return { ...running, requestId: session.providerCpu?.nameOf(running, key) };
  });
  const withDigest = Math.floor(roundIndex / times) % Math.ceil(DIGEST_EVERY / times) === 0;
  const pauseMs = phase === "measure" ? work.pauseMs : 0;
  const together = phase === "measure" && times === 1 ? session.askTogether : 1;
  const exchanges = await runRound(named, { body: withDigest }, session.signal, { pauseMs, together });
  const disturbed = new Map<RunningTarget, Exchange>();
  for (const [index, exchange] of exchanges.entries()) {
    const { running, place, roundIndex: round } = turns[index] as (typeof turns)[number];
    work.record({ target: running.name, trial, phase, roundIndex: round, position: place }, exchange);
    note(running, phase, round, exchange);
    if (exchange.error !== null || isReplaced(work, running, exchange)) disturbed.set(running, exchange);
  }
  session.recorder.flush();
  const replaced: RunningTarget[] = [];
  for (const [running, exchange] of disturbed) {
    if (!session.signal.aborted && (await attendTo(work, trial, running, exchange))) replaced.push(running);
  }
  return replaced;
}

function note(running: RunningTarget, phase: Phase, roundIndex: number, exchange: Exchange): void {
  if (phase === "measure") running.exchanges += 1;
  const cost = costOf(exchange);
  if (cost === null) return;
  if (phase === "measure") {
    running.costByRound.set(roundIndex, cost);
    return;
  }
  running.costs.push(cost);
  running.times.push(exchange.lastByteMs ?? cost);
}

/** Whether another process answers than before, in a place that should have only one. */
function isReplaced({ session }: CaseWork, running: RunningTarget, { instanceId }: Exchange): boolean {
  if (instanceId === null) return false;
  const before = running.instanceId;
  running.instanceId = instanceId;
  const single = running.target.place === "local" && session.instanceSettings.workers === 1;
  return single && before !== null && before !== instanceId;
}

async function attendTo(
  work: CaseWork,
  trial: number,
  running: RunningTarget,
  { error }: Exchange,
): Promise<boolean> {
  if (error === null) {
    const detail = `${running.name}: another instance answers; the host replaced its process.`;
    const where = { caseId: work.manifest.id, target: running.name, trial };
    work.session.recorder.event("host-restarted", detail, where);
    Object.assign(running, nothingYet());
    return true;
  }
  const cause = error.kind === "connection" ? await running.instance.causeOfDeath() : null;
  if (cause !== null) return restart(work, trial, running, cause);
  const exhausted = work.budgetOf(running.name).exhausted;
  if (exhausted !== null) work.drop(running.name, exhausted, trial);
  return false;
}

export async function startInstances(
  work: CaseWork,
  trial: number,
  order: readonly MeasuredTarget[],
): Promise<RunningTarget[]> {
  const runningTargets = await Promise.all(order.map((measured) => startFor(work, trial, measured)));
  return runningTargets.filter((running) => running !== null);
}

async function startFor(
  work: CaseWork,
  trial: number,
  measured: MeasuredTarget,
): Promise<RunningTarget | null> {
  const { session, manifest } = work;
  const { name } = measured;
  try {
    const instance = await start(work, measured).catch((problem: unknown) => {
      // Another start would find the same pins.
      if (problem instanceof RunError || session.signal.aborted) throw problem;
      const detail = `${name}: its host did not start, and is tried again. ${messageOf(problem)}`;
      session.recorder.event("host-restarted", detail, { caseId: manifest.id, target: name, trial });
      return start(work, measured);
    });
    work.budgetOf(name).startInstance();
    return {
      ...measured,
      ...work.requestOf(measured),
      ...inUse(instance),
      restarted: false,
      exchanges: 0,
    };
  } catch (problem) {
    if (session.signal.aborted) return null;
    const why = problem instanceof RunError ? "" : "its host does not start. ";
    work.drop(name, why + messageOf(problem), trial);
    return null;
  }
}

async function restart(
  work: CaseWork,
  trial: number,
  running: RunningTarget,
  cause: string,
): Promise<boolean> {
  await running.instance.stop();
  if (running.restarted) {
    work.drop(running.name, `its host died twice in one trial. ${cause}`, trial);
    return false;
  }
  running.restarted = true;
  try {
    Object.assign(running, inUse(await start(work, running)));
  } catch (problem) {
    if (work.session.signal.aborted) return false;
    work.drop(running.name, `its host died and could not be started again. ${messageOf(problem)}`, trial);
    return false;
  }
  work.budgetOf(running.name).startInstance();
  const detail = `${running.name}: its host was started again. ${cause}`;
  const where = { caseId: work.manifest.id, target: running.name, trial };
  work.session.recorder.event("host-restarted", detail, where);
  return true;
}

async function start(work: CaseWork, measured: MeasuredTarget): Promise<Instance> {
  const { patience, instanceSettings } = work.session;
  patience?.check(measured.name);
  const begunAt = performance.now();
  try {
    return await startInstance(measured, work.identityOf(measured), instanceSettings);
  } catch (problem) {
    patience?.lose(measured.name, performance.now() - begunAt);
    throw problem;
  }
}

function inUse(instance: Instance) {
  // Its start is no exchange's cost.
  instance.readCost();
  return {
    instance,
    probe: instance.probe,
    readCost: instance.readCost,
    instanceId: null,
    ...nothingYet(),
  };
}

export interface RunningTarget extends MeasuredTarget, AskedTarget {
  probe: Instance["probe"];
  instance: Instance;
  instanceId: string | null;
  restarted: boolean;
  exchanges: number;
  /**
   * What each warm-up exchange of this instance cost: CPU time, or the time to its last byte where that is
   * not reported. Milliseconds.
   */
  costs: number[];
  /** Time to the last byte of each of them, in milliseconds. */
  times: number[];
  costByRound: Map<number, number>;
}

function nothingYet(): Pick<RunningTarget, "costs" | "times" | "costByRound"> {
  return { costs: [], times: [], costByRound: new Map() };
}

/** What one exchange cost, in milliseconds; null where it failed. */
export function costOf({ cost, error, lastByteMs }: Exchange): number | null {
  return error === null ? (cost?.cpuMs ?? lastByteMs) : null;
}
