// What one stage of a load shows: rates, latencies, errors, and whether they agree.
import { areTooMany, ErrorBudget, faultOf, isClients } from "@evenbench/probe";
import { openedAnew } from "@evenbench/report";
import type { LatencyCondition, LoadSample, LoadStage, SampleErrorKind } from "@evenbench/results";
import { EXCHANGES_FOR_P95, EXCHANGES_FOR_P99, isFromCache, mean, quantile, sorted } from "@evenbench/stats";
import { hungConnections } from "./engine/window.ts";

/** The summary of one stage of a load: of one load on one target, in one trial. */
export interface StageSummary {
  /** The stage as it is recorded. */
  readonly stage: LoadStage;
  /** Answered requests. */
  readonly exchanges: number;
  /** Requests without a right answer. */
  readonly errors: number;
  /**
   * True where more requests failed than a measured target may have (`ErrorBudget`): nothing is known of those that were
   * answered. Never in a search, where these requests were not in time.
   */
  readonly isFailed: boolean;
  /** The kind and words of the most frequent error; null where there are none. */
  readonly commonError: string | null;
  /** Answered requests for which a connection was opened anew, since the target had ended it. */
  readonly reconnected: number;
  /** The part of `reconnected` that was sent a second time, since the kept connection ended as it was sent. */
  readonly resent: number;
  /** True where its answers say that a cache gave them. */
  readonly isFromCache: boolean;
  /** Answers per second. */
  readonly perSecond: number;
  /** Number of connections that waited in vain through most of the window: requests on them were never answered. */
  readonly hung: number;
  /** Latencies; null where nothing was answered, or a connection hung: that one's users wait for ever. */
  readonly latency: LatencyQuantiles | null;
  /**
   * Mean milliseconds from a request's write to its last byte, without its wait to be sent; null where nothing was
   * answered.
   */
  readonly serviceMeanMs: number | null;
  /** Mean number of requests that the target had under way, as it says; null where it does not. */
  readonly inFlightMean: number | null;
  /** Milliseconds of the target's CPU time for each answer; null where that is not known. */
  readonly cpuMsPerExchange: number | null;
  /** True if a search's condition held; null where there is no search, or requests were too few to decide it. */
  readonly held: boolean | null;
  /** True if Little's law holds; null with errors: failed requests were under way, and are in no rate. */
  readonly holdsLittlesLaw: boolean | null;
}

/** Latencies of one stage in milliseconds, from the moment at which a request was to be sent. */
interface LatencyQuantiles {
  readonly mean: number;
  /** The median. */
  readonly p50: number;
  /** The 95th percentile; null with fewer than `EXCHANGES_FOR_P95` requests. */
  readonly p95: number | null;
  /** The 99th percentile; null with fewer than `EXCHANGES_FOR_P99` requests. */
  readonly p99: number | null;
}

/**
 * Kinds of errors that are answers, but not those of preflight. A refusal (a status) or a lost connection may come
 * from the load.
 */
const OTHER_ANSWERS: ReadonlySet<SampleErrorKind> = new Set(["content-type", "encoding", "length", "digest"]);

/**
 * Says how many answers of one stage were other ones than in preflight, or to requests that were sent again, where they
 * are more than a measured target may have (`ErrorBudget`); null where there are not. Such a target does other work in some of its
 * requests, so that its rates and latencies say nothing.
 *
 * @param samples all requests of the stage, in the order in which they ended.
 */
export function describeOtherAnswers(samples: readonly Omit<LoadSample, "stage">[]): string | null {
  const budget = new ErrorBudget();
  for (const sample of samples) {
    if (sample.error === null || OTHER_ANSWERS.has(sample.error.kind)) {
      budget.count(faultOf(sample));
    }
    if (budget.exhausted !== null) {
      return budget.exhausted;
    }
  }
  return null;
}

/** Gives the mean of values; null of none. */
export function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : mean(values);
}

/**
 * Summarises the samples of one stage.
 *
 * @param samples all requests of the stage, those of its unmeasured part too.
 * @param condition of a search; null where there is none.
 */
export function summarise(
  stage: LoadStage,
  samples: readonly Omit<LoadSample, "stage">[],
  condition: LatencyCondition | null = null,
): StageSummary {
  const measured = samples.filter(({ phase }) => phase === "measure");
  const answered = measured.filter(({ error, lastByteMs }) => error === null && lastByteMs !== null);
  const latencies = answered.map(latencyOf);
  const reconnected = reconnectedIn(samples);
  const hung = hungConnections(stage, measured);
  const { completed, windowMs, usage, meanInFlight } = stage;
  const answersPerMs = windowMs > 0 ? completed / windowMs : 0;
  const errors = measured.length - answered.length;
  const serviceMeanMs = meanOf(answered.map(({ lastByteMs }) => lastByteMs ?? 0));
  return {
    stage,
    exchanges: answered.length,
    errors,
    isFailed: condition === null && hasFailed(measured, answered.length),
    commonError: commonErrorOf(measured),
    reconnected: reconnected.length,
    resent: reconnected.filter(({ resent }) => resent === true).length,
    isFromCache: isFromCache(measured),
    perSecond: answersPerMs * 1000,
    hung,
    latency: latencies.length === 0 || hung > 0 ? null : latencyQuantilesOf(latencies),
    serviceMeanMs,
    inFlightMean: meanOf(answered.flatMap(({ inFlight }) => inFlight ?? [])),
    cpuMsPerExchange: usage === null || completed === 0 ? null : usage.cpuMs / completed,
    held:
      condition === null ? null : hung === 0 && conditionHolds(condition, stage, latencies, measured.length),
    holdsLittlesLaw:
      serviceMeanMs === null || completed === 0 || errors > 0
        ? null
        : littlesLawHolds(meanInFlight, answersPerMs, serviceMeanMs, completed),
  };
}

