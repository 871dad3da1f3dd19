import { formatBytes, formatCount, formatMs, formatPercent, formatRatio } from "@evenbench/report/parts";
import type { Estimate, FigureUnit } from "@evenbench/results";

/** A value with its interval, in its unit; a dash where it could not be had. */
export function shown(unit: FigureUnit, value: Estimate | number | null): string {
  if (value === null) return "–";
  const format = formatters[unit];
  if (typeof value === "number") return format(value);
  const { estimate, low, high } = value;
  if (unit === "ratio" && low !== high) return formatRatio(value);
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
