import { ErrorBudget } from "@evenbench/probe";
import { openedAnew } from "@evenbench/report";
import type { LatencyCondition, LoadSample, LoadStage, SampleErrorKind } from "@evenbench/results";
import {
  geometricInterval,
  LEAST_FOR_P95,
  LEAST_FOR_P99,
  largest,
  mean,
  median,
  quantile,
  smallest,
  sorted,
} from "@evenbench/stats";

/** What one stage of a load showed: one load on one target, in one trial. */
export interface StageSummary {
  readonly stage: LoadStage;
  /** Answered requests. */
  readonly exchanges: number;
  /** Requests without a right answer. */
  readonly errors: number;
  /** What most of the errors are; null where there are none. */
  readonly commonError: string | null;
  /** Answered requests for which a connection was opened anew, since the target had ended it. */
  readonly reconnected: number;
  /** Of these, requests that were sent a second time, since the kept connection ended as they were sent. */
  readonly resent: number;
  /** Answers per second. */
  readonly perSecond: number;
  /** Null where nothing was answered. */
  readonly latency: LatencyQuantiles | null;
  /**
   * Mean time from a request's write to its last byte, without what it waited to be sent; null where nothing
   * was answered.
   */
  readonly serviceMeanMs: number | null;
  /** Mean number of requests that the target had under way, as it says; null where it does not. */
  readonly inFlightMean: number | null;
  /**
   * Mean number of requests that the client had under way when it sent one; null where nothing was answered.
   */
  readonly outstandingMean: number | null;
  /** CPU time of the target for each answer; null where that is not known. */
  readonly cpuMsPerExchange: number | null;
  /** Whether a search's condition held; null where there is none. */
  readonly held: boolean | null;
  /** Null with errors: failed requests were under way, and are in no rate. */
  readonly little: LittlesLaw | null;
}

/** Latencies of one stage in milliseconds, from the moment at which a request was to be sent. */
interface LatencyQuantiles {
  readonly mean: number;
  readonly p50: number;
  /** null with fewer than `LEAST_FOR_P95` requests. */
  readonly p95: number | null;
  /** null with fewer than `LEAST_FOR_P99` requests. */
  readonly p99: number | null;
  readonly most: number;
}

/** Requests under way, counted and as their rate and time say. */
export interface LittlesLaw {
  readonly counted: number;
  /** Rate × time. */
  readonly expected: number;
  /** Whether the two are equal but for what the count may be off by. */
  readonly holds: boolean;
}

/**
 * Errors that are answers, but not those of preflight. A refusal (a status) or a lost connection may be the
 * load's doing.
 */
const OTHER_ANSWERS: ReadonlySet<SampleErrorKind> = new Set(["content-type", "encoding", "length", "digest"]);

/**
 * Says how many answers of one stage were other ones than in preflight, where there are more than a measured
 * target may have (`ErrorBudget`); null where there are not. Such a target does other work in some of its
 * requests, so that its rates and latencies say nothing.
 *
 * @param samples all requests of the stage, in the order in which they ended.
 */
export function describeOtherAnswers(samples: readonly Omit<LoadSample, "stage">[]): string | null {
  const budget = new ErrorBudget();
  for (const { error } of samples) {
    if (error === null || OTHER_ANSWERS.has(error.kind)) {
      budget.count(error);
    }
    if (budget.exhausted !== null) {
      return budget.exhausted;
    }
  }
  return null;
}

const meanOf = (values: readonly number[]) => (values.length === 0 ? null : mean(values));

