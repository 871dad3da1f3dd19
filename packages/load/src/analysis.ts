import { openedAnew } from "@evenbench/report";
import type { LatencyCondition, LoadSample, LoadStage } from "@evenbench/results";
import { geometricInterval, largest, mean, median, quantile, smallest, sorted } from "@evenbench/stats";

export type StageSummary = ReturnType<typeof summarise>;

const meanOf = (values: readonly number[]) => (values.length === 0 ? null : mean(values));

export function summarise(
  stage: LoadStage,
  samples: readonly Omit<LoadSample, "stage">[],
  condition: LatencyCondition | null = null,
) {
  const measured = samples.filter(({ phase }) => phase === "measure");
  const answered = measured.filter(({ error, lastByteMs }) => error === null && lastByteMs !== null);
  const latencies = answered.map(latencyOf);
  const reconnected = reconnectedIn(samples);
  const { completed, windowMs, usage, meanInFlight, ended, dropped } = stage;
  const answersPerMs = windowMs > 0 ? completed / windowMs : 0;
  const errors = measured.length - answered.length;
  const serviceMeanMs = meanOf(answered.map(({ lastByteMs }) => lastByteMs ?? 0));
  const holds = ({ quantile: wanted, limitMs }: LatencyCondition) => {
    const within = latencies.filter((ms) => ms <= limitMs).length;
    return ended === null && dropped === 0 && measured.length > 0 && within / measured.length >= wanted;
  };
  return {
    stage,
    exchanges: answered.length,
    errors,
    /** What most of the errors are; null where there are none. */
    commonError: commonErrorOf(measured),
    /** Answered requests for which a connection was opened anew, since the target had ended it. */
    reconnected: reconnected.length,
    /** Of these, requests that were sent a second time, since the kept connection ended as they were sent. */
    resent: reconnected.filter(({ resent }) => resent === true).length,
    perSecond: answersPerMs * 1000,
    latency: latencies.length === 0 ? null : quantilesOf(latencies),
    serviceMeanMs,
    inFlightMean: meanOf(answered.flatMap(({ inFlight }) => inFlight ?? [])),
    outstandingMean: meanOf(answered.map(({ outstanding }) => outstanding)),
    cpuMsPerExchange: usage === null || completed === 0 ? null : usage.cpuMs / completed,
    held: condition === null ? null : holds(condition),
    // Failed requests were under way, and are in no rate.
    little:
      serviceMeanMs === null || completed === 0 || errors > 0
        ? null
        : littlesLaw(meanInFlight, answersPerMs, serviceMeanMs, completed),
  };
}

/** A connection's first request in a stage may open it. */
function reconnectedIn(samples: readonly Omit<LoadSample, "stage">[]): readonly Omit<LoadSample, "stage">[] {
  const byConnection = Map.groupBy(samples, ({ connection }) => connection);
  return [...byConnection.values()].flatMap((ofOne) => {
    const inOrder = ofOne.toSorted((a, b) => a.startedAtMs - b.startedAtMs);
    return openedAnew(inOrder).filter((sample) => sample.phase === "measure" && sample !== inOrder[0]);
  });
}

function commonErrorOf(samples: readonly Pick<LoadSample, "error">[]): string | null {
  const errors = samples.flatMap(({ error }) => error ?? []);
  const byText = Map.groupBy(errors, ({ kind, detail }) => `${kind}: ${detail}`);
  const [first] = [...byText].sort(([, a], [, b]) => b.length - a.length);
  return first?.[0] ?? null;
}

/** What somebody who sent at the intended time would have waited (Tene; wrk2). */
function latencyOf(sample: Pick<LoadSample, "intendedAtMs" | "startedAtMs" | "lastByteMs">): number {
  return sample.startedAtMs - sample.intendedAtMs + (sample.lastByteMs ?? 0);
}

function quantilesOf(latencies: readonly number[]) {
  const ordered = sorted(latencies);
  const at = (share: number) => quantile(ordered, share);
  return { mean: mean(ordered), p50: at(0.5), p95: at(0.95), p99: at(0.99), most: at(1) };
}

/** By which the count may be off, beside the window's edges. */
const TOLERANCE = 0.05;

/**
 * Requests under way = rate × time under way (Little, 1961). The client's own count and its time stamps part
 * where it is the bottleneck.
 */
