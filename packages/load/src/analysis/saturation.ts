import { geometricInterval, mean, median, type RatioInterval } from "@evenbench/stats";
import type { StageSummary } from "./stage-summary.ts";

interface LevelSummary {
  readonly connections: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** Mean latency against that at the lowest concurrency, within trials. */
  readonly slowdown: RatioInterval | null;
}

export interface Saturation {
  readonly levels: readonly LevelSummary[];
  readonly mostPerSecond: number;
  readonly atATime: number;
  readonly queuesFrom: number | null;
}

/** Waiting of less than this part of a lone request's time is no queue. */
const LEAST_SLOWDOWN = 1.1;

export function findSaturation(stages: readonly StageSummary[]): Saturation | null {
  const byConnections = Map.groupBy(
    stages.filter(({ stage, latency }) => stage.load.kind === "closed" && latency !== null),
    ({ stage }) => stage.load.connections,
  );
  const connections = [...byConnections.keys()].sort((a, b) => a - b);
  const [fewest] = connections;
  if (fewest === undefined) return null;
  const alone = byConnections.get(fewest) ?? [];
  const levels = connections.map((level) => summariseLevel(level, byConnections.get(level) ?? [], alone));
  const mostPerSecond = Math.max(...levels.map(({ perSecond }) => perSecond));
  const aloneMs = mean(alone.map(meanLatency));
  return {
    levels,
    mostPerSecond,
    atATime: (mostPerSecond * aloneMs) / 1000,
    queuesFrom:
      levels.find(({ slowdown }) => slowdown !== null && slowdown.low > LEAST_SLOWDOWN)?.connections ?? null,
  };
}

function summariseLevel(
  connections: number,
  own: readonly StageSummary[],
  alone: readonly StageSummary[],
): LevelSummary {
  const logs = own.flatMap((one) => {
    const same = alone.find(({ stage }) => stage.trial === one.stage.trial);
    return same === undefined || same === one ? [] : [Math.log(meanLatency(one) / meanLatency(same))];
  });
  return {
    connections,
    perSecond: mean(own.map(({ perSecond }) => perSecond)),
    p50: mean(own.map(({ latency }) => latency?.p50 ?? 0)),
    p99: mean(own.map(({ latency }) => latency?.p99 ?? 0)),
    slowdown: geometricInterval(logs),
  };
}

function meanLatency({ latency }: StageSummary): number {
  return latency?.mean ?? 0;
}

export interface Capacity {
  readonly byTrial: readonly (number | null)[];
  readonly perSecond: { readonly median: number; readonly least: number; readonly most: number } | null;
  readonly unbounded: number;
}

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
      held.length === 0 ? null : { median: median(held), least: Math.min(...held), most: Math.max(...held) },
    unbounded: brackets.filter((bracket) => bracket.held !== null && bracket.failed === null).length,
  };
}

export interface SearchStep {
  readonly perSecond: number;
  readonly held: boolean;
}

interface SearchBounds {
  readonly first: number;
  /** Of the highest rate that held: nearer than that nothing is searched. */
  readonly factor: number;
  readonly mostSteps: number;
}

interface Bracket {
  readonly held: number | null;
  readonly failed: number | null;
}

const STRIDE = 1.5;

/** What held above a rate that failed was luck. */
export function bracketOf(steps: readonly SearchStep[]): Bracket {
  const failed = steps.filter(({ held }) => !held).map(({ perSecond }) => perSecond);
  const lowestFailed = failed.length > 0 ? Math.min(...failed) : null;
  const held = steps
    .filter((step) => step.held && (lowestFailed === null || step.perSecond < lowestFailed))
    .map(({ perSecond }) => perSecond);
  return { held: held.length > 0 ? Math.max(...held) : null, failed: lowestFailed };
}

export function nextRate(steps: readonly SearchStep[], bounds: SearchBounds): number | null {
  if (steps.length >= bounds.mostSteps) return null;
  const { held, failed } = bracketOf(steps);
  if (held === null && failed === null) return bounds.first;
  if (held === null) return (failed ?? bounds.first) / STRIDE;
  if (failed === null) return held * STRIDE;
  return failed / held <= bounds.factor ? null : Math.sqrt(held * failed);
}
