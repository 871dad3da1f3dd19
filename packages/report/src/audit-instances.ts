// What a case's samples say about who answered: instances that changed, connections that were opened again,
// requests of others.
import type { Sample } from "@evenbench/results";
import type { AuditFinding } from "./audit-finding.ts";
import { counted } from "./format.ts";

/**
 * Looks at every trial: one instance of a target, asked over one connection and by nobody else.
 *
 * @param samples of one case, all phases; an exchange that failed has no instance.
 */
export function auditInstances(caseId: string, samples: readonly Sample[]): readonly AuditFinding[] {
  // After these, requests follow that leave no sample.
  const played = samples.filter(({ phase }) => phase === "warmup" || phase === "measure");
  const inOrder = played.toSorted((a, b) => a.startedAtMs - b.startedAtMs);
  const byTarget = Map.groupBy(inOrder, ({ target }) => target);
  return [
    ...[...byTarget].flatMap(([target, own]) => [
      ...changedInstance(caseId, target, own),
      ...openedAgain(caseId, target, own),
    ]),
    ...othersServed(caseId, inOrder),
  ];
}

function changedInstance(caseId: string, target: string, own: readonly Sample[]): AuditFinding[] {
  const trials = [...Map.groupBy(own, ({ trial }) => trial).values()];
  const changes = trials.map(changesOf).filter((count) => count > 0);
  if (changes.length === 0) return [];
  const times = changes.reduce((sum, count) => sum + count, 0);
  const detail = `${caseId}: another instance of ${target} answered than before, ${counted(times, "time")} in ${changes.length} of ${trials.length} trials`;
  return [{ kind: "instance-changed", detail }];
}

function changesOf(inOrder: readonly Sample[]): number {
  const ids = inOrder.flatMap(({ instanceId }) => instanceId ?? []);
  return ids.filter((id, index) => index > 0 && id !== ids[index - 1]).length;
}

/** A trial's connection is opened in its warm-up: where it stays open, no measured exchange opens one. */
function openedAgain(caseId: string, target: string, own: readonly Sample[]): AuditFinding[] {
  const measured = own.filter(({ phase, error }) => phase === "measure" && error === null);
  const count = measured.filter(({ connectMs }) => connectMs !== null).length;
  if (count === 0) return [];
  const detail = `${caseId}: ${target} had to be connected to again for ${count} of ${measured.length} measured requests`;
  return [{ kind: "reconnected", detail }];
}

/**
 * An instance counts what it serves. What it counted between two of our requests, beyond these, somebody else
 * asked for.
 */
function othersServed(caseId: string, inOrder: readonly Sample[]): AuditFinding[] {
  // A URL's A/A copy, or a second name of it, may be the same instance: theirs are our requests, too.
  const byInstance = Map.groupBy(
    inOrder.filter(({ instanceId, served }) => instanceId !== null && served !== null),
    ({ trial, instanceId }) => `${trial} ${instanceId}`,
  );
  const others = new Map<string, number>();
  for (const own of byInstance.values()) {
    const first = own[0] as Sample;
    const last = own.at(-1) as Sample;
    const counted = (last.served ?? 0) - (first.served ?? 0);
    const strangers = counted - (own.length - 1) - failedBetween(inOrder, own);
    if (strangers > 0) others.set(first.target, (others.get(first.target) ?? 0) + strangers);
  }
  return [...others].map(([target, count]) => ({
    kind: "not-alone",
    detail: `${caseId}: ${target}'s instances served ${count} requests of somebody else among those of this run`,
  }));
}

/** Nobody knows which instance took an exchange that failed: it may have been this one. */
function failedBetween(inOrder: readonly Sample[], own: readonly Sample[]): number {
  const [first, last] = [own[0] as Sample, own.at(-1) as Sample];
  const targets = new Set(own.map(({ target }) => target));
  return inOrder.filter(
    ({ trial, target, instanceId, startedAtMs }) =>
      instanceId === null &&
      trial === first.trial &&
      targets.has(target) &&
      startedAtMs > first.startedAtMs &&
      startedAtMs < last.startedAtMs,
  ).length;
}
