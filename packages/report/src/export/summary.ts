import type {
  RunSummary,
  SummaryKinds,
  SummaryProviderCpu,
  SummaryRatio,
  SummaryRow,
  SummaryWarmUp,
} from "@evenbench/results";
import type { CaseAnalysis, RatioInterval, TwoKinds } from "@evenbench/stats";
import type { CaseReport, ProviderCpuSummary, ReportData } from "../data.ts";
import { placeOf } from "../machine-words.ts";

/**
 * The report's numbers for other tools: a row for each case, target and metric. A/A copies have none: they
 * are the noise.
 */
export function summaryOf({ run, cases, targets, summary: { answer, unproven } }: ReportData): RunSummary {
  const copies = new Set(targets.filter(({ copyOf }) => copyOf !== null).map(({ name }) => name));
  return {
    schemaVersion: 2,
    runId: run.id,
    startedAt: run.startedAt,
    answer,
    place: placeOf(run),
    ...(unproven !== null && { unproven }),
    rows: cases.flatMap((report) =>
      [report.headline, report.other, report.cpuTime].flatMap((analysis) =>
        analysis === null ? [] : rowsOf(report, analysis, copies),
      ),
    ),
  };
}

function rowsOf(report: CaseReport, analysis: CaseAnalysis, copies: ReadonlySet<string>): SummaryRow[] {
  const { metric, baseline, noiseFloor } = analysis;
  return analysis.summaries
    .filter(({ target }) => !copies.has(target))
    .map((one): SummaryRow => {
      const { target } = one;
      const comparison = analysis.comparisons.find((other) => other.target === target) ?? null;
      const compute = report.computeTimes.find((other) => other.target === target) ?? null;
      const cpu = report.cpu.find((other) => other.target === target) ?? null;
      return {
        caseId: report.manifest.id,
        target,
        baseline,
        ...(report.isUnproven && { sameWork: "assumed" as const }),
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
        ...differenceOf(report, analysis, target),
        verdict: comparison?.verdict ?? null,
        computeMs: compute?.computeMs ?? null,
        computeRatio: ratioOf(compute?.ratio ?? null),
        noiseFloor,
        cpuMsPerExchange: cpu?.msPerExchange ?? null,
        cpuRatio: ratioOf(cpu?.ratio ?? null),
        systemMsPerExchange: cpu?.systemShare == null ? null : cpu.msPerExchange * cpu.systemShare,
        minorFaultsPerExchange: cpu?.minorFaults ?? null,
        residentBytes: cpu?.residentBytes ?? null,
        ...kindsOf(report, target),
        warmUp: warmUpOf(report, target),
        providerCpu: providerCpuOf(report.providerCpu.find((other) => other.target === target)),
      };
    });
}

function differenceOf(
  { vantages, headline }: CaseReport,
  analysis: CaseAnalysis,
  target: string,
): Pick<SummaryRow, "differenceMs"> {
  if (vantages === null || analysis !== headline) return {};
  const own = vantages.comparisons.find((one) => one.target === target);
  return { differenceMs: own?.time.difference.pooled ?? null };
}

function kindsOf({ kinds }: CaseReport, target: string): Pick<SummaryRow, "instanceKinds" | "exchangeKinds"> {
  const seen = kinds.find((one) => one.target === target);
  const told = (two: TwoKinds | null | undefined): SummaryKinds | null =>
    seen === undefined || two == null
      ? null
      : {
          metric: seen.metric,
          lowMs: two.low.level,
          lowCount: two.low.count,
          highMs: two.high.level,
          highCount: two.high.count,
        };
  return { instanceKinds: told(seen?.ofInstances), exchangeKinds: told(seen?.ofExchanges) };
}

function warmUpOf({ curves }: CaseReport, target: string): SummaryWarmUp | null {
  const curve = curves.find((one) => one.target === target);
  if (curve === undefined) return null;
  const [ten, hundred] = curve.first;
  return {
    warmFromExchange: curve.warmFrom,
    first10Ms: ten?.lastByteMs ?? null,
    first10CpuMs: ten?.cpuMs ?? null,
    first100Ms: hundred?.lastByteMs ?? null,
    first100CpuMs: hundred?.cpuMs ?? null,
  };
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
