import type { RunSummary, SummaryProviderCpu, SummaryRatio, SummaryRow } from "@evenbench/core";
import type { CaseAnalysis, RatioInterval } from "@evenbench/stats";
import type { CaseReport, ReportData } from "../data.ts";
import type { ProviderCpuSummary } from "../provider-cpu.ts";

/** The report's numbers for other tools: a row for each case, target and time. Twins have none: they are the noise. */
export function summaryOf({ run, cases, targets }: ReportData): RunSummary {
  const twins = new Set(targets.filter(({ twinOf }) => twinOf !== null).map(({ name }) => name));
  return {
    schemaVersion: 1,
    runId: run.id,
    startedAt: run.startedAt,
    rows: cases.flatMap((report) =>
      [report.headline, report.other].flatMap((analysis) =>
        analysis === null ? [] : rowsOf(report, analysis, twins),
      ),
    ),
  };
}

function rowsOf(report: CaseReport, analysis: CaseAnalysis, twins: ReadonlySet<string>): SummaryRow[] {
  const { metric, baseline, noiseFloor } = analysis;
  return analysis.summaries
    .filter(({ target }) => !twins.has(target))
    .map((one): SummaryRow => {
      const { target } = one;
      const comparison = analysis.comparisons.find((other) => other.target === target) ?? null;
      const work = report.work.find((other) => other.target === target) ?? null;
      const cpu = report.cpu.find((other) => other.target === target) ?? null;
      return {
        caseId: report.manifest.id,
        target,
        baseline,
        metric,
        headline: analysis === report.headline,
        exchanges: one.exchanges,
        errors: one.errors,
        medianMs: one.median,
        medianLowMs: one.medianLow,
        medianHighMs: one.medianHigh,
        meanMs: one.mean,
        p95Ms: one.p95,
        minimumMs: one.minimum,
        maximumMs: one.maximum,
        ratio: ratioOf(comparison?.ratio ?? null),
        verdict: comparison?.verdict ?? null,
        workMs: work?.workMs ?? null,
        workRatio: ratioOf(work?.ratio ?? null),
        noiseFloor,
        cpuMsPerExchange: cpu?.msPerExchange ?? null,
        cpuRatio: ratioOf(cpu?.ratio ?? null),
        residentBytes: cpu?.residentBytes ?? null,
        providerCpu: providerCpuOf(report.providerCpu.find((other) => other.target === target)),
      };
    });
}

function providerCpuOf(account: ProviderCpuSummary | undefined): SummaryProviderCpu | null {
  if (account === undefined) return null;
  const { accountant, msPerRequest, interval, exchanges, joined } = account;
  return {
    accountant,
    msPerRequest,
    lowMs: interval?.low ?? null,
    highMs: interval?.high ?? null,
    exchanges,
    joined,
  };
}

function ratioOf(interval: RatioInterval | null): SummaryRatio | null {
  return interval === null ? null : { estimate: interval.estimate, low: interval.low, high: interval.high };
}