export function littlesLaw(counted: number, answersPerMs: number, meanMs: number, answers: number) {
  const expected = answersPerMs * meanMs;
  const largest = Math.max(counted, expected);
  const tolerance = largest * (TOLERANCE + largest / Math.max(answers, 1));
  return { counted, expected, holds: Math.abs(counted - expected) <= tolerance };
}

/** Waiting of less than this part of a lone request's time is no queue. */
const LEAST_SLOWDOWN = 1.1;
/** In each of however few trials. */
const CLEAR_SLOWDOWN = 1.5;

/** Null where no request was alone: what queueing adds is then not known. */
export function findSaturation(stages: readonly StageSummary[]) {
  const byConnections = Map.groupBy(
    stages.filter(({ stage, latency }) => stage.load.kind === "closed" && latency !== null),
    ({ stage }) => stage.load.connections,
  );
  const connections = [...byConnections.keys()].sort((a, b) => a - b);
  const alone = byConnections.get(1);
  if (alone === undefined) {
    return null;
  }
  const levels = connections.map((level) => summariseLevel(level, byConnections.get(level) ?? [], alone));
  const mostPerSecond = largest(levels.map(({ perSecond }) => perSecond));
  const aloneMs = mean(alone.map(meanLatency));
  return {
    levels,
    mostPerSecond,
    atATime: (mostPerSecond * aloneMs) / 1000,
    queuesFrom: levels.find(({ waits }) => waits)?.connections ?? null,
  };
}

function summariseLevel(connections: number, level: readonly StageSummary[], alone: readonly StageSummary[]) {
  // Mean latency against that of a lone request, within trials.
  const logs = level.flatMap((summary) => {
    const same = alone.find(({ stage }) => stage.trial === summary.stage.trial);
    return same === undefined || same === summary ? [] : [Math.log(meanLatency(summary) / meanLatency(same))];
  });
  const isClear = logs.length > 0 && smallest(logs) > Math.log(CLEAR_SLOWDOWN);
  return {
    connections,
    perSecond: mean(level.map(({ perSecond }) => perSecond)),
    p50: mean(level.map(({ latency }) => latency?.p50 ?? 0)),
    waits: isClear || (geometricInterval(logs)?.low ?? 0) > LEAST_SLOWDOWN,
  };
}

function meanLatency({ latency }: StageSummary): number {
  return latency?.mean ?? 0;
}

export function findCapacity(stages: readonly StageSummary[]) {
  const tries = stages.flatMap(({ stage, held }) =>
    stage.load.kind === "open" && held !== null
      ? [{ trial: stage.trial, perSecond: stage.load.perSecond, held }]
      : [],
  );
  const brackets = [...Map.groupBy(tries, ({ trial }) => trial).values()].map(bracketOf);
  const held = brackets.flatMap((bracket) => bracket.held ?? []);
  return {
    byTrial: brackets.map((bracket) => bracket.held),
    perSecond:
      held.length === 0 ? null : { median: median(held), least: smallest(held), most: largest(held) },
    unbounded: brackets.filter((bracket) => bracket.held !== null && bracket.failed === null).length,
  };
}

export interface SearchStep {
  readonly perSecond: number;
  readonly held: boolean;
}

export const MOST_STEPS = 8;
const STRIDE = 1.5;
/** Nearer than this to the highest rate that held, nothing is searched. */
const NEAREST = 1.05;

/** What held above a rate that failed was luck. */
export function bracketOf(steps: readonly SearchStep[]) {
  const failed = steps.filter(({ held }) => !held).map(({ perSecond }) => perSecond);
  const lowestFailed = failed.length > 0 ? smallest(failed) : null;
  const held = steps
    .filter((step) => step.held && (lowestFailed === null || step.perSecond < lowestFailed))
    .map(({ perSecond }) => perSecond);
  return { held: held.length > 0 ? largest(held) : null, failed: lowestFailed };
}

export function nextRate(steps: readonly SearchStep[], first: number, mostSteps = MOST_STEPS): number | null {
  if (steps.length >= mostSteps) {
    return null;
  }
  const { held, failed } = bracketOf(steps);
  if (held === null) {
    return failed === null ? first : failed / STRIDE;
  }
  if (failed === null) {
    return held * STRIDE;
  }
  return failed / held <= NEAREST ? null : Math.sqrt(held * failed);
}