/** Summarises the samples of one stage. @param condition of a search; null where there is none. */
export function summarise(
  stage: LoadStage,
  samples: readonly Omit<LoadSample, "stage">[],
  condition: LatencyCondition | null = null,
): StageSummary {
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
    commonError: commonErrorOf(measured),
    reconnected: reconnected.length,
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

/**
 * Gives what somebody who sent at the intended time would have waited, in milliseconds (Tene, "How not to
 * measure latency"; wrk2).
 */
function latencyOf(sample: Pick<LoadSample, "intendedAtMs" | "startedAtMs" | "lastByteMs">): number {
  return sample.startedAtMs - sample.intendedAtMs + (sample.lastByteMs ?? 0);
}

function quantilesOf(latencies: readonly number[]): LatencyQuantiles {
  const ordered = sorted(latencies);
  const at = (share: number) => quantile(ordered, share);
  const { length } = ordered;
  return {
    mean: mean(ordered),
    p50: at(0.5),
    p95: length >= LEAST_FOR_P95 ? at(0.95) : null,
    p99: length >= LEAST_FOR_P99 ? at(0.99) : null,
    most: at(1),
  };
}

/** Part by which the count of requests under way may be off, beside what the edges of the window change. */
const TOLERANCE = 0.05;

/**
 * Checks that requests under way = rate × time under way (Little, 1961). The client's own count and its time
 * stamps part where it is the bottleneck.
 *
 * @param counted mean number of requests under way.
 * @param meanMs mean time of a request.
 * @param answers number of requests that both come from.
 */
export function littlesLaw(
  counted: number,
  answersPerMs: number,
  meanMs: number,
  answers: number,
): LittlesLaw {
  const expected = answersPerMs * meanMs;
  const largest = Math.max(counted, expected);
  const tolerance = largest * (TOLERANCE + largest / Math.max(answers, 1));
  return { counted, expected, holds: Math.abs(counted - expected) <= tolerance };
}

/**
 * Slowdown against a lone request below which nothing is called a queue: the interval has to lie above it.
 */
const MIN_SLOWDOWN = 1.1;
/** Slowdown that is a queue without an interval, where each trial shows it. */
const CLEAR_SLOWDOWN = 1.5;

/** How a target answers as more and more requests are sent at a time. */
export interface Saturation {
  /** One for each number of requests at a time, fewest first. */
  readonly levels: readonly SaturationLevel[];
  /** The highest rate of answers of all levels, in a second. */
  readonly mostPerSecond: number;
  /** On how many requests the target works at a time, by that rate and the time of a lone request. */
  readonly atATime: number;
  /** Requests at a time from which on they wait; null where no queue was found. */
  readonly queuesFrom: number | null;
}

/** A number of requests at a time, over all trials. */
interface SaturationLevel {
  /** Requests at a time. */
  readonly connections: number;
  /** Answers per second. */
  readonly perSecond: number;
  /** Mean of the trials' medians, in milliseconds. */
  readonly p50: number;
  /** Whether requests take clearly longer than a lone one. */
  readonly waits: boolean;
}

/**
 * Finds from which concurrency on requests wait. Null where no request was alone: what queueing adds is then
 * not known.
 */
export function findSaturation(stages: readonly StageSummary[]): Saturation | null {
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

function summariseLevel(
  connections: number,
  level: readonly StageSummary[],
  alone: readonly StageSummary[],
): SaturationLevel {
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
    waits: isClear || (geometricInterval(logs)?.low ?? 0) > MIN_SLOWDOWN,
  };
}

function meanLatency({ latency }: StageSummary): number {
  return latency?.mean ?? 0;
}

/** The highest rate at which a target held a condition. */
export interface Capacity {
  /** The highest rate that held, by trial; null where none did. */
  readonly byTrial: readonly (number | null)[];
  /** Over the trials in which a rate held; null where none did in any. */
  readonly perSecond: { readonly median: number; readonly least: number; readonly most: number } | null;
  /** Trials in which every rate held that was tried. */
  readonly unbounded: number;
}

/** Finds the capacity that the stages of a search show. */
export function findCapacity(stages: readonly StageSummary[]): Capacity {
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

/** A rate that a search tried. */
export interface SearchStep {
  readonly perSecond: number;
  /** Whether the condition held at it. */
  readonly held: boolean;
}

/** Rates between which a capacity lies. */
export interface RateBracket {
  /** The highest that held below all that failed; null where none did. */
  readonly held: number | null;
  /** The lowest that failed; null where none did. */
  readonly failed: number | null;
}

/** Steps of a search at most. */
export const MOST_STEPS = 8;
/** Factor between one rate and the next, as long as only one side of the capacity is known. */
const STRIDE = 1.5;
/** Ratio of the rates of a bracket at which a search ends. */
const CLOSE_ENOUGH = 1.05;

/** Gives the bracket that steps show. A rate that held above one that failed was luck. */
export function bracketOf(steps: readonly SearchStep[]): RateBracket {
  const failed = steps.filter(({ held }) => !held).map(({ perSecond }) => perSecond);
  const lowestFailed = failed.length > 0 ? smallest(failed) : null;
  const held = steps
    .filter((step) => step.held && (lowestFailed === null || step.perSecond < lowestFailed))
    .map(({ perSecond }) => perSecond);
  return { held: held.length > 0 ? largest(held) : null, failed: lowestFailed };
}

/** Gives the rate that a search tries next; null where it ends. @param first the rate that it begins with. */
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
  return failed / held <= CLOSE_ENOUGH ? null : Math.sqrt(held * failed);
}
