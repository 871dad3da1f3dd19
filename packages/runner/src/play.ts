import { messageOf } from "@evenbench/core";
import { type Exchange, type Position, runRound } from "@evenbench/probe";
import type { Sample } from "@evenbench/results";
import type { CaseWork } from "./case-work.ts";
import { type Instance, startInstance } from "./instance.ts";
import { RunError } from "./options.ts";
import { DIGEST_EVERY } from "./plan.ts";
import type { Subject } from "./targets.ts";

type Phase = Extract<Sample["phase"], "warmup" | "measure">;

export interface Block {
  readonly phase: Phase;
  readonly order: readonly RunningPosition[];
  readonly roundIndex: number;
  readonly times: number;
}

/** @returns the positions whose instance is another one since. */
export async function playBlock(
  work: CaseWork,
  trial: number,
  { phase, order, roundIndex, times }: Block,
): Promise<RunningPosition[]> {
  const { session } = work;
  work.showProgress(phase, trial, roundIndex);
  const turns = order.flatMap((position, place) =>
    Array.from({ length: times }, (_, turn) => ({ position, place, roundIndex: roundIndex + turn })),
  );
  const named = turns.map(({ position, roundIndex: round }) => {
    const key = { caseId: work.manifest.id, target: position.name, trial, phase, roundIndex: round };
    return { ...position, requestId: session.providerCpu?.nameOf(position.subject, key) };
  });
  const withDigest = Math.floor(roundIndex / times) % Math.ceil(DIGEST_EVERY / times) === 0;
  const pauseMs = phase === "measure" ? work.pauseMs : 0;
  const together = phase === "measure" && times === 1 ? session.askTogether : 1;
  const exchanges = await runRound(named, { body: withDigest }, session.signal, { pauseMs, together });
  const disturbed = new Map<RunningPosition, Exchange>();
  for (const [index, exchange] of exchanges.entries()) {
    const { position, place, roundIndex: round } = turns[index] as (typeof turns)[number];
    work.record({ target: position.name, trial, phase, roundIndex: round, position: place }, exchange);
    note(position, phase, round, exchange);
    if (exchange.error !== null || isReplaced(work, position, exchange)) disturbed.set(position, exchange);
  }
  session.recorder.flush();
  const replaced: RunningPosition[] = [];
  for (const [position, exchange] of disturbed) {
    if (!session.signal.aborted && (await attendTo(work, trial, position, exchange))) replaced.push(position);
  }
  return replaced;
}

function note(position: RunningPosition, phase: Phase, roundIndex: number, exchange: Exchange): void {
  if (phase === "measure") position.measured += 1;
  const cost = costOf(exchange);
  if (cost === null) return;
  if (phase === "measure") {
    position.costByRound.set(roundIndex, cost);
    return;
  }
  position.costs.push(cost);
  position.times.push(exchange.lastByteMs ?? cost);
}

/** Whether another process answers than before, in a place that should have only one. */
function isReplaced({ session }: CaseWork, position: RunningPosition, { instanceId }: Exchange): boolean {
  if (instanceId === null) return false;
  const before = position.instanceId;
  position.instanceId = instanceId;
  const single = position.subject.target.place === "local" && session.instanceSettings.workers === 1;
  return single && before !== null && before !== instanceId;
}

async function attendTo(
  work: CaseWork,
  trial: number,
  position: RunningPosition,
  { error }: Exchange,
): Promise<boolean> {
  if (error === null) {
    const detail = `${position.name}: another instance answers; the host replaced its process.`;
    const where = { caseId: work.manifest.id, target: position.name, trial };
    work.session.recorder.event("host-restarted", detail, where);
    Object.assign(position, nothingYet());
    return true;
  }
  const cause = error.kind === "connection" ? await position.instance.causeOfDeath() : null;
  if (cause !== null) return restartPosition(work, trial, position, cause);
  const exhausted = work.budgetOf(position.name).exhausted;
  if (exhausted !== null) work.drop(position.name, exhausted, trial);
  return false;
}

export async function startPositions(
  work: CaseWork,
  trial: number,
  order: readonly Subject[],
): Promise<RunningPosition[]> {
  const positions = await Promise.all(order.map((subject) => startPosition(work, trial, subject)));
  return positions.filter((position) => position !== null);
}

async function startPosition(
  work: CaseWork,
  trial: number,
  subject: Subject,
): Promise<RunningPosition | null> {
  const { session, manifest } = work;
  const { name } = subject;
  try {
    const instance = await start(work, subject).catch((problem: unknown) => {
      // Another start would find the same pins.
      if (problem instanceof RunError || session.signal.aborted) throw problem;
      const detail = `${name}: its host did not start, and is tried again. ${messageOf(problem)}`;
      session.recorder.event("host-restarted", detail, { caseId: manifest.id, target: name, trial });
      return start(work, subject);
    });
    work.budgetOf(name).startInstance();
    return {
      name,
      subject,
      ...work.requestOf(subject),
      ...inUse(instance),
      restarted: false,
      measured: 0,
    };
  } catch (problem) {
    if (session.signal.aborted) return null;
    const why = problem instanceof RunError ? "" : "its host does not start. ";
    work.drop(name, why + messageOf(problem), trial);
    return null;
  }
}

async function restartPosition(
  work: CaseWork,
  trial: number,
  position: RunningPosition,
  cause: string,
): Promise<boolean> {
  await position.instance.stop();
  if (position.restarted) {
    work.drop(position.name, `its host died twice in one trial. ${cause}`, trial);
    return false;
  }
  position.restarted = true;
  try {
    Object.assign(position, inUse(await start(work, position.subject)));
  } catch (problem) {
    if (work.session.signal.aborted) return false;
    work.drop(position.name, `its host died and could not be started again. ${messageOf(problem)}`, trial);
    return false;
  }
  work.budgetOf(position.name).startInstance();
  const detail = `${position.name}: its host was started again. ${cause}`;
  const where = { caseId: work.manifest.id, target: position.name, trial };
  work.session.recorder.event("host-restarted", detail, where);
  return true;
}

async function start(work: CaseWork, subject: Subject): Promise<Instance> {
  const { patience, instanceSettings } = work.session;
  patience?.check(subject.name);
  const begunAt = performance.now();
  try {
    return await startInstance(subject, work.identityOf(subject), instanceSettings);
  } catch (problem) {
    patience?.lose(subject.name, performance.now() - begunAt);
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

export interface RunningPosition extends Position {
  probe: Instance["probe"];
  readonly subject: Subject;
  instance: Instance;
  instanceId: string | null;
  restarted: boolean;
  measured: number;
  /**
   * What each warm-up exchange of this instance cost: CPU time, or the time to its last byte where that is
   * not reported. Milliseconds.
   */
  costs: number[];
  /** Time to the last byte of each of them, in milliseconds. */
  times: number[];
  costByRound: Map<number, number>;
}

function nothingYet(): Pick<RunningPosition, "costs" | "times" | "costByRound"> {
  return { costs: [], times: [], costByRound: new Map() };
}

/** What one exchange cost, in milliseconds; null where it failed. */
export function costOf({ cost, error, lastByteMs }: Exchange): number | null {
  return error === null ? (cost?.cpuMs ?? lastByteMs) : null;
}
