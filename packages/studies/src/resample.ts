// What the studies of drawn and of simulated runs have in common.
import { markdownTable } from "@evenbench/page";
import { type IntervalEnds, median, type RatioInterval, type Verdict, verdictOf } from "@evenbench/stats";

/** The results of many drawn runs. */
export interface Many<Value> {
  /** All of them. */
  readonly all: readonly Value[];
  /** Gives the share of those that a condition holds for, in percent: "97.3 %". A dash where there is none at all. */
  share(counts: (value: Value) => boolean): string;
}

/** Collects results, so that shares of them can be computed. */
export function many<Value>(all: readonly Value[]): Many<Value> {
  return {
    all,
    share: (counts) => (all.length === 0 ? "-" : percentOf(all.filter(counts).length / all.length)),
  };
}

/** Draws a number of runs, and collects the results of all. */
export function manyOf<Value>(runs: number, draw: () => readonly Value[]): Many<Value> {
  return many(Array.from({ length: runs }, draw).flat());
}

/** Writes a fraction in percent, with one decimal: "97.3 %". */
export function percentOf(fraction: number): string {
  return `${(100 * fraction).toFixed(1)} %`;
}

/** The two intervals of a ratio that a verdict is read off. */
export interface JudgedRatio {
  readonly ratio: RatioInterval;
  /** Interval by which sameness is judged. */
  readonly equivalence: IntervalEnds;
}

/** Gives the verdict of a ratio, had the target taken `factor` times as long. */
export function verdictIf({ ratio, equivalence }: JudgedRatio, factor = 1): Verdict {
  return verdictOf(scaled(ratio, factor), scaled(equivalence, factor));
}

function scaled({ low, high }: IntervalEnds, factor: number): IntervalEnds {
  return { low: low * factor, high: high * factor };
}

/** An interval beside the truth. */
export interface Checked {
  /** The interval; null where there is none. */
  readonly ratio: RatioInterval | null;
  /** The true ratio. */
  readonly truth: number;
}

/** Tells whether an interval has the truth in it; where there is no interval, it has not. */
export function coversTruth({ ratio, truth }: Checked): boolean {
  return ratio !== null && ratio.low <= truth && truth <= ratio.high;
}

/** Computes the median half-width of intervals of ratios, in percent; a dash where there is none. */
export function halfWidthWords(comparisons: readonly { readonly ratio: RatioInterval }[]): string {
  const widths = comparisons.map(({ ratio: { low, high } }) => Math.sqrt(high / low) - 1);
  return widths.length === 0 ? "-" : percentOf(median(widths));
}

/** Writes the lines of a Markdown table whose first column names the row, and whose others are numbers. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  return markdownTable({ head, rows, numeric: head.map((_, column) => column).slice(1) });
}
