import type { CaseReport, ReportData } from "./data.ts";
import { percentRange } from "./format.ts";
import { answerOfVantages } from "./vantages/words.ts";
import { workGroups } from "./work.ts";

/**
 * What came out on time, a sentence for each case: "trig: against node, cloudflare faster, 56 to 59 % less
 * time; vercel inconclusive, 2 % less to 6 % more time".
 */
export function caseAnswers({ cases, summary }: ReportData): readonly string[] {
  if (summary.answer === null) return [summary.compared];
  return workGroups(cases).flatMap(({ cases: own }) => own.map(caseAnswer));
}

/** The same for one case. */
export function caseAnswer(report: CaseReport): string {
  return report.isUnproven ? `${comparedIn(report)} (the work was not proven equal)` : comparedIn(report);
}

function comparedIn({ manifest, headline, baseline, vantages }: CaseReport): string {
  if (headline === null) return `${manifest.id}: nothing was measured`;
  if (vantages !== null) return `${manifest.id}: ${answerOfVantages(vantages)}`;
  const { comparisons } = headline;
  if (comparisons.length === 0) return `${manifest.id}: ${baseline} alone, nothing to compare`;
  const parts = comparisons.map(
    ({ target, verdict, ratio }) =>
      `${target} ${verdict}${ratio === null || verdict === "not warm" ? "" : `, ${percentRange(ratio)}`}`,
  );
  return `${manifest.id}: against ${baseline}, ${parts.join("; ")}`;
}
