import type { CaseDifferences, DifferenceMethod, TargetDifference } from "@evenbench/report";
import type { Sample } from "@evenbench/results";
import type { CaseQuestion } from "@evenbench/stats";
import { analyseVantages, type VantageComparison } from "../differences.ts";
import { describeClients, vantageNumbers, vantageSection } from "./page.ts";
import { vantageRows } from "./rows.ts";
import { pooledWords, type VantageReport, vantageTable } from "./table.ts";

/** How reports compare the targets of a run that several vantages measured. */
export const vantageMethod: DifferenceMethod = {
  tableNote: "A difference below 0 takes less; it is pooled only where the vantages lie on one side of 0.",
  words: {
    Difference:
      "A target's median time less the baseline's, in each trial; each vantage counts once, and those behind the same edges are one. Where the vantages disagree, nothing is pooled.",
  },
  analyse: differencesOf,
  describePlaces: describeClients,
};

function differencesOf(samples: readonly Sample[], question: CaseQuestion): CaseDifferences {
  const { caseId, baseline } = question;
  const analysis = analyseVantages(samples, question);
  const rows = vantageRows(samples, question, analysis.cells);
  const report: VantageReport = { ...analysis, caseId, baseline, rows };
  return {
    comparisons: analysis.comparisons.map(targetDifference),
    control: analysis.control === null ? null : targetDifference(analysis.control),
    table: (targets, hasControl) => vantageTable(report, targets, hasControl),
    draw: (targets) => vantageSection(report, targets),
    drawNumbers: (targets) => vantageNumbers(report, targets),
  };
}

function targetDifference({ target, time }: VantageComparison): TargetDifference {
  const { verdict, reason, difference } = time;
  const { mean, pooled } = difference;
  return { target, verdict, reason, mean, pooled, words: pooledWords(difference) };
}
