// Saturation: from how many requests at a time on a target makes them wait.
import { geometricInterval, largest, mean, smallest } from "@evenbench/stats";
import type { StageSummary } from "./stage-summary.ts";

/** Slowdown against a lone request below which nothing is called a queue: the interval has to lie above it. */
const MIN_SLOWDOWN = 1.1;
/** Slowdown that is a queue without an interval, where each trial shows it. */
const CLEAR_SLOWDOWN = 1.5;

/** The rates and latencies of a target as more and more requests are sent at a time. */
export interface Saturation {
  /** Numbers of requests at a time, the smallest first. */
  readonly levels: readonly SaturationLevel[];
  /** The highest rate of answers of all levels, per second. */
  readonly mostPerSecond: number;
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
  /** True if requests take clearly longer than a lone one. */
  readonly waits: boolean;
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
  const levels = connections.map((level) => summariseLevel(level, byConnections.get(level) ?? [], alone));
  const mostPerSecond = largest(levels.map(({ perSecond }) => perSecond));
  return {
    levels,
    mostPerSecond,
    queuesFrom: levels.find(({ waits }) => waits)?.connections ?? null,
  };
}

/** Summarises one number of requests at a time. @param alone the stages with one request at a time. */
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

/** Gives the mean latency of a stage in milliseconds. */
function meanLatency({ latency }: StageSummary): number {
  return latency?.mean ?? 0;
}
