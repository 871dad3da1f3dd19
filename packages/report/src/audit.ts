import type { ClientLoad, Sample } from "@evenbench/results";
import { median, smallest, sum } from "@evenbench/stats";
import { driftsOf, isGood, medianLastByteMs, type TargetDrift, type TrialsByTarget } from "./drift.ts";

/** CPU time of the client, as a fraction of wall time, from which on it may have kept requests waiting. */
const MOST_CLIENT_CPU = 0.8;
/** Cores of the machine that other programs may use, on average, before a reader is told: a convention. */
const MOST_OTHERS_CORES = 0.2;
/** Largest lateness of the client that is accepted, as a fraction of the fastest target's median. */
const MOST_LATENESS = 0.1;
/** Largest lateness in milliseconds that is accepted however fast the targets are. */
const LATENESS_OF_NO_MATTER_MS = 2;

/** The samples of one case that are audited, from one vantage. */
interface Audited {
  /** How busy the client was in each trial. */
  readonly load: readonly ClientLoad[];
  /**
   * Exchanges with warm-ups, by the time at which they began. After these, requests follow that leave no
   * sample.
   */
  readonly inOrder: readonly Sample[];
  /** The same exchanges by name of the target, trial by trial. */
  readonly trials: TrialsByTarget;
  readonly drifts: readonly TargetDrift[];
}

interface Wrong {
  /** The target that it is about; null where it is about all, or the client. */
  readonly target: string | null;
  /** How much, by the names that the notice's entry in the catalogue has. */
  readonly numbers: Readonly<Record<string, number>>;
}

/** Finds what is wrong with a case's samples; empty where nothing is. */
type Audit = (audited: Audited) => readonly Wrong[];

const AUDITS = {
  /** The client itself used most of a core: its own work may be in the times. */
  "client-busy": ({ load }) => {
    const share = sum(load.map(({ cpuMs }) => cpuMs)) / sum(load.map(({ wallMs }) => wallMs));
    return share > MOST_CLIENT_CPU ? [{ target: null, numbers: { share } }] : [];
  },
  /** Something kept the client's process from running: times contain its waiting, CPU time does not. */
  "client-late": ({ load, trials: ofTargets }) => {
    const good = [...ofTargets.values()].map(goodOf).filter((samples) => samples.length > 0);
    if (load.length === 0 || good.length === 0) {
      return [];
    }
    const delayMs = median(load.map(({ eventLoopDelayP90Ms }) => eventLoopDelayP90Ms));
    const requestMs = smallest(good.map(medianLastByteMs));
    const isLate = delayMs > LATENESS_OF_NO_MATTER_MS && delayMs > MOST_LATENESS * requestMs;
    return isLate ? [{ target: null, numbers: { delayMs, requestMs } }] : [];
  },
  /** A trial should be one instance. */
  "instance-changed": ({ trials: ofTargets }) =>
    [...ofTargets].flatMap(([target, trials]) => {
      const count = sum(trials.map(countInstanceChanges));
      return count === 0 ? [] : { target, numbers: { count } };
    }),
  /** The target ended connections between rounds: a request on a new one takes longer. */
  // A trial's connection is opened in its warm-up: where it stays open, no measured exchange opens one.
  reconnected: ({ trials: ofTargets }) =>
    [...ofTargets].flatMap(([target, trials]) => {
      const anew = trials.flatMap(openedAnew).filter(({ phase }) => phase === "measure");
      if (anew.length === 0) {
        return [];
      }
      const measured = trials.flat().filter(({ phase }) => phase === "measure");
      const all = measured.filter(({ error }) => error === null).length;
      const resent = anew.filter((exchange) => exchange.resent === true).length;
      return { target, numbers: { count: anew.length, of: all, resent } };
    }),
  /** Times include waiting behind other traffic. */
  "not-alone": ({ inOrder, trials }) => [...othersServed(inOrder), ...othersInFlight(trials)],
  /** Other programs used the machine's cores meanwhile. */
  "machine-busy": ({ load }) => {
    const known = load.filter(({ othersCpuMs }) => othersCpuMs !== null);
    const cores =
      sum(known.map(({ othersCpuMs }) => othersCpuMs ?? 0)) / sum(known.map(({ wallMs }) => wallMs));
    return cores > MOST_OTHERS_CORES ? [{ target: null, numbers: { cores } }] : [];
  },
} satisfies Readonly<Record<string, Audit>>;

/** Something that makes the numbers of a case doubtful. */
export interface AuditFinding extends Wrong {
  /** The check that found it. */
  readonly kind: keyof typeof AUDITS;
  /** The place from which it was seen; null where one client measured. */
  readonly place: string | null;
}

interface AuditedCase {
  readonly findings: readonly AuditFinding[];
  /** How the times of its targets moved within trials; empty where several places asked. */
  readonly drifts: readonly TargetDrift[];
}

