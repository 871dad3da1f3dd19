// How memory grows from request to request, and how much of it is in use.
import { FLAT_BELOW_BYTES, type MemoryKind, memoryTrends } from "@evenbench/stats";
import type { AnalysedRun } from "../analyse-run.ts";
import type { Level, Metric, Trend } from "./facts.ts";
import { NO_INTERVAL } from "./judge.ts";
import { levelIn } from "./levels.ts";

/** The quantity of each kind of memory. */
const METRIC_OF_KIND = {
  heapBytes: "heapBytes",
  bufferBytes: "bufferBytes",
  residentBytes: "memoryBytes",
} as const satisfies Readonly<Record<MemoryKind, Metric>>;

/** Lists how the memory of a run's targets grows in a case, and those of which it could not be read. */
export function trendsOf({ run }: Pick<AnalysedRun, "run">, caseId: string): readonly Trend[] {
  const measured = memoryOf(run, caseId).map(({ target, kind, slope, equivalence, verdict }): Trend => {
    const head = { case: caseId, target, metric: METRIC_OF_KIND[kind], bound: FLAT_BELOW_BYTES };
    return slope === null || equivalence === null
      ? { ...head, ...NO_INTERVAL, verdict: "none", why: "few-requests" }
      : { ...head, ...slope, low90: equivalence.low, high90: equivalence.high, verdict, why: null };
  });
  const failed = run.events.flatMap((event): readonly Trend[] => {
    const { kind, target } = event;
    if (kind !== "memory-failed" || event.caseId !== caseId || target === null) {
      return [];
    }
    const head = { case: caseId, target, metric: "heapBytes", bound: FLAT_BELOW_BYTES } as const;
    return [{ ...head, ...NO_INTERVAL, verdict: "none", why: "not-measured" }];
  });
  const isFailed = ({ target }: Trend) => failed.some((trend) => trend.target === target);
  return [...measured.filter((trend) => !isFailed(trend)), ...failed];
}

/** Makes the levels of what is in use in a case at the last reading: the heap, and buffers beside it. */
export function memoryLevels({ run }: Pick<AnalysedRun, "run">, caseId: string): readonly Level[] {
  const level = levelIn(caseId);
  return memoryOf(run, caseId)
    .filter(({ kind }) => kind !== "residentBytes")
    .map(({ target, kind, bytes }) => level(target, METRIC_OF_KIND[kind], bytes));
}

function memoryOf({ memory = [] }: AnalysedRun["run"], caseId: string) {
  return memoryTrends(memory.filter((reading) => reading.caseId === caseId));
}
