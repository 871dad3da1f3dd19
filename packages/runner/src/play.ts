import { messageOf } from "@evenbench/core";
import { type Exchange, runRound } from "@evenbench/probe";
import { requestId, type Sample } from "@evenbench/results";
import { median } from "@evenbench/stats";
import type { CaseState, RunningTarget } from "./case-work.ts";
import { startInstance } from "./instance.ts";
import { refuseClientLimit } from "./open-files.ts";
import { RunError } from "./options.ts";
import { DIGEST_EVERY, LEAST_ROUNDS } from "./plan.ts";
import type { MeasuredTarget } from "./targets.ts";
import { addTo, emptySeries } from "./warm-up-needs.ts";

type Phase = Extract<Sample["phase"], "warmup" | "measure">;

interface Block {
  readonly phase: Phase;
  readonly order: readonly RunningTarget[];
  readonly roundIndex: number;
  readonly times: number;
}

/** A gauge takes two milliseconds. What is shorter is asked so often that its core's speed evens out. */
const LEAST_GAUGED_MS = 5;

function isWorthGauging({ times }: RunningTarget): boolean {
  return times.length > 0 && median(times.slice(-LEAST_ROUNDS)) >= LEAST_GAUGED_MS;
}

/** @returns those whose instance is another one since. */
export async function playBlock(work: CaseState, block: Block): Promise<RunningTarget[]> {
  const { session, trial } = work;
  const { phase, order, roundIndex, times } = block;
  work.showProgress(phase, roundIndex);
  if (phase === "measure") {
    for (const running of order.filter(isWorthGauging)) {
      await running.instance.prepareGauge();
    }
  }
  const turns = order.flatMap((running, position) =>
    Array.from({ length: times }, (_, turn) => {
      const where = { target: running.name, phase, roundIndex: roundIndex + turn };
      const key = { caseId: work.manifest.id, trial, ...where };
      const isAccounted = session.accounts !== null && running.target.place === "url";
      const name = isAccounted ? requestId(session.recorder.record.id, key) : undefined;
      const asked = { ...running, running, where: { ...where, position }, requestId: name };
      return phase === "measure" && isWorthGauging(running)
        ? { ...asked, gauge: running.instance.gauge }
        : asked;
    }),
  );
  // Every measured body, or an error page that is served meanwhile would be taken for the work.
  const isDue = Math.floor(roundIndex / times) % Math.ceil(DIGEST_EVERY / times) === 0;
  const digest = phase === "measure" || isDue;
  const pauseMs = phase === "measure" ? work.plan.pauseMs : 0;
  const disturbed = new Map<RunningTarget, Exchange>();
  for (const { target, exchange } of await runRound(turns, { digest }, session.signal, pauseMs)) {
    const { running, where } = target;
    work.record(where, exchange);
    if (phase === "warmup") {
      addTo(running, exchange);
    }
    if (exchange.error !== null || isReplaced(work, running, exchange)) {
      disturbed.set(running, exchange);
    }
  }
  session.recorder.flush();
  for (const { error } of disturbed.values()) {
    refuseClientLimit(error);
  }
  const replaced: RunningTarget[] = [];
  for (const [running, exchange] of disturbed) {
    if (!session.signal.aborted && (await handleRestart(work, running, exchange))) {
      replaced.push(running);
    }
  }
  return replaced;
}

function isReplaced({ session }: CaseState, running: RunningTarget, { instanceId }: Exchange): boolean {
  if (instanceId === null) {
    return false;
  }
  const before = running.instanceId;
  running.instanceId = instanceId;
  const single = running.target.place === "local" && session.instanceSettings.workers === 1;
  return single && before !== null && before !== instanceId;
}

async function handleRestart(work: CaseState, running: RunningTarget, { error }: Exchange): Promise<boolean> {
  const { name } = running;
  if (error === null) {
    const detail = `${name}: another instance answers; the host replaced its process.`;
    work.tell("host-restarted", detail, name);
    Object.assign(running, emptySeries());
    return true;
  }
  const cause = error.kind === "connection" ? await running.instance.causeOfDeath() : null;
  if (cause !== null) {
    return restart(work, running, cause);
  }
  const exhausted = work.budgetOf(name).exhausted;
  if (exhausted === null) {
    return false;
  }
  if (error.kind === "timeout") {
    work.session.lost.set(name, work.manifest.id);
  }
  work.drop(name, exhausted);
  return false;
}

export async function startInstances(
  work: CaseState,
  order: readonly MeasuredTarget[],
): Promise<RunningTarget[]> {
  const started = await Promise.all(
    order.map(async (target): Promise<RunningTarget | null> => {
      const up = await startOrDrop(work, target, "its host does not start. ");
      const asked = work.requestOf(target);
      return up && { ...target, ...asked, ...up, restarted: false, warmUpRounds: 0 };
    }),
  );
  return started.filter((running) => running !== null);
}

async function startOrDrop(work: CaseState, target: MeasuredTarget, why: string) {
  const { name } = target;
  const { signal, lost, instanceSettings } = work.session;
  const lostIn = lost.get(name);
  if (lostIn !== undefined) {
    work.drop(name, `it was waited for in vain in ${lostIn}, and is not waited for again.`);
    return null;
  }
  const start = () => startInstance(target, work.identityOf(target), instanceSettings);
  try {
    const instance = await start().catch((problem: unknown) => {
      // Another start would find the same pins.
      if (problem instanceof RunError || signal.aborted) {
        throw problem;
      }
      const detail = `${name}: its host did not start, and is tried again. ${messageOf(problem)}`;
      work.tell("host-restarted", detail, name);
      return start();
    });
    work.budgetOf(name).startInstance();
    const { probe, readCost } = instance;
    // Its start is no exchange's cost.
    readCost();
    return { instance, probe, readCost, instanceId: null, ...emptySeries() };
  } catch (problem) {
    if (signal.aborted) {
      return null;
    }
    lost.set(name, work.manifest.id);
    work.drop(name, (problem instanceof RunError ? "" : why) + messageOf(problem));
    return null;
  }
}

async function restart(work: CaseState, running: RunningTarget, cause: string): Promise<boolean> {
  const { name } = running;
  await running.instance.stop();
  if (running.restarted) {
    work.drop(name, `its host died twice in one trial. ${cause}`);
    return false;
  }
  running.restarted = true;
  const up = await startOrDrop(work, running, "its host died and could not be started again. ");
  if (up === null) {
    return false;
  }
  Object.assign(running, up);
  work.tell("host-restarted", `${name}: its host was started again. ${cause}`, name);
  return true;
}
