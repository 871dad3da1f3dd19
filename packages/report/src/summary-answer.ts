// The answer of a run of which only the summary is left, by today's rules and in today's words.
import type { RunSummary, SummaryRow } from "@evenbench/results";
import { type IntervalEnds, type RatioInterval, VERDICTS, type Verdict, verdictOf } from "@evenbench/stats";
import { inReportOrder } from "./analyse-run.ts";
import { sayCaches } from "./answer.ts";
import { spokenOf } from "./names.ts";
import { caseWord } from "./notices.ts";
import { sentencesOf, type TargetFinding } from "./sentences.ts";
import type { SummarisedRun } from "./summarised.ts";

/** The answer of a run that compared nothing. */
export const NOTHING_COMPARED = "Nothing was compared.";

/**
 * Largest width of a 90 % interval as a part of that of the 99 % interval: the quantiles of a normal distribution at
 * 0.95 and 0.995. With fewer degrees of freedom it is less.
 */
const WIDEST_EQUIVALENCE = 1.6449 / 2.5758;

/**
 * Gives a row's verdict by today's rules. What was inconclusive when sameness was asked of the 99 % interval may be the
 * same; no other verdict has changed.
 */
export function verdictOfRow({ verdict: recorded, ratio, equivalence }: SummaryRow): Verdict | null {
  const verdict = VERDICTS.find((known) => known === recorded) ?? null;
  if (verdict !== "inconclusive" || ratio === null || equivalence != null) {
    return verdict;
  }
  return verdictOf(ratio, widestEquivalence(ratio)).verdict;
}

/** The 90 % interval of a ratio of which the 99 % interval alone is known is no wider than this. */
function widestEquivalence({ estimate, low, high }: RatioInterval): IntervalEnds {
  return {
    low: estimate * (low / estimate) ** WIDEST_EQUIVALENCE,
    high: estimate * (high / estimate) ** WIDEST_EQUIVALENCE,
  };
}

/** Lists the comparisons of a summary by the headline of each case, each with that of its CPU time. */
export function foundInSummary({ rows }: Pick<RunSummary, "rows">): readonly FoundInCase[] {
  return rows.flatMap((row) => {
    const verdict = verdictOfRow(row);
    if (!row.headline || verdict === null) {
      return [];
    }
    const { caseId, target, baseline, ratio, differenceMs } = row;
    const ofCpu = rows.find(
      (other) => other.metric === "cpuMs" && other.caseId === caseId && other.target === target,
    );
    const cpuVerdict = ofCpu === undefined ? null : verdictOfRow(ofCpu);
    const cpu =
      ofCpu === undefined || cpuVerdict === null ? null : { verdict: cpuVerdict, ratio: ofCpu.ratio };
    const found = { caseId, target, baseline, verdict, ratio, cpu };
    return [differenceMs === undefined ? found : { ...found, differenceMs }];
  });
}

/** A comparison, and the case that it was made in. */
interface FoundInCase extends TargetFinding {
  readonly caseId: string;
}

/** Writes the answer of a run anew from its summary; null where nothing was compared. */
export function answerOfSummary({ run, summary }: SummarisedRun): string | null {
  const targets = inReportOrder(run);
  const order = targets.map(({ name }) => name);
  const found = foundInSummary(summary).toSorted((a, b) => order.indexOf(a.target) - order.indexOf(b.target));
  if (found.length === 0) {
    return summary.answer;
  }
  const cached = [...new Set(summary.rows.filter(isCached).map(({ caseId }) => caseId))];
  return [
    ...sentencesOf(found, (target) => spokenOf(targets, target), caseWord({ targets })),
    ...(cached.length === 0 ? [] : [sayCaches(cached)]),
    ...(summary.failedChecks === undefined ? [] : [summary.failedChecks]),
    ...(summary.unproven === undefined ? [] : [summary.unproven]),
  ].join(" ");
}

function isCached({ cached }: SummaryRow): boolean {
  return cached !== undefined;
}
