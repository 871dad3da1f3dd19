// What was measured of the sides of a comparison, by which a claim is judged.
import type { ComparisonRecord, Estimate } from "@evenbench/results";

/** What one side took: times and CPU time of a request in milliseconds; null where a number is not known. */
export interface SideResult {
  readonly name: string;
  readonly firstByteMs: Estimate | null;
  readonly lastByteMs: Estimate | null;
  readonly cpuMsPerExchange: Estimate | null;
  /** Distinct renderings for each response: 1 where each had its own; null where no response says who rendered it. */
  readonly rendersPerRequest: number | null;
}

/** One side divided by another: ratios, null where there are too few trials, or a side was not warm. */
export interface Contrast {
  readonly side: string;
  readonly against: string;
  readonly firstByteMs: Estimate | null;
  readonly lastByteMs: Estimate | null;
  readonly cpu: Estimate | null;
  /** Why a side was not warm, in a sentence; null where both were. */
  readonly notWarm: string | null;
}

/** The sides of a comparison that were measured, and how they differ. */
export interface ComparisonResult extends ComparisonRecord {
  readonly sides: readonly SideResult[];
  readonly contrasts: readonly Contrast[];
}
