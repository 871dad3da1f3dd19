import type { CaseAnalysis, RatioInterval } from "./analysis.ts";

/**
 * Whether a case may end early: every comparison and the control are of warm instances, and have intervals
 * that reach no farther than
 * `precision` (a fraction) from their estimates. It looks at widths only, never at where an interval lies, so
 * that ending here favours no verdict. Interim analyses are to be few and far apart (after 5, 10 and 15
 * trials): docs/coverage.md shows what is left of the coverage of intervals that are analysed like this.
 */
export function isPreciseEnough(analysis: CaseAnalysis, precision: number): boolean {
  const all = analysis.control === null ? analysis.comparisons : [...analysis.comparisons, analysis.control];
  return all.every(
    ({ ratio, verdict }) => verdict !== "not warm" && ratio !== null && isNarrow(ratio, precision),
  );
}

function isNarrow({ estimate, low, high }: RatioInterval, precision: number): boolean {
  return high / estimate - 1 <= precision && 1 - low / estimate <= precision;
}
