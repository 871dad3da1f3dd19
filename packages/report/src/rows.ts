import type { Run } from "@evenbench/results";
import {
  asMsInterval,
  type CaseAnalysis,
  judge,
  type PairRatio,
  type RatioInterval,
  type Verdict,
} from "@evenbench/stats";
import { answersOf } from "./answer.ts";
import { isCompared, ofTarget } from "./case-report.ts";
import type { CaseReport, ReportData } from "./data.ts";
import { firstLine, formatRatio } from "./format.ts";
import { baselinesOf, byKindOfWork, columnsOf, platformNames } from "./names.ts";
import { isVoid, titleOf } from "./notices.ts";

export type VerdictRow = ReturnType<typeof verdictRows>[number];

/** A line for each case and target, kind by kind, baseline first in each case. */
export function verdictRows({ targets, cases }: ReportData) {
  const names = platformNames(targets);
  return byKindOfWork(cases).flatMap((report) => {
    const { headline, cpuTime, baseline } = report;
    if (headline === null) return [];
    return targets
      .filter(({ name, copyOf }) => copyOf === null && report.targets.includes(name))
      .toSorted((a, b) => Number(b.name === baseline) - Number(a.name === baseline))
      .map((target, index) => {
        const { name } = target;
        return {
          ...{ report, target, isBaseline: name === baseline, isFirst: index === 0 },
          /** Its platform's name, or its own where that does not tell it from others. */
          platform: names.get(name) ?? name,
          summary: ofTarget(headline.summaries, name),
          comparison: ofTarget(headline.comparisons, name),
          cpuSummary: ofTarget(cpuTime?.summaries, name),
          cpuComparison: ofTarget(cpuTime?.comparisons, name),
        };
      });
  });
}

export function differenceOf({ report, target }: VerdictRow) {
  return ofTarget(report.vantages?.comparisons, target.name)?.time.difference ?? null;
}

export function effectOf(row: VerdictRow): string {
  const difference = differenceOf(row);
  if (difference === null) return formatRatio(row.comparison?.ratio ?? null);
  if (difference.pooled !== null) return asMsInterval(difference.pooled);
  return difference.disagree ? "the vantages disagree" : "not pooled";
}

export function voidsOf({ events }: Run, { report, target: { name }, comparison }: VerdictRow) {
  const own = events.filter(
    (event) => isVoid(event) && event.caseId === report.manifest.id && (event.target ?? name) === name,
  );
  const cold = comparison?.verdict === "not warm" ? [{ title: "No verdict", detail: comparison.reason }] : [];
  return [...own.map((event) => ({ title: titleOf(event), detail: firstLine(event.detail) })), ...cold];
}

export type View = ReturnType<typeof viewsOf>[number];

/** What was measured first, then each other platform as what the rest is compared with. */
export function viewsOf({ targets, cases, summary }: ReportData) {
  const compared = cases.filter(isCompared);
  if (compared.length === 0) return [];
  const measured = { name: baselinesOf(targets, compared), cases: compared, sentences: summary.sentences };
  const others = columnsOf(targets, compared).map(({ name, spoken, comparisonIn }) => {
    const own = compared.flatMap((report) => {
      const by = comparisonIn(report);
      return by === null ? [] : [caseAgainst(report, by.target)];
    });
    return { key: name, name: spoken, cases: own, sentences: answersOf(targets, own) };
  });
  /** In the URL; empty for the baselines that were measured. */
  return [{ key: "", ...measured }, ...others];
}

function caseAgainst(report: CaseReport, by: string): CaseReport {
  const { headline, pairs } = report;
  const [any] = headline?.comparisons ?? [];
  if (headline === null || any === undefined) return report;
  const comparisons = [headline.baseline, ...headline.comparisons.map(({ target }) => target)]
    .filter((target) => target !== by)
    .map((target) => ({
      ...{ ...any, target, baseline: by, reason: "" },
      ...against(target, by, headline, pairs.headline),
    }));
  return { ...report, baseline: by, headline: { ...headline, baseline: by, comparisons } };
}

function against(target: string, by: string, analysis: CaseAnalysis, pairs: readonly PairRatio[]) {
  const ratio = ratioOf(target, by, analysis, pairs);
  const isCold = analysis.comparisons.some(
    (one) => one.verdict === "not warm" && (one.target === target || one.target === by),
  );
  const judged: Verdict = ratio === null ? "inconclusive" : judge(ratio).verdict;
  return { ratio, verdict: isCold ? ("not warm" as const) : judged };
}

export function otherBaselines(
  { headline, cpuTime, pairs }: CaseReport,
  target: string,
  names: ReadonlyMap<string, string>,
) {
  if (headline === null) return [];
  return headline.comparisons.map(({ target: by }) => {
    const { ratio, verdict } = against(target, by, headline, pairs.headline);
    const isItself = target === by;
    return {
      ...{ platform: names.get(by) ?? by, headline: ratio, isItself },
      cpuTime: cpuTime && ratioOf(target, by, cpuTime, pairs.cpuTime),
      verdict: isItself ? null : verdict,
    };
  });
}

function ratioOf(
  target: string,
  by: string,
  analysis: CaseAnalysis,
  pairs: readonly PairRatio[],
): RatioInterval | null {
  if (target === by) return null;
  if (target === analysis.baseline) return inverse(ofTarget(analysis.comparisons, by)?.ratio ?? null);
  const pair = pairs.find((one) => [one.target, one.by].every((name) => name === target || name === by));
  if (pair === undefined) return null;
  return pair.target === target ? pair.ratio : inverse(pair.ratio);
}

function inverse(ratio: RatioInterval | null): RatioInterval | null {
  if (ratio === null) return null;
  return { ...ratio, estimate: 1 / ratio.estimate, low: 1 / ratio.high, high: 1 / ratio.low };
}
