import type { CaseAnalysis } from "./analysis.ts";

/**
 * Whether a case may end early: every comparison and the control have intervals that reach no farther than `precision`
 * (a fraction) from their estimates. It looks at widths only, never at where an interval lies, so ending here does not favour any verdict.
 */
export function isPreciseEnough(analysis: CaseAnalysis, precision: number): boolean {
  const all = analysis.control === null ? analysis.comparisons : [...analysis.comparisons, analysis.control];
  return all.every(({ ratio }) => {
    if (ratio === null) return false;
    return ratio.high / ratio.estimate - 1 <= precision && 1 - ratio.low / ratio.estimate <= precision;
  });
}
