import { type Exchange, runRound } from "@evenbench/probe";
import type { Sample } from "@evenbench/results";
import type { CaseWork } from "./case-work.ts";
import { DIGEST_EVERY } from "./plan.ts";
import { costOf, nothingYet, type RunningPosition } from "./running-position.ts";
import { restartPosition } from "./start-position.ts";

type Phase = Extract<Sample["phase"], "warmup" | "measure">;

/** Exchanges to be played: every position gets `times` of them back to back, then the next one. */
export interface Block {
  readonly phase: Phase;
  readonly order: readonly RunningPosition[];
  /** Of the first exchange at each position. */
  readonly roundIndex: number;
  readonly times: number;
}

/**
 * Plays a block and records it; subjects that cannot go on are dropped from the case, a host that died is
 * started again.
 *
 * @returns the positions whose instance is another one since.
 */
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

/**
 * Finds out what disturbed a subject, and goes on without it where need be.
 *
 * @returns whether it has another instance now.
 */
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
