// Saturation: from how many requests at a time on a target makes them wait.
import { geometricInterval, largest, mean, smallest } from "@evenbench/stats";
import type { StageSummary } from "./stage-summary.ts";

/** Slowdown against a lone request below which nothing is called a queue: the interval has to lie above it. */
const MIN_SLOWDOWN = 1.1;
/** Slowdown that is a queue without an interval, where each trial shows it. */
const CLEAR_SLOWDOWN = 1.5;

/** The rates and latencies of a target as more and more requests are sent at a time. */
export interface Saturation {
  /** Numbers of requests at a time that were tried. */
  readonly levels: number;
  /** The highest rate of answers of all levels, per second. */
  readonly mostPerSecond: number;
  /** Requests at a time from which on they wait; null where no queue was found. */
  readonly queuesFrom: number | null;
}

/**
 * Finds the concurrency from which on requests wait.
 *
 * @param stages of one target in one case, of all trials.
 * @returns null where no request was alone: what queueing adds is then not known.
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
  const perSecond = [...byConnections.values()].map((level) => mean(level.map((each) => each.perSecond)));
  return {
    levels: connections.length,
    mostPerSecond: largest(perSecond),
    queuesFrom: connections.find((level) => isWaiting(byConnections.get(level) ?? [], alone)) ?? null,
  };
}

/**
 * Tells whether requests take clearly longer than a lone one.
 *
 * @param level the stages with one number of requests at a time, of all trials.
 * @param alone those with one request at a time.
 */
function isWaiting(level: readonly StageSummary[], alone: readonly StageSummary[]): boolean {
  // Mean latency against that of a lone request, within trials.
  const logs = level.flatMap((summary) => {
    const same = alone.find(({ stage }) => stage.trial === summary.stage.trial);
    return same === undefined || same === summary ? [] : [Math.log(meanLatency(summary) / meanLatency(same))];
  });
  const isClear = logs.length > 0 && smallest(logs) > Math.log(CLEAR_SLOWDOWN);
  return isClear || (geometricInterval(logs)?.low ?? 0) > MIN_SLOWDOWN;
}

/** Gives the mean latency of a stage in milliseconds. */
function meanLatency({ latency }: StageSummary): number {
  return latency?.mean ?? 0;
}
