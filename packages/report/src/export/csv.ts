import type { RunSummary, SummaryRatio, SummaryRow } from "@evenbench/results";
import { csvTable } from "../table.ts";

/** Columns of `summary.csv`: those of a summary's rows, intervals spread over three. */
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

/**
 * A spreadsheet takes a text that begins so for a formula; an apostrophe before it makes it take it for text
 * (OWASP, CSV Injection).
 */
function textOf(value: string | number | boolean | null): string {
  if (typeof value !== "string") return value === null ? "" : String(value);
  return /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
}
