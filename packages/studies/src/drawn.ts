import { markdownTable } from "@evenbench/page";
import { type CaseFit, median, nonBaselinesOf, openTargets, type RatioInterval } from "@evenbench/stats";

/** Of the looks of a run that ends cases early. */
export const LEAST = 3;

/** Whether a target did not rest in the trial at that place. */
export type IsMeasured = (index: number, target: string) => boolean;

/** What runs say whose targets rest, and whose cases end, once they are decided: by a look after each turn. */
export function untilDecided<Result extends { readonly time: CaseFit }>(
  cases: readonly ((trials: number, isMeasured: IsMeasured) => Result)[],
  most: number,
): readonly Result[] {
  let all = cases.map((caseAt) => {
    return { caseAt, result: caseAt(LEAST, () => true), rested: new Set<string>(), isOpen: true };
  });
  for (let trials = LEAST + 1; trials <= most; trials++) {
    const open = openTargets(all.map(({ result }) => result.time));
    all = all.map(({ caseAt, result, rested, isOpen }, index) => {
      const left = isOpen ? (open[index] ?? []) : [];
      if (left.length === 0) {
        return { caseAt, result, rested, isOpen: false };
      }
      const resting = nonBaselinesOf(result.time.question).filter((target) => !left.includes(target));
      const all = new Set([...rested, ...resting.map((target) => `${trials - 1} ${target}`)]);
      const next = caseAt(trials, (index, target) => !all.has(`${index} ${target}`));
      return { caseAt, result: next, rested: all, isOpen };
    });
  }
  return all.map(({ result }) => result);
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
export function holds({ ratio, truth }: { ratio: RatioInterval | null; truth: number }): boolean {
  return ratio !== null && ratio.low <= truth && truth <= ratio.high;
}

export function halfWidthOf(comparisons: readonly { readonly ratio: RatioInterval }[]): string {
  const widths = comparisons.map(({ ratio: { low, high } }) => Math.sqrt(high / low) - 1);
  return widths.length === 0 ? "-" : percentOf(median(widths));
}

/** The first column names its row. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  return markdownTable({ head, rows, numeric: head.map((_, column) => column).slice(1) });
}
