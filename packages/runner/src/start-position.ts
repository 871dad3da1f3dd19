import { messageOf } from "@evenbench/core";
import type { CaseWork } from "./case-work.ts";
import { type Instance, startInstance } from "./instance.ts";
import { RunError } from "./options.ts";
import { nothingYet, type RunningPosition } from "./running-position.ts";
import type { Subject } from "./targets.ts";

/** Starts all side by side, begun in the order given; one that fails gets a second try, and is then dropped. */
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

/** Puts a fresh instance in the place of one that died: once in a trial; the second death drops the target. */
export async function restartPosition(
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

/** The parts of a position that are its instance's. */
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