/** Holds a case's samples, vantage by vantage, against what they must show if its numbers are to be believed. */
export function audit(samples: readonly Sample[], load: readonly ClientLoad[]): AuditedCase {
  let ofOneClient: readonly TargetDrift[] = [];
  const findings = [...byVantage(samples)].flatMap(([vantage, exchanges]) => {
    const inOrder = exchanges.filter(({ phase }) => phase === "warmup" || phase === "measure");
    inOrder.sort((a, b) => a.startedAtMs - b.startedAtMs);
    const byTarget = Map.groupBy(inOrder, ({ target }) => target);
    const trials = new Map([...byTarget].map(([target, ofTarget]) => [target, trialsOf(ofTarget)]));
    const audited: Audited = { load, inOrder, trials, drifts: driftsOf(trials) };
    if (vantage === null) {
      ofOneClient = audited.drifts;
    }
    return Object.entries(AUDITS).flatMap(([kind, find]) =>
      find(audited).map((wrong) => ({ ...wrong, kind: kind as keyof typeof AUDITS, place: vantage })),
    );
  });
  return { findings, drifts: ofOneClient };
}

/**
 * Groups samples by vantage. Those of one client stay the list itself, by the key null: a copy of millions takes
 * memory.
 */
function byVantage(samples: readonly Sample[]): ReadonlyMap<string | null, readonly Sample[]> {
  const isOneClient = samples.every(({ from }) => from === undefined);
  return isOneClient ? new Map([[null, samples]]) : Map.groupBy(samples, ({ from }) => from?.vantage ?? null);
}

/**
 * Finds the answered requests for which a connection was opened, though nothing had failed on the one before: the
 * target had ended that one. Behind a failed request the client itself ends it.
 *
 * @param inOrder exchanges of one connection, by the time at which they began.
 */
export function openedAnew<T extends Pick<Sample, "connectMs" | "error">>(
  inOrder: readonly T[],
): readonly T[] {
  const hasFailed = (exchange: T | undefined) => exchange !== undefined && exchange.error !== null;
  return inOrder.filter((exchange, index) => {
    return exchange.connectMs !== null && exchange.error === null && !hasFailed(inOrder[index - 1]);
  });
}

/** Finds the targets that had other requests in flight when one arrived. */
function othersInFlight(trials: TrialsByTarget): readonly Wrong[] {
  return [...trials].flatMap(([target, ofTarget]) => {
    const good = goodOf(ofTarget);
    const count = good.filter(({ inFlight }) => inFlight !== null && inFlight > 0).length;
    return count === 0 ? [] : { target, numbers: { count } };
  });
}

/** Lists the measured exchanges without an error of a target's trials. */
function goodOf(trials: readonly (readonly Sample[])[]): readonly Sample[] {
  return trials.flatMap((trial) => trial.filter(isGood));
}

function trialsOf(samples: readonly Sample[]): readonly (readonly Sample[])[] {
  return [...Map.groupBy(samples, ({ trial }) => trial).values()];
}

function countInstanceChanges(inOrder: readonly Sample[]): number {
  let changes = 0;
  let last: string | null = null;
  for (const { instanceId } of inOrder) {
    if (instanceId === null) {
      continue;
    }
    if (last !== null && instanceId !== last) {
      changes += 1;
    }
    last = instanceId;
  }
  return changes;
}

/** The requests of one trial that one instance answered. */
interface AnsweredRequests {
  readonly first: Sample;
  last: Sample;
  /** Number of these requests, the first and the last among them. */
  count: number;
  /** Names of the targets that were asked: a URL's A/A copy, or a second name of it, may be the same instance. */
  readonly targets: Set<string>;
}

/** Groups the requests whose instance is known, and what it served, by trial and by instance. */
function answeredByInstance(inOrder: readonly Sample[]): readonly AnsweredRequests[] {
  const byTrial = new Map<number, Map<string, AnsweredRequests>>();
  for (const sample of inOrder) {
    const { instanceId, trial, target } = sample;
    if (instanceId === null || sample.served === null) {
      continue;
    }
    const ofTrial = byTrial.get(trial) ?? new Map<string, AnsweredRequests>();
    byTrial.set(trial, ofTrial);
    const answered = ofTrial.get(instanceId);
    if (answered === undefined) {
      ofTrial.set(instanceId, { first: sample, last: sample, count: 1, targets: new Set([target]) });
    } else {
      answered.last = sample;
      answered.count += 1;
      answered.targets.add(target);
    }
  }
  return [...byTrial.values()].flatMap((ofTrial) => [...ofTrial.values()]);
}

/** Finds requests of others to the same instances: what an instance counted between two of our requests, beyond these. */
function othersServed(inOrder: readonly Sample[]): readonly Wrong[] {
  const unplaced = Map.groupBy(
    inOrder.filter(({ instanceId }) => instanceId === null),
    ({ trial }) => trial,
  );
  const others = new Map<string, number>();
  for (const { first, last, count, targets } of answeredByInstance(inOrder)) {
    const between = (last.served ?? 0) - (first.served ?? 0) - (count - 1);
    // Nobody knows which instance took an exchange that failed: it may have been this one.
    const failed = (unplaced.get(first.trial) ?? []).filter(
      ({ target, startedAtMs: at }) => targets.has(target) && at > first.startedAtMs && at < last.startedAtMs,
    );
    const strangers = between - failed.length;
    if (strangers > 0) {
      others.set(first.target, (others.get(first.target) ?? 0) + strangers);
    }
  }
  return [...others].map(([target, count]) => ({ target, numbers: { count } }));
}
