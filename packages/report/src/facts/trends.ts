// How memory grows from request to request, and how much of it is in use.
import type { Run } from "@evenbench/results";
import {
  FLAT_BELOW_BYTES,
  type MemoryKind,
  memoryTrends,
  type RatioInterval,
  subtracted,
  verdictOfSlope,
} from "@evenbench/stats";
import type { Change, Level, Metric, Trend } from "./facts.ts";
import { levelIn, NO_INTERVAL, numbersOf } from "./rows.ts";

const METRIC_OF_KIND = {
  heapBytes: "heapBytes",
  bufferBytes: "bufferBytes",
  residentBytes: "memoryBytes",
} as const satisfies Readonly<Record<MemoryKind, Metric>>;

/** Something with a verdict. */
export type Judged = Change | Trend;

/** What the growth of a target by itself has, whatever was read. */
const OWN = { baseline: null, bound: FLAT_BELOW_BYTES } as const;

type MemoryRecord = Pick<Run, "memory" | "events">;

/** Lists how the memory of a run's targets grows in a case, and those of which it could not be read. */
export function trendsOf(run: MemoryRecord, caseId: string): readonly Trend[] {
  const measured = memoryOf(run, caseId).map(({ target, kind, slope, equivalence, verdict }): Trend => {
    const head = { ...OWN, case: caseId, target, metric: METRIC_OF_KIND[kind] };
    return slope === null || equivalence === null
      ? { ...head, ...NO_INTERVAL, verdict: "none", why: "few-requests" }
      : { ...head, ...numbersOf(slope, equivalence), verdict, why: null };
  });
  const failed = run.events.flatMap((event): readonly Trend[] => {
    const { kind, target } = event;
    if (kind !== "memory-failed" || event.caseId !== caseId || target === null) {
      return [];
    }
    const head = { ...OWN, case: caseId, target, metric: "heapBytes" } as const;
    return [{ ...head, ...NO_INTERVAL, verdict: "none", why: "not-measured" }];
  });
  const isFailed = ({ target }: Trend) => failed.some((trend) => trend.target === target);
  return [...measured.filter((trend) => !isFailed(trend)), ...failed];
}

/**
 * Lists by how much more the memory of each target grows than that of its earlier state.
 *
 * @param trends of both states.
 * @param changes which states are compared. What these may not compare has no verdict here, either.
 */
export function trendsBeyond(trends: readonly Trend[], changes: readonly Change[]): readonly Trend[] {
  const pairs = changes.filter(
    ({ role, metric, place }) => role === "main" && metric === "lastByteMs" && place === null,
  );
  return pairs.flatMap((pair) => {
    const of = (target: string) =>
      trends.filter((trend) => trend.target === target && trend.case === pair.case);
    return of(pair.target).flatMap((after) => {
      const before = of(pair.baseline).find(({ metric }) => metric === after.metric);
      return before === undefined ? [] : trendBeyond(after, before, pair.why === "unlike-runs");
    });
  });
}

function trendBeyond(after: Trend, before: Trend, isForbidden: boolean): Trend {
  const head = { ...after, baseline: before.target };
  const [slope, slopeBefore] = [after, before].map(slopeOf);
  if (isForbidden || !slope || !slopeBefore) {
    const why = isForbidden ? "unlike-runs" : (after.why ?? before.why);
    return { ...head, ...NO_INTERVAL, verdict: "none", why };
  }
  const interval = subtracted(slope.interval, slopeBefore.interval);
  const equivalence = subtracted(slope.equivalence, slopeBefore.equivalence);
  return { ...head, ...numbersOf(interval, equivalence), verdict: verdictOfSlope(interval, equivalence) };
}

/** The 99 % and the 90 % interval of a trend; null where it has none. */
function slopeOf({ estimate, low, high, low90, high90 }: Trend) {
  if (estimate === null || low === null || high === null || low90 === null || high90 === null) {
    return null;
  }
  const interval: RatioInterval = { estimate, low, high };
  return { interval, equivalence: { estimate, low: low90, high: high90 } };
}

/** Makes the levels of what is in use in a case at the last reading: the heap, and buffers beside it. */
export function memoryLevels(run: MemoryRecord, caseId: string): readonly Level[] {
  const level = levelIn(caseId);
  return memoryOf(run, caseId)
    .filter(({ kind }) => kind !== "residentBytes")
    .map(({ target, kind, bytes }) => level(target, METRIC_OF_KIND[kind], bytes));
}

function memoryOf({ memory = [] }: MemoryRecord, caseId: string) {
  return memoryTrends(memory.filter((reading) => reading.caseId === caseId));
}
