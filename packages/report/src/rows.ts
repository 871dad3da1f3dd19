import type { RunEvent } from "@evenbench/results";
import {
  asMsInterval,
  type Comparison,
  type CpuSummary,
  type DifferenceAcross,
  type Metric,
  type TargetSummary,
} from "@evenbench/stats";
import { type CaseLinks, caseLinks } from "./case-links.ts";
import type { CaseReport, ProviderCpuSummary, ReportData } from "./data.ts";
import { firstLine, formatRatio } from "./format.ts";
import { type OtherBaseline, otherBaselines } from "./other-baselines.ts";
import { costOn } from "./prices.ts";
import { isVoid, titleOf } from "./warnings.ts";
import { platformNames, workGroups } from "./work.ts";

/** One line of the verdict table: a case, a target and what the comparison says. */
export interface VerdictRow {
  readonly caseId: string;
  readonly title: string;
  readonly kindOfWork: string;
  readonly app: string;
  /** Its platform's name, or its own where that does not tell it from others. */
  readonly platform: string;
  /** The platforms run different code for this case. */
  readonly notSameCode: boolean;
  readonly metric: Metric;
  readonly target: string;
  readonly isBaseline: boolean;
  readonly summary: TargetSummary | null;
  /** Of CPU time; null where the system does not report it for each exchange, too. */
  readonly cpuSummary: TargetSummary | null;
  readonly cpu: CpuSummary | null;
  /** US dollars for the CPU time of a million requests, by that; null without a price. */
  readonly usdOfMillion: number | null;
  readonly providerCpu: ProviderCpuSummary | null;
  /** null for the baseline itself. */
  readonly comparison: Comparison | null;
  /**
   * What vantages say, in milliseconds, in the place of a ratio; null for the baseline, and where one machine
   * measured.
   */
  readonly difference: DifferenceAcross | null;
  /** The same of CPU time; null where the system does not report it for each exchange, too. */
  readonly cpuComparison: Comparison | null;
  /** The noise of this case as a fraction, or null without a control. */
  readonly noiseFloor: number | null;
  /** What voids this row, each as a title and its detail. */
  readonly voids: readonly RowVoid[];
  readonly links: CaseLinks;
  /** The same with each other target as the baseline. */
  readonly otherBaselines: readonly OtherBaseline[];
}

interface RowVoid {
  readonly title: string;
  readonly detail: string;
}

/** The lines of the verdict table, kind by kind, baseline first in each case. A/A copies have none. */
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
      usdOfMillion: usd === null ? null : 1000 * usd,
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

/** What a comparison found, with its interval: a ratio, or over vantages a difference. */
export function effectOf({ difference, comparison }: VerdictRow): string {
  if (difference === null) return formatRatio(comparison?.ratio ?? null);
  if (difference.pooled !== null) return asMsInterval(difference.pooled);
  return difference.disagree ? "the vantages disagree" : "not pooled";
}

/** Of a case's events those that void a target's row, and that the target was not warm. */
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
