import { csvTable } from "@evenbench/page";
import type { RunSummary, SummaryRow } from "@evenbench/results";
import type { Exporter } from "./exporter.ts";

type CsvValue = string | number | boolean | null | undefined;

interface CsvColumn {
  /** The column's name in the first line of the file. */
  readonly name: string;
  /** The row's value; null and undefined leave the cell empty. */
  value(row: SummaryRow): CsvValue;
}

/** The columns of summary.csv, in their order. They are a public format: docs/results.md. */
const COLUMNS: readonly CsvColumn[] = [
  { name: "case_id", value: (row) => row.caseId },
  { name: "target", value: (row) => row.target },
  { name: "baseline", value: (row) => row.baseline },
  { name: "same_work", value: (row) => row.sameWork },
  { name: "metric", value: (row) => row.metric },
  { name: "headline", value: (row) => row.headline },
  { name: "not_warm", value: (row) => row.notWarm },
  { name: "exchanges", value: (row) => row.exchanges },
  { name: "errors", value: (row) => row.errors },
  { name: "trials", value: (row) => row.trials },
  { name: "median_ms", value: (row) => row.medianMs },
  { name: "median_low_ms", value: (row) => row.medianLowMs },
  { name: "median_high_ms", value: (row) => row.medianHighMs },
  { name: "mean_ms", value: (row) => row.meanMs },
  { name: "p95_ms", value: (row) => row.p95Ms },
  { name: "p99_ms", value: (row) => row.p99Ms },
  { name: "minimum_ms", value: (row) => row.minimumMs },
  { name: "maximum_ms", value: (row) => row.maximumMs },
  { name: "ratio", value: (row) => row.ratio?.estimate },
  { name: "ratio_low", value: (row) => row.ratio?.low },
  { name: "ratio_high", value: (row) => row.ratio?.high },
  { name: "equivalence_low", value: (row) => row.equivalence?.low },
  { name: "equivalence_high", value: (row) => row.equivalence?.high },
  { name: "difference_ms", value: (row) => row.differenceMs?.estimate },
  { name: "difference_ms_low", value: (row) => row.differenceMs?.low },
  { name: "difference_ms_high", value: (row) => row.differenceMs?.high },
  { name: "verdict", value: (row) => row.verdict },
  { name: "compute_ms", value: (row) => row.computeMs },
  { name: "compute_ratio", value: (row) => row.computeRatio?.estimate },
  { name: "compute_ratio_low", value: (row) => row.computeRatio?.low },
  { name: "compute_ratio_high", value: (row) => row.computeRatio?.high },
  { name: "noise_floor", value: (row) => row.noiseFloor },
  { name: "cpu_ms_per_exchange", value: (row) => row.cpuMsPerExchange },
  { name: "cpu_ratio", value: (row) => row.cpuRatio?.estimate },
  { name: "cpu_ratio_low", value: (row) => row.cpuRatio?.low },
  { name: "cpu_ratio_high", value: (row) => row.cpuRatio?.high },
  { name: "system_ms_per_exchange", value: (row) => row.systemMsPerExchange },
  { name: "minor_faults_per_exchange", value: (row) => row.minorFaultsPerExchange },
  { name: "resident_bytes", value: (row) => row.residentBytes },
  { name: "cold_start_ms", value: (row) => row.coldStartMs },
  { name: "usd_per_million_cpu", value: (row) => row.usdPerMillion?.cpu },
  { name: "usd_per_million_requests", value: (row) => row.usdPerMillion?.requests },
  { name: "instance_kinds_metric", value: (row) => row.instanceKinds?.metric },
  { name: "instance_kinds_low_ms", value: (row) => row.instanceKinds?.lowMs },
  { name: "instance_kinds_low_count", value: (row) => row.instanceKinds?.lowCount },
  { name: "instance_kinds_high_ms", value: (row) => row.instanceKinds?.highMs },
  { name: "instance_kinds_high_count", value: (row) => row.instanceKinds?.highCount },
  { name: "exchange_kinds_metric", value: (row) => row.exchangeKinds?.metric },
  { name: "exchange_kinds_low_ms", value: (row) => row.exchangeKinds?.lowMs },
  { name: "exchange_kinds_low_count", value: (row) => row.exchangeKinds?.lowCount },
  { name: "exchange_kinds_high_ms", value: (row) => row.exchangeKinds?.highMs },
  { name: "exchange_kinds_high_count", value: (row) => row.exchangeKinds?.highCount },
  { name: "warm_up_warm_from_exchange", value: (row) => row.warmUp?.warmFromExchange },
  { name: "warm_up_first10_ms", value: (row) => row.warmUp?.first10Ms },
  { name: "warm_up_first10_cpu_ms", value: (row) => row.warmUp?.first10CpuMs },
  { name: "warm_up_first100_ms", value: (row) => row.warmUp?.first100Ms },
  { name: "warm_up_first100_cpu_ms", value: (row) => row.warmUp?.first100CpuMs },
  { name: "provider_cpu_accountant", value: (row) => row.providerCpu?.accountant },
  { name: "provider_cpu_ms_per_request", value: (row) => row.providerCpu?.msPerRequest },
  { name: "provider_cpu_interval", value: (row) => row.providerCpu?.interval?.estimate },
  { name: "provider_cpu_interval_low", value: (row) => row.providerCpu?.interval?.low },
  { name: "provider_cpu_interval_high", value: (row) => row.providerCpu?.interval?.high },
  { name: "provider_cpu_exchanges", value: (row) => row.providerCpu?.exchanges },
  { name: "provider_cpu_joined", value: (row) => row.providerCpu?.joined },
];

/**
 * A run's summary as comma-separated values (RFC 4180): a line of names, then a line for each case, target
 * and metric.
 */
export function renderCsv({ rows }: RunSummary): string {
  return csvTable({
    head: COLUMNS.map(({ name }) => name),
    rows: rows.map((row) => COLUMNS.map(({ value }) => cellText(value(row)))),
  });
}

/** A spreadsheet takes a text that begins so for a formula (OWASP, CSV Injection). */
function cellText(value: CsvValue): string {
  if (typeof value !== "string") {
    return value == null ? "" : String(value);
  }
  return /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
}

/** Writes summary.csv: the rows of summary.json. */
export const csv: Exporter = {
  file: "summary.csv",
  render: ({ summary }) => renderCsv(summary),
};
