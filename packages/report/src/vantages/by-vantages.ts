import type { CaseAnalysis, Comparison, VantageAnalysis, VantageComparison } from "@evenbench/stats";
import type { CaseReport } from "../data.ts";

/**
 * A case that several vantages measured: its verdicts are those over vantages. What takes all trials
 * together, be it a ratio, an interval, a distribution or kinds, is left out, since routes are in it; so is a
 * course over time, which their clocks do not share.
 */
export function byVantages(report: CaseReport, vantages: VantageAnalysis): CaseReport {
  const { headline, other } = report;
  return {
    ...report,
    headline: headline && {
      ...withoutIntervals(headline),
      comparisons: vantages.comparisons.map((one) => comparisonOf(headline, one)),
      control: vantages.control && comparisonOf(headline, vantages.control),
    },
    other: other && { ...withoutIntervals(other), comparisons: [], control: null },
    pairs: { headline: [], cpuTime: [] },
    curves: [],
    kinds: [],
    computeTimes: [],
    series: [],
    marks: [],
    vantages,
  };
}

function withoutIntervals(analysis: CaseAnalysis): CaseAnalysis {
  return {
    ...analysis,
    summaries: analysis.summaries.map((one) => ({ ...one, medianLow: null, medianHigh: null })),
    noiseFloor: null,
  };
}

/** Of the comparison of all trials only what it counts stays. */
function comparisonOf(analysis: CaseAnalysis, { target, baseline, time }: VantageComparison): Comparison {
  const { caseId, metric, comparisons, control } = analysis;
  const counted = [...comparisons, ...(control ? [control] : [])].find((one) => one.target === target);
  return {
    caseId,
    metric,
    target,
    baseline,
    trials: counted?.trials ?? 0,
    rounds: counted?.rounds ?? 0,
    ratio: null,
    verdict: time.verdict,
    reason: time.reason,
    byTrial: [],
  };
}
