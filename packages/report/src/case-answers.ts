import type { Comparison } from "@evenbench/stats";
import type { CaseReport, ReportData } from "./data.ts";
import { formatRatio } from "./format.ts";
import { answerOfVantages } from "./vantages/words.ts";
import { workGroups } from "./work.ts";

/**
 * What came out on time, a sentence for each case: "trig: cloudflare takes 0.42× (0.37–0.47) of node's time;
 * vercel inconclusive, 1.02× (0.98–1.06)".
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
  const [first, ...others] = headline.comparisons.toSorted((a, b) => Number(isTold(b)) - Number(isTold(a)));
  if (first === undefined) return `${manifest.id}: ${baseline} alone, nothing to compare`;
  const parts = [partOf(first, ` of ${baseline}'s time`), ...others.map((one) => partOf(one, ""))];
  return `${manifest.id}: ${parts.join("; ")}`;
}

/** What the ratio is of is said once, with the first. */
function partOf(comparison: Comparison, of: string): string {
  const { target, verdict, ratio } = comparison;
  if (!isTold(comparison)) return `${target} ${verdict}${ratio === null ? "" : `, ${formatRatio(ratio)}`}`;
  const same = verdict === "same" ? ", same" : "";
  return `${target} ${of === "" ? "" : "takes "}${formatRatio(ratio)}${of}${same}`;
}

function isTold({ verdict, ratio }: Comparison): boolean {
  return ratio !== null && verdict !== "inconclusive" && verdict !== "not warm";
}
