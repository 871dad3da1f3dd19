import type { Run } from "@evenbench/results";
import {
  asMsInterval,
  type CaseAnalysis,
  type Comparison,
  judge,
  type PairRatio,
  type RatioInterval,
  type TargetSummary,
  type Verdict,
} from "@evenbench/stats";
import { answersOf } from "./answer.ts";
import { isCompared, ofTarget } from "./case-report.ts";
import type { CaseReport, ReportData, ReportTarget } from "./data.ts";
import { firstLine, formatRatio } from "./format.ts";
import { baselinesOf, byKindOfWork, columnsOf, platformNames } from "./names.ts";
import { isVoid, titleOf } from "./notices.ts";

export interface VerdictRow {
  readonly report: CaseReport;
  readonly target: ReportTarget;
  /** Its platform's name, or its own where that does not tell it from others. */
  readonly platform: string;
  readonly isBaseline: boolean;
  readonly isFirst: boolean;
  readonly summary: TargetSummary | null;
  readonly comparison: Comparison | null;
  readonly cpuSummary: TargetSummary | null;
  readonly cpuComparison: Comparison | null;
}

/** A line for each case and target, kind by kind, baseline first in each case. */
export function verdictRows({ targets, cases }: ReportData): readonly VerdictRow[] {
  const names = platformNames(targets);
  return byKindOfWork(cases).flatMap((report) => {
    const { headline, cpuTime, baseline } = report;
    if (headline === null) return [];
    return targets
      .filter(({ name, copyOf }) => copyOf === null && report.targets.includes(name))
      .toSorted((a, b) => Number(b.name === baseline) - Number(a.name === baseline))
      .map((target, index): VerdictRow => {
        const { name } = target;
        return {
          report,
          target,
          platform: names.get(name) ?? name,
          isBaseline: name === baseline,
          isFirst: index === 0,
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

export interface View {
  /** In the URL; empty for the baselines that were measured. */
  readonly key: string;
  readonly name: string;
  readonly cases: readonly CaseReport[];
  readonly sentences: readonly string[];
}

/** What was measured first, then each other platform as what the rest is compared with. */
export function viewsOf({ targets, cases, summary }: ReportData): readonly View[] {
  const compared = cases.filter(isCompared);
  if (compared.length === 0) return [];
  const name = baselinesOf(targets, compared);
  const others = columnsOf(targets, compared).map((column): View => {
    const own = compared.flatMap((report) => {
      const by = column.comparisonIn(report);
      return by === null ? [] : [caseAgainst(report, by.target)];
    });
    return { key: column.name, name: column.spoken, cases: own, sentences: answersOf(targets, own) };
  });
  return [{ key: "", name, cases: compared, sentences: summary.sentences }, ...others];
}

function caseAgainst(report: CaseReport, by: string): CaseReport {
  const { headline, pairs } = report;
  const [any] = headline?.comparisons ?? [];
  if (headline === null || any === undefined) return report;
  const comparisons = [headline.baseline, ...headline.comparisons.map(({ target }) => target)]
    .filter((target) => target !== by)
    .map((target) => {
      const ratio = ratioOf(target, by, headline, pairs.headline);
      return {
        ...any,
        target,
        baseline: by,
        ratio,
        verdict: verdictOf(target, by, ratio, headline),
        reason: "",
      };
    });
  return { ...report, baseline: by, headline: { ...headline, baseline: by, comparisons } };
}

function verdictOf(target: string, by: string, ratio: RatioInterval | null, analysis: CaseAnalysis): Verdict {
  const isCold = analysis.comparisons.some(
    (one) => one.verdict === "not warm" && (one.target === target || one.target === by),
  );
  if (isCold) return "not warm";
  return ratio === null ? "inconclusive" : judge(ratio).verdict;
}

export function otherBaselines(
  { headline, cpuTime, pairs }: CaseReport,
  target: string,
  names: ReadonlyMap<string, string>,
) {
  if (headline === null) return [];
  return headline.comparisons.map(({ target: by }) => {
    const ratio = ratioOf(target, by, headline, pairs.headline);
    return {
      platform: names.get(by) ?? by,
      headline: ratio,
      cpuTime: ratioOf(target, by, cpuTime, pairs.cpuTime),
      isItself: target === by,
      verdict: target === by ? null : verdictOf(target, by, ratio, headline),
    };
  });
}

function ratioOf(
  target: string,
  by: string,
  analysis: CaseAnalysis | null,
  pairs: readonly PairRatio[],
): RatioInterval | null {
  if (analysis === null || target === by) return null;
  if (target === analysis.baseline) return inverse(ofTarget(analysis.comparisons, by)?.ratio ?? null);
  const pair = pairs.find((one) => [one.target, one.by].every((name) => name === target || name === by));
  if (pair === undefined) return null;
  return pair.target === target ? pair.ratio : inverse(pair.ratio);
}

function inverse(ratio: RatioInterval | null): RatioInterval | null {
  if (ratio === null) return null;
  return { ...ratio, estimate: 1 / ratio.estimate, low: 1 / ratio.high, high: 1 / ratio.low };
}
