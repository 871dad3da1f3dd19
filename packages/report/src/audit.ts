import type { ClientLoad, Sample } from "@evenbench/results";
import { median, sum } from "@evenbench/stats";
import type { AuditFinding } from "./data.ts";
import { counted, formatMs, formatPercent } from "./format.ts";

/** Above this the client is a part of what it measures, as a fraction of one core. */
const MOST_CLIENT_CPU = 0.8;
/** Lateness of stamps that matters, as a fraction of the fastest target's median; and what is never looked at. */
const MOST_LATENESS = 0.1;
const LATENESS_OF_NO_MATTER_MS = 2;
/** Change of a target's times from the first to the last third of its rounds. */
const MOST_DRIFT = 0.1;
const LEAST_ROUNDS_FOR_DRIFT = 9;
/** One connection has one exchange in flight: more is a fault of the books. Rounding of clocks is not. */
const MOST_IN_FLIGHT = 1.01;

/** The same of each vantage by itself, where there are several. */
export function auditAll(
  caseId: string,
  samples: readonly Sample[],
  load: readonly ClientLoad[],
): readonly AuditFinding[] {
  const byVantage = Map.groupBy(samples, ({ from }) => from?.vantage ?? null);
  return [...byVantage].flatMap(([vantage, own]) =>
    audit(vantage === null ? caseId : `${caseId} from ${vantage}`, own, load),
  );
}

export function audit(
  caseId: string,
  samples: readonly Sample[],
  load: readonly ClientLoad[],
): readonly AuditFinding[] {
  const measured = samples.filter(({ phase }) => phase === "measure");
  const good = measured.filter(({ error, lastByteMs }) => error === null && lastByteMs !== null);
  const byTarget = Map.groupBy(good, ({ target }) => target);
  return [
    ...clientBusy(caseId, load),
    ...clientLate(caseId, load, byTarget),
    ...littlesLaw(caseId, measured),
    ...auditInstances(caseId, samples),
    ...[...byTarget].flatMap(([target, own]) => [
      ...cold(caseId, target, own),
      ...notAlone(caseId, target, own),
      ...drift(caseId, target, own),
    ]),
  ];
}

function clientBusy(caseId: string, load: readonly ClientLoad[]): AuditFinding[] {
  const wallMs = sum(load.map((one) => one.wallMs));
  const share = sum(load.map((one) => one.cpuMs)) / wallMs;
  if (!(share > MOST_CLIENT_CPU)) return [];
  return [{ kind: "client-busy", detail: `${caseId}: the client used ${formatPercent(share)} of a core` }];
}

function clientLate(
  caseId: string,
  load: readonly ClientLoad[],
  byTarget: ReadonlyMap<string, readonly Sample[]>,
): AuditFinding[] {
  if (load.length === 0 || byTarget.size === 0) return [];
  const late = median(load.map((one) => one.eventLoopDelayP99Ms));
  const fastest = Math.min(...[...byTarget.values()].map(medianOf));
  if (late <= LATENESS_OF_NO_MATTER_MS || late <= MOST_LATENESS * fastest) return [];
  const detail = `${caseId}: client event-loop delay (p99) ${formatMs(late)}; fastest target ${formatMs(fastest)}`;
  return [{ kind: "client-late", detail }];
}

/** In flight = rate x time (Little, 1961), in each trial. */
function littlesLaw(caseId: string, measured: readonly Sample[]): AuditFinding[] {
  for (const [trial, own] of Map.groupBy(measured, (sample) => sample.trial)) {
    let [start, end, timeMs] = [Number.POSITIVE_INFINITY, 0, 0];
    for (const { startedAtMs, lastByteMs } of own) {
      if (lastByteMs === null) continue;
      start = Math.min(start, startedAtMs);
      end = Math.max(end, startedAtMs + lastByteMs);
      timeMs += lastByteMs;
    }
    const inFlight = timeMs / (end - start);
    if (!(inFlight > MOST_IN_FLIGHT)) continue;
    const detail = `${caseId}: its times add up to ${inFlight.toFixed(2)} requests in flight in trial ${trial + 1}, where one connection has one`;
    return [{ kind: "littles-law", detail }];
  }
  return [];
}

function cold(caseId: string, target: string, own: readonly Sample[]): AuditFinding[] {
  const count = own.filter(({ served }) => served === 0).length;
  return count === 0
    ? []
    : [
        {
          kind: "cold",
          detail: `${caseId}: ${target} answered ${count} measured requests as its instance's first`,
        },
      ];
}

function notAlone(caseId: string, target: string, own: readonly Sample[]): AuditFinding[] {
  const count = own.filter(({ inFlight }) => inFlight !== null && inFlight > 0).length;
  return count === 0
    ? []
    : [
        {
          kind: "not-alone",
          detail: `${caseId}: ${target} had other requests in flight on ${count} of ${own.length} arrivals`,
        },
      ];
}

/** Whether a target's times still moved while they were measured. */
function drift(caseId: string, target: string, own: readonly Sample[]): AuditFinding[] {
  const logs = [...Map.groupBy(own, ({ trial }) => trial).values()].flatMap((rounds) => {
    if (rounds.length < LEAST_ROUNDS_FOR_DRIFT) return [];
    const ordered = rounds.toSorted((a, b) => a.roundIndex - b.roundIndex);
    const third = Math.floor(ordered.length / 3);
    return [Math.log(medianOf(ordered.slice(-third)) / medianOf(ordered.slice(0, third)))];
  });
  if (logs.length < 2) return [];
  const change = Math.exp(median(logs)) - 1;
  if (Math.abs(change) <= MOST_DRIFT) return [];
  const how = change > 0 ? "longer" : "shorter";
  const detail = `${caseId}: ${target}'s times became ${formatPercent(Math.abs(change))} ${how} from the first to the last third of the rounds`;
  return [{ kind: "drift", detail }];
}

function medianOf(samples: readonly Sample[]): number {
  return median(samples.map(({ lastByteMs }) => lastByteMs ?? 0));
}

/** Looks at every trial. */
function auditInstances(caseId: string, samples: readonly Sample[]): readonly AuditFinding[] {
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
  const detail = `${caseId}: ${target} needed a new connection for ${count} of ${measured.length} measured requests`;
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
    detail: `${caseId}: ${target}'s instances served ${count} requests of others among those of this run`,
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
