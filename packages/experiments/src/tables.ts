import { formatBytes, formatCount, formatMs, formatPercent, formatRatio } from "@evenbench/report/parts";
import type { ComparisonResult, Contrast, Estimate, FigureTable, FigureUnit } from "@evenbench/results";
import type { SideColumn } from "./define.ts";

/** A value with its interval, in its unit; a dash where it could not be had. */
export function shown(unit: FigureUnit, value: Estimate | number | null): string {
  if (value === null) return "–";
  const { estimate, low, high } =
    typeof value === "number" ? { estimate: value, low: value, high: value } : value;
  if (unit === "ratio" && low !== high) return formatRatio({ estimate, low, high });
  const format = formatters[unit];
  return low === high ? format(estimate) : `${format(estimate)} (${format(low)}–${format(high)})`;
}

const formatters: Readonly<Record<FigureUnit, (value: number) => string>> = {
  ratio: (value) => `${value.toFixed(2)}×`,
  share: formatPercent,
  ms: formatMs,
  bytes: formatBytes,
  usd: (value) => `$${Number(value.toPrecision(3))}`,
  count: (value) => (Number.isInteger(value) ? formatCount(value) : value.toFixed(2)),
  perSecond: (value) => `${value >= 100 ? formatCount(Math.round(value)) : value.toPrecision(3)}/s`,
};

const USUAL: readonly SideColumn[] = [
  ["first byte", ({ firstByteMs }) => shown("ms", firstByteMs)],
  ["last byte", ({ lastByteMs }) => shown("ms", lastByteMs)],
  ["CPU time", ({ cpuMsPerExchange }) => shown("ms", cpuMsPerExchange)],
  ["resident", ({ residentBytes }) => shown("bytes", residentBytes)],
  ["peak", ({ peakResidentBytes }) => shown("bytes", peakResidentBytes)],
];

export function sideTables(
  title: string,
  comparison: ComparisonResult | undefined,
  more: readonly SideColumn[] = [],
): readonly FigureTable[] {
  if (comparison === undefined || comparison.sides.length === 0) return [];
  const columns = [...USUAL, ...more];
  const rows = comparison.sides.map((side) => [
    side.name,
    ...columns.map(([, cell]) => cell(side)),
    ...ratioCells(comparison.contrasts.filter((contrast) => contrast.side === side.name)),
  ]);
  const head = ["side", ...columns.map(([name]) => name), "ratio of last bytes", "ratio of CPU time"];
  return [{ title, head, rows }];
}

export function ratioCells(contrasts: readonly Contrast[]): readonly string[] {
  return (["lastByteMs", "cpu"] as const).map((metric) =>
    contrasts.map((contrast) => `${shown("ratio", contrast[metric])} of ${contrast.against}`).join("; "),
  );
}
