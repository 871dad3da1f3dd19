import type { RunEvent } from "@evenbench/results";
import {
  asMsInterval,
  type CaseAnalysis,
  type Comparison,
  type CpuSummary,
  type DifferenceAcross,
  judge,
  type Metric,
  type PairRatio,
  type RatioInterval,
  type TargetSummary,
  type Verdict,
} from "@evenbench/stats";
import { answersOf } from "./answer.ts";
import type { CaseReport, ReportData } from "./data.ts";
import { firstLine, formatRatio, listed } from "./format.ts";
import { platformNames, spokenNames, workGroups } from "./names.ts";
import { isVoid, titleOf } from "./notices.ts";
import { costOn } from "./prices.ts";
import { type CaseLinks, caseLinks } from "./repeat.ts";
import type { ProviderCpuSummary } from "./series.ts";

export interface VerdictRow {
  readonly caseId: string;
  readonly title: string;
  readonly kindOfWork: string;
  readonly app: string;
  /** Its platform's name, or its own where that does not tell it from others. */
  readonly platform: string;
  readonly notSameCode: boolean;
  readonly metric: Metric;
  readonly target: string;
  readonly isBaseline: boolean;
  readonly summary: TargetSummary | null;
  readonly cpuSummary: TargetSummary | null;
  readonly cpu: CpuSummary | null;
  readonly usdOfMillion: number | null;
  readonly providerCpu: ProviderCpuSummary | null;
  readonly comparison: Comparison | null;
  readonly difference: DifferenceAcross | null;
  readonly cpuComparison: Comparison | null;
  readonly noiseFloor: number | null;
  readonly voids: readonly RowVoid[];
  readonly links: CaseLinks;
  readonly otherBaselines: readonly OtherBaseline[];
}

interface RowVoid {
  readonly title: string;
  readonly detail: string;
}

export function verdictRows(data: ReportData): readonly VerdictRow[] {
  const names = platformNames(data.targets);
  return workGroups(data.cases).flatMap(({ cases }) =>
    cases.flatMap((report) => caseRows(report, data, names)),
  );
}

function caseRows(
  report: CaseReport,
  data: ReportData,
  names: ReadonlyMap<string, string>,
): readonly VerdictRow[] {
  const { headline, cpuTime, manifest, kindOfWork, baseline } = report;
  if (headline === null) return [];
  const originals = data.targets.filter(
    ({ name, copyOf }) => copyOf === null && report.targets.includes(name),
  );
  const ordered = originals.toSorted((a, b) => Number(b.name === baseline) - Number(a.name === baseline));
  const links = caseLinks(report, data.run);
  return ordered.map(({ name, app, platform }) => {
    const cpu = report.cpu.find(({ target }) => target === name) ?? null;
    const usd = cpu === null ? null : costOn(platform, cpu.msPerExchange, data.prices);
    const comparison = headline.comparisons.find(({ target }) => target === name) ?? null;
    return {
      caseId: manifest.id,
      title: manifest.title,
      kindOfWork,
      app,
      platform: names.get(name) ?? name,
      notSameCode: manifest.notSameCode !== null,
      metric: headline.metric,
      target: name,
      isBaseline: name === baseline,
      summary: headline.summaries.find(({ target }) => target === name) ?? null,
      cpuSummary: cpuTime?.summaries.find(({ target }) => target === name) ?? null,
      cpu,
      usdOfMillion: usd,
      providerCpu: report.providerCpu.find(({ target }) => target === name) ?? null,
      comparison,
      difference: report.vantages?.comparisons.find(({ target }) => target === name)?.time.difference ?? null,
      cpuComparison: cpuTime?.comparisons.find(({ target }) => target === name) ?? null,
      noiseFloor: headline.noiseFloor,
      voids: voidsOf(data.run.events, manifest.id, name, comparison),
      links,
      otherBaselines: report.vantages === null ? otherBaselines(report, name, names) : [],
    };
  });
}

export function effectOf({ difference, comparison }: VerdictRow): string {
  if (difference === null) return formatRatio(comparison?.ratio ?? null);
  if (difference.pooled !== null) return asMsInterval(difference.pooled);
  return difference.disagree ? "the vantages disagree" : "not pooled";
}

function voidsOf(
  events: readonly RunEvent[],
  caseId: string,
  target: string,
  comparison: Comparison | null,
): readonly RowVoid[] {
  const own = events.filter(
    (event) => isVoid(event) && event.caseId === caseId && (event.target ?? target) === target,
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

export interface OtherBaseline {
  readonly platform: string;
  readonly headline: RatioInterval | null;
  readonly cpuTime: RatioInterval | null;
  readonly isItself: boolean;
  readonly verdict: Verdict | null;
}

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
