import type { Run } from "@evenbench/results";
import { asMsInterval, type CaseAnalysis, judge, type PairRatio, type RatioInterval } from "@evenbench/stats";
import { answersOf } from "./answer.ts";
import { isCompared, ofTarget } from "./case-report.ts";
import type { CaseReport, ReportData } from "./data.ts";
import { firstLine, formatRatio } from "./format.ts";
import { baselinesOf, columnsOf, platformNames } from "./names.ts";
import { isVoid, titleOf } from "./notices.ts";

export type VerdictRow = ReturnType<typeof verdictRows>[number];

/** A line for each case and target, kind by kind, baseline first in each case. */
export function verdictRows({ targets, cases }: ReportData) {
  const names = platformNames(targets);
  return cases.flatMap((report) => {
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

export interface View {
  /** In the URL; empty for the baselines that were measured. */
  readonly key: string;
  readonly baseline: string;
  readonly data: ReportData;
}

/** What was measured first, then the same with each other platform as what the rest is compared with. */
export function viewsOf(data: ReportData): readonly View[] {
  const { run, targets, cases, summary } = data;
  const compared = cases.filter(isCompared);
  const others = run.vantages === undefined ? columnsOf(targets, compared) : [];
  return [
    { key: "", baseline: baselinesOf(targets, compared), data },
    ...others.map(({ name, spoken, comparisonIn }) => {
      const own = compared.flatMap((report) => {
        const by = comparisonIn(report);
        return by === null ? [] : [caseAgainst(report, by.target)];
      });
      const sentences = answersOf(targets, own);
      const told = { ...summary, answer: sentences.join(" "), sentences };
      return { key: name, baseline: spoken, data: { ...data, cases: own, summary: told } };
    }),
  ];
}

export function caseAgainst(report: CaseReport, by: string): CaseReport {
  const { headline, cpuTime, pairs } = report;
  return {
    ...{ ...report, baseline: by },
    headline: headline && analysisAgainst(by, headline, pairs.headline),
    cpuTime: cpuTime && analysisAgainst(by, cpuTime, pairs.cpuTime),
  };
}

/** From the same rounds. It has no control of its own. */
function analysisAgainst(by: string, analysis: CaseAnalysis, pairs: readonly PairRatio[]): CaseAnalysis {
  const { baseline, comparisons } = analysis;
  const own = ofTarget(comparisons, by);
  const targets = [baseline, ...comparisons.map(({ target }) => target)];
  const isCold = (target: string) => ofTarget(comparisons, target)?.verdict === "not warm";
  const judged = (target: string, ratio: RatioInterval | null) => {
    if (isCold(target) || isCold(by))
      return { verdict: "not warm" as const, reason: "One of the two was not warm." };
    return ratio === null ? { verdict: "inconclusive" as const, reason: "" } : judge(ratio);
  };
  const against = targets.flatMap((target) => {
    if (own === null || target === by) return [];
    const ratio = ratioOf(target, by, analysis, pairs);
    return [{ ...own, target, baseline: by, ratio, ...judged(target, ratio) }];
  });
  return { ...analysis, baseline: by, comparisons: against, control: null, noiseFloor: null };
}

function ratioOf(
  target: string,
  by: string,
  { baseline, comparisons }: CaseAnalysis,
  pairs: readonly PairRatio[],
): RatioInterval | null {
  if (target === baseline) return inverse(ofTarget(comparisons, by)?.ratio ?? null);
  const pair = pairs.find((one) => [one.target, one.by].every((name) => name === target || name === by));
  if (pair === undefined) return null;
  return pair.target === target ? pair.ratio : inverse(pair.ratio);
}

function inverse(ratio: RatioInterval | null): RatioInterval | null {
  if (ratio === null) return null;
  return { ...ratio, estimate: 1 / ratio.estimate, low: 1 / ratio.high, high: 1 / ratio.low };
}
