import type { RunSummary, SummaryRow } from "@evenbench/results";
import type { CaseAnalysis } from "@evenbench/stats";
import { differenceOf, ofTarget } from "./case-report.ts";
import type { CaseReport, ReportData } from "./data.ts";
import { placeOf } from "./names.ts";

/** A row for each case, target and metric; A/A copies have none. */
export function summaryOf(
  { run, cases, targets, summary: { answer, unproven }, warnings }: ReportData,
  damage: string | null = null,
): RunSummary {
  const copies = new Set(targets.filter(({ copyOf }) => copyOf !== null).map(({ name }) => name));
  return {
    schemaVersion: 2,
    runId: run.id,
    startedAt: run.startedAt,
    answer,
    place: placeOf(run),
    notices: warnings.map(({ title }) => title),
    ...(unproven !== null && { unproven }),
    damage,
    rows: cases.flatMap((report) =>
      [report.headline, report.other, report.cpuTime].flatMap((analysis) =>
        analysis === null ? [] : rowsOf(report, analysis, copies),
      ),
    ),
  };
}

function rowsOf(report: CaseReport, analysis: CaseAnalysis, copies: ReadonlySet<string>): SummaryRow[] {
  const { baseline, noiseFloor } = analysis;
  const isHeadline = analysis === report.headline;
  const originals = analysis.summaries.filter(({ target }) => !copies.has(target));
  return originals.map(({ caseId, target, ...summary }): SummaryRow => {
    const comparison = ofTarget(analysis.comparisons, target);
    const compute = ofTarget(report.computeTimes, target);
    const cpu = ofTarget(report.cpu, target);
    const kinds = ofTarget(report.kinds, target);
    const account = ofTarget(report.providerCpu, target);
    const difference = differenceOf(report, target)?.pooled ?? null;
    return {
      caseId,
      target,
      baseline,
      headline: isHeadline,
      ...summary,
      noiseFloor,
      ...(report.isUnproven && { sameWork: "assumed" as const }),
      ratio: comparison?.ratio ?? null,
      ...(report.vantages !== null && isHeadline && { differenceMs: difference }),
      verdict: comparison?.verdict ?? null,
      computeMs: compute?.computeMs ?? null,
      computeRatio: compute?.ratio ?? null,
      cpuMsPerExchange: cpu?.msPerExchange ?? null,
      cpuRatio: cpu?.ratio ?? null,
      systemMsPerExchange: cpu?.systemShare == null ? null : cpu.msPerExchange * cpu.systemShare,
      minorFaultsPerExchange: cpu?.minorFaults ?? null,
      residentBytes: cpu?.residentBytes ?? null,
      instanceKinds: kinds?.ofInstances ?? null,
      exchangeKinds: kinds?.ofExchanges ?? null,
      warmUp: warmUpOf(report, target),
      providerCpu: account && {
        accountant: account.accountant,
        msPerRequest: account.msPerRequest,
        interval: account.interval,
        exchanges: account.exchanges,
        joined: account.joined,
      },
    };
  });
}

function warmUpOf({ curves }: CaseReport, target: string): SummaryRow["warmUp"] {
  const curve = ofTarget(curves, target);
  if (curve === null) {
    return null;
  }
  const [ten, hundred] = curve.first;
  return {
    warmFromExchange: curve.warmFrom,
    first10Ms: ten?.lastByteMs ?? null,
    first10CpuMs: ten?.cpuMs ?? null,
    first100Ms: hundred?.lastByteMs ?? null,
    first100CpuMs: hundred?.cpuMs ?? null,
  };
}
