// How memory grows from request to request.
import type { MemoryReading } from "@evenbench/results";
import { CONFIDENCE_LEVEL, meanInterval } from "./model.ts";
import { EQUIVALENCE_LEVEL, type RatioInterval } from "./verdict.ts";

/** A slope below this many bytes a request is called "flat". */
export const FLAT_BELOW_BYTES = 500;

/** A kind of memory that is read. */
export const MEMORY_KINDS = ["heapBytes", "bufferBytes", "residentBytes"] as const;
/** One of {@link MEMORY_KINDS}. */
export type MemoryKind = (typeof MEMORY_KINDS)[number];

/** How one kind of memory of one target grows. */
export interface MemoryTrend {
  readonly target: string;
  readonly kind: MemoryKind;
  /** Bytes at the last reading. */
  readonly bytes: number;
  /** Bytes a request, with the 99 % and the 90 % interval; null with fewer than two differences. */
  readonly slope: RatioInterval | null;
  readonly equivalence: RatioInterval | null;
  /** "grows" where the 99 % interval lies above `FLAT_BELOW_BYTES`; "flat" where the 90 % interval lies within it. */
  readonly verdict: "grows" | "flat" | "unclear";
}

/**
 * Computes how the memory of each target grows: the mean of what each block added for one of its requests, with the
 * interval of these differences. The first block is no difference: it fills caches.
 *
 * @param readings of one case.
 */
export function memoryTrends(readings: readonly MemoryReading[]): readonly MemoryTrend[] {
  const byTarget = Map.groupBy(readings, ({ target }) => target);
  return [...byTarget].flatMap(([target, ofTarget]) =>
    MEMORY_KINDS.flatMap((kind) => {
      const trend = trendOf(
        ofTarget.toSorted((a, b) => a.block - b.block),
        kind,
      );
      return trend === null ? [] : [{ target, kind, ...trend }];
    }),
  );
}

/** Computes the trend of one target; null where its system does not say that kind. */
function trendOf(
  readings: readonly MemoryReading[],
  kind: MemoryKind,
): Omit<MemoryTrend, "target" | "kind"> | null {
  const bytes = readings.at(-1)?.[kind] ?? null;
  if (bytes === null) {
    return null;
  }
  const added = readings.slice(1).map((reading, index) => {
    const before = readings[index]?.[kind] ?? 0;
    return ((reading[kind] ?? 0) - before) / reading.requests;
  });
  const slope = meanInterval(added, { level: CONFIDENCE_LEVEL });
  const equivalence = meanInterval(added, { level: EQUIVALENCE_LEVEL });
  return { bytes, slope, equivalence, verdict: verdictOfSlope(slope, equivalence) };
}

/** Judges a slope by its intervals. */
export function verdictOfSlope(
  slope: RatioInterval | null,
  equivalence: RatioInterval | null,
): MemoryTrend["verdict"] {
  if (slope !== null && slope.low > FLAT_BELOW_BYTES) {
    return "grows";
  }
  const isFlat =
    equivalence !== null && equivalence.high < FLAT_BELOW_BYTES && equivalence.low > -FLAT_BELOW_BYTES;
  return isFlat ? "flat" : "unclear";
}