/** Tells whether too many requests failed, or all. What the client itself cut off says nothing of the target. */
function hasFailed(measured: readonly Pick<LoadSample, "error">[], answered: number): boolean {
  const failed = measured.filter(({ error }) => error !== null && !isClients(error)).length;
  return areTooMany(failed, measured.length) || (failed > 0 && answered === 0);
}

/** Number of requests beyond a quantile without which it would be chance: those of `EXCHANGES_FOR_P99` beyond its own. */
const REQUESTS_BEYOND = Math.round(EXCHANGES_FOR_P99 * (1 - 0.99));

/**
 * Tells whether a condition held in a stage: all that was due was sent, and enough of its requests were answered in time.
 * One without an answer was not.
 *
 * @param sent number of requests that were measured.
 * @returns null where they are too few for the quantile, or the stage did not go on to its end, and those that were late do
 *   not decide it.
 */
function conditionHolds(
  { quantile: wanted, limitMs }: LatencyCondition,
  { ended, dropped }: LoadStage,
  latencies: readonly number[],
  sent: number,
): boolean | null {
  const late = sent - latencies.filter((ms) => ms <= limitMs).length;
  // Without what binary fractions leave over: 50 × (1 - 0.9) is 4.999…
  const mayBeLate = Number((Math.max(sent, requestsFor(wanted)) * (1 - wanted)).toFixed(6));
  if (late > mayBeLate) {
    return false;
  }
  if (ended !== null) {
    return null;
  }
  if (dropped > 0 || sent === 0) {
    return false;
  }
  return sent < requestsFor(wanted) ? null : true;
}

/** Gives the number of requests that a quantile needs: 500 for a p99, 100 for a p95. */
export function requestsFor(wanted: number): number {
  return Math.round(REQUESTS_BEYOND / (1 - wanted));
}

/** Lists measured requests that opened their connection anew. The first one of a connection in a stage may open it. */
function reconnectedIn(samples: readonly Omit<LoadSample, "stage">[]): readonly Omit<LoadSample, "stage">[] {
  const byConnection = Map.groupBy(samples, ({ connection }) => connection);
  return [...byConnection.values()].flatMap((ofOne) => {
    const inOrder = ofOne.toSorted((a, b) => a.startedAtMs - b.startedAtMs);
    return openedAnew(inOrder).filter((sample) => sample.phase === "measure" && sample !== inOrder[0]);
  });
}

/** Gives the most frequent error, "<kind>: <detail>"; null of none. */
function commonErrorOf(samples: readonly Pick<LoadSample, "error">[]): string | null {
  const errors = samples.flatMap(({ error }) => error ?? []);
  const byText = Map.groupBy(errors, ({ kind, detail }) => `${kind}: ${detail}`);
  const [first] = [...byText].sort(([, a], [, b]) => b.length - a.length);
  return first?.[0] ?? null;
}

/**
 * Gives the milliseconds that somebody who sent at the intended time would have waited (Gil Tene, "How not to measure
 * latency"; wrk2).
 */
function latencyOf(sample: Pick<LoadSample, "intendedAtMs" | "startedAtMs" | "lastByteMs">): number {
  return sample.startedAtMs - sample.intendedAtMs + (sample.lastByteMs ?? 0);
}

/** Summarises latencies in milliseconds. */
function latencyQuantilesOf(latencies: readonly number[]): LatencyQuantiles {
  const ordered = sorted(latencies);
  const at = (share: number) => quantile(ordered, share);
  const { length } = ordered;
  return {
    mean: mean(ordered),
    p50: at(0.5),
    p95: length >= EXCHANGES_FOR_P95 ? at(0.95) : null,
    p99: length >= EXCHANGES_FOR_P99 ? at(0.99) : null,
  };
}

/** Fraction by which the count of requests under way may be off, beside what the edges of the window change. */
const TOLERANCE = 0.05;

/**
 * Checks that requests under way = rate × time under way (J. D. C. Little, "A Proof for the Queuing Formula: L = λW",
 * 1961). The client's own count and its time stamps differ where it is the bottleneck.
 *
 * @param counted mean number of requests under way.
 * @param meanMs mean time of a request.
 * @param answers number of requests that both come from.
 */
export function littlesLawHolds(
  counted: number,
  answersPerMs: number,
  meanMs: number,
  answers: number,
): boolean {
  const expected = answersPerMs * meanMs;
  const largest = Math.max(counted, expected);
  const tolerance = largest * (TOLERANCE + largest / Math.max(answers, 1));
  return Math.abs(counted - expected) <= tolerance;
}
