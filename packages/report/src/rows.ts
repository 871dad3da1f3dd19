import type { Comparison, CpuSummary, Metric, TargetSummary } from "@evenbench/stats";
import type { CaseReport, ReportData } from "./data.ts";
import type { ProviderCpuSummary } from "./provider-cpu.ts";

/** One line of the verdict table: a case, a target and what the comparison says. */
export interface VerdictRow {
  readonly caseId: string;
  readonly title: string;
  /** The platforms run different code for this case. */
  readonly notSameCode: boolean;
  readonly metric: Metric;
  readonly target: string;
  readonly isBaseline: boolean;
  readonly summary: TargetSummary | null;
  readonly cpu: CpuSummary | null;
  readonly providerCpu: ProviderCpuSummary | null;
  /** null for the baseline itself. */
  readonly comparison: Comparison | null;
  /** The noise of this case as a fraction, or null without a control. */
  readonly noiseFloor: number | null;
}

/** The lines of the verdict table, baseline first in each case, in the order of the plan. Twins have none. */
export function verdictRows(data: ReportData): readonly VerdictRow[] {
  return data.cases.flatMap((report) => caseRows(report, data));
}

function caseRows(report: CaseReport, data: ReportData): readonly VerdictRow[] {
  const { headline, manifest, baseline } = report;
  if (headline === null) return [];
  const originals = data.targets.filter(
    ({ name, twinOf }) => twinOf === null && report.targets.includes(name),
  );
  const ordered = originals.toSorted((a, b) => Number(b.name === baseline) - Number(a.name === baseline));
  return ordered.map(({ name }) => ({
    caseId: manifest.id,
    title: manifest.title,
    notSameCode: manifest.notSameCode !== null,
    metric: headline.metric,
    target: name,
    isBaseline: name === baseline,
    summary: headline.summaries.find(({ target }) => target === name) ?? null,
    cpu: report.cpu.find(({ target }) => target === name) ?? null,
    providerCpu: report.providerCpu.find(({ target }) => target === name) ?? null,
    comparison: headline.comparisons.find(({ target }) => target === name) ?? null,
    noiseFloor: headline.noiseFloor,
  }));
}
