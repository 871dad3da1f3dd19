import { type CaseAnalysis, judge, type PairRatio, type RatioInterval, type Verdict } from "@evenbench/stats";
import { answersOf } from "./answer.ts";
import type { CaseReport, ReportData } from "./data.ts";
import { listed } from "./format.ts";
import { platformNames, spokenNames } from "./work.ts";

/** All cases against one platform: as they were measured, or by ratios of the other pairs. */
export interface View {
  /** In the URL; empty for the baselines that were measured. */
  readonly key: string;
  readonly name: string;
  readonly cases: readonly CaseReport[];
  readonly sentences: readonly string[];
}

/** What was measured first, then each other platform as what the rest is compared with. */
export function viewsOf({ targets, cases, summary }: ReportData): readonly View[] {
  const compared = cases.filter(({ headline }) => (headline?.comparisons.length ?? 0) > 0);
  if (compared.length === 0) return [];
  const names = platformNames(targets);
  const spoken = spokenNames(targets);
  const baselines = compared.map(({ baseline }) => spoken.get(baseline) ?? baseline);
  const measured = {
    key: "",
    name: listed([...new Set(baselines)]),
    cases: compared,
    sentences: summary.sentences,
  };
  const others = new Set(
    compared.flatMap(({ headline }) =>
      headline?.comparisons.map(({ target }) => names.get(target) ?? target),
    ),
  );
  const views = [...others]
    .flatMap((key) => (key === undefined ? [] : [key]))
    .map((key) => {
      const own = compared.flatMap((report) => {
        const by = report.headline?.comparisons.find(({ target }) => (names.get(target) ?? target) === key);
        return by === undefined ? [] : [caseAgainst(report, by.target)];
      });
      const first = targets.find(({ name, copyOf }) => copyOf === null && (names.get(name) ?? name) === key);
      return {
        key,
        name: spoken.get(first?.name ?? "") ?? key,
        cases: own,
        sentences: answersOf(targets, own),
      };
    });
  return [measured, ...views];
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

/** A target's ratios where another target than the run's baseline is what is divided by. */
export interface OtherBaseline {
  /** The other target's platform, as the table calls it. */
  readonly platform: string;
  /** null where it is that target itself, or nothing is known. */
  readonly headline: RatioInterval | null;
  readonly cpuTime: RatioInterval | null;
  readonly isItself: boolean;
  readonly verdict: Verdict | null;
}

/** @param names what the table calls each target's platform. */
export function otherBaselines(
  { headline, cpuTime, pairs }: CaseReport,
  target: string,
  names: ReadonlyMap<string, string>,
): readonly OtherBaseline[] {
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
  if (target === analysis.baseline)
    return inverse(analysis.comparisons.find((one) => one.target === by)?.ratio ?? null);
  const pair = pairs.find((one) => [one.target, one.by].every((name) => name === target || name === by));
  if (pair === undefined) return null;
  return pair.target === target ? pair.ratio : inverse(pair.ratio);
}

function inverse(ratio: RatioInterval | null): RatioInterval | null {
  if (ratio === null) return null;
  return { ...ratio, estimate: 1 / ratio.estimate, low: 1 / ratio.high, high: 1 / ratio.low };
}
