import { markdownTable } from "@evenbench/report/parts";
import { areDecided, type CaseFit, median, type RatioInterval } from "@evenbench/stats";

/** Of the looks of a run that ends cases early. */
export const LEAST = 3;

/** Trials of each case where a look after each turn ends what is decided, as in a run. */
export function untilDecided(
  cases: number,
  most: number,
  fitAt: (index: number, count: number) => CaseFit | undefined,
): readonly number[] {
  const counts = Array.from({ length: cases }, () => LEAST);
  const isOpen = counts.map(() => true);
  for (let turn = LEAST; turn < most; turn++) {
    const seen = counts.flatMap((count, index) => {
      const fit = fitAt(index, count);
      return fit === undefined ? [] : [{ index, fit }];
    });
    const decided = areDecided(seen.map(({ fit }) => fit));
    for (const [at, { index }] of seen.entries()) if (decided[at]) isOpen[index] = false;
    for (const [index, open] of isOpen.entries()) if (open) counts[index] = turn + 1;
  }
  return counts;
}

/** Asks once for each case and number of trials. */
export function remembered<T>(fitOf: (index: number, count: number) => T) {
  const known = new Map<string, T>();
  return (index: number, count: number): T => {
    const key = `${index} ${count}`;
    const fit = known.has(key) ? (known.get(key) as T) : fitOf(index, count);
    known.set(key, fit);
    return fit;
  };
}

export function many<T>(all: readonly T[]) {
  return {
    all,
    /** In percent; a dash where there is none. */
    share: (counts: (value: T) => boolean) =>
      all.length === 0 ? "-" : percentOf(all.filter(counts).length / all.length),
  };
}

export function manyOf<T>(runs: number, draw: () => readonly T[]) {
  return many(Array.from({ length: runs }, draw).flat());
}

export function percentOf(fraction: number): string {
  return `${(100 * fraction).toFixed(1)} %`;
}

export function scaled({ estimate, low, high }: RatioInterval, factor: number): RatioInterval {
  return { estimate: estimate * factor, low: low * factor, high: high * factor };
}

/** Whether an interval has the truth in it. */
export function holds({
  ratio,
  truth,
}: {
  ratio: Omit<RatioInterval, "level"> | null;
  truth: number;
}): boolean {
  return ratio !== null && ratio.low <= truth && truth <= ratio.high;
}

export function halfWidthOf(told: readonly { readonly ratio: RatioInterval }[]): string {
  const widths = told.map(({ ratio: { low, high } }) => Math.sqrt(high / low) - 1);
  return widths.length === 0 ? "-" : percentOf(median(widths));
}

/** The first column names its row. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  return markdownTable({ head, rows, numeric: head.map((_, column) => column).slice(1) });
}
