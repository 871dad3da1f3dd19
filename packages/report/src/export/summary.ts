import type {
  RunSummary,
  SummaryKinds,
  SummaryProviderCpu,
  SummaryRatio,
  SummaryRow,
  SummaryWarmUp,
} from "@evenbench/results";
import type { CaseAnalysis, RatioInterval, TwoKinds } from "@evenbench/stats";
import { ofTarget } from "../case-report.ts";
import type { CaseReport, ReportData } from "../data.ts";
import { placeOf } from "../names.ts";
import type { ProviderCpuSummary } from "../series.ts";
import { csvTable } from "../table.ts";

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
  const { metric, baseline, noiseFloor } = analysis;
  return analysis.summaries
    .filter(({ target }) => !copies.has(target))
    .map((one): SummaryRow => {
      const { target } = one;
      const comparison = ofTarget(analysis.comparisons, target);
      const compute = ofTarget(report.computeTimes, target);
      const cpu = ofTarget(report.cpu, target);
      return {
        caseId: report.manifest.id,
        target,
        baseline,
        ...(report.isUnproven && { sameWork: "assumed" as const }),
        metric,
        headline: analysis === report.headline,
        notWarm: one.notWarm,
        exchanges: one.exchanges,
        errors: one.errors,
        medianMs: one.median,
        medianLowMs: one.medianLow,
        medianHighMs: one.medianHigh,
        trialMs: one.byTrial,
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
        providerCpu: providerCpuOf(ofTarget(report.providerCpu, target)),
      };
    });
}

function differenceOf(
  { vantages, headline }: CaseReport,
  analysis: CaseAnalysis,
  target: string,
): Pick<SummaryRow, "differenceMs"> {
  if (vantages === null || analysis !== headline) return {};
  const own = ofTarget(vantages.comparisons, target);
  return { differenceMs: own?.time.difference.pooled ?? null };
}

function kindsOf({ kinds }: CaseReport, target: string): Pick<SummaryRow, "instanceKinds" | "exchangeKinds"> {
  const seen = ofTarget(kinds, target);
  const told = (two: TwoKinds | null | undefined): SummaryKinds | null =>
    seen === null || two == null
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
  const curve = ofTarget(curves, target);
  if (curve === null) return null;
  const [ten, hundred] = curve.first;
  return {
    warmFromExchange: curve.warmFrom,
    first10Ms: ten?.lastByteMs ?? null,
    first10CpuMs: ten?.cpuMs ?? null,
    first100Ms: hundred?.lastByteMs ?? null,
    first100CpuMs: hundred?.cpuMs ?? null,
  };
}

function providerCpuOf(account: ProviderCpuSummary | null): SummaryProviderCpu | null {
  if (account === null) return null;
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

const COLUMNS: readonly (readonly [
  name: string,
  of: (row: SummaryRow) => string | number | boolean | null,
])[] = [
  ["case", (row) => row.caseId],
  ["target", (row) => row.target],
  ["baseline", (row) => row.baseline],
  ["metric", (row) => row.metric],
  ["headline", (row) => row.headline],
  ["exchanges", (row) => row.exchanges],
  ["errors", (row) => row.errors],
  ["median_ms", (row) => row.medianMs],
  ["median_low_ms", (row) => row.medianLowMs],
  ["median_high_ms", (row) => row.medianHighMs],
  ["mean_ms", (row) => row.meanMs],
  ["p95_ms", (row) => row.p95Ms],
  ["minimum_ms", (row) => row.minimumMs],
  ["maximum_ms", (row) => row.maximumMs],
  ...spread("ratio", (row) => row.ratio),
  ["verdict", (row) => row.verdict],
  ["compute_ms", (row) => row.computeMs],
  ...spread("compute_ratio", (row) => row.computeRatio),
  ["noise_floor", (row) => row.noiseFloor],
  ["cpu_ms_per_exchange", (row) => row.cpuMsPerExchange],
  ...spread("cpu_ratio", (row) => row.cpuRatio),
  ["resident_bytes", (row) => row.residentBytes],
  ["provider_cpu_ms_per_request", (row) => row.providerCpu?.msPerRequest ?? null],
  ["provider_cpu_ms_low", (row) => row.providerCpu?.lowMs ?? null],
  ["provider_cpu_ms_high", (row) => row.providerCpu?.highMs ?? null],
  ["provider_cpu_exchanges", (row) => row.providerCpu?.exchanges ?? null],
  ["provider_cpu_joined", (row) => row.providerCpu?.joined ?? null],
  ["provider_cpu_accountant", (row) => row.providerCpu?.accountant ?? null],
  ["same_work", (row) => row.sameWork ?? "proven"],
];

function spread(name: string, of: (row: SummaryRow) => SummaryRatio | null) {
  return (["estimate", "low", "high"] as const).map(
    (part) =>
      [
        `${name}${part === "estimate" ? "" : `_${part}`}`,
        (row: SummaryRow) => of(row)?.[part] ?? null,
      ] as const,
  );
}

export function renderCsv({ rows }: RunSummary): string {
  return csvTable({
    head: COLUMNS.map(([name]) => name),
    rows: rows.map((row) => COLUMNS.map(([, of]) => textOf(of(row)))),
  });
}

/** A spreadsheet takes a text that begins so for a formula (OWASP, CSV Injection). */
function textOf(value: string | number | boolean | null): string {
  if (typeof value !== "string") return value === null ? "" : String(value);
  return /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
}
