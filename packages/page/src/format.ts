import type { Metric, RatioInterval } from "@evenbench/stats";

// No locale: a report must have the same bytes everywhere.

export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

export function formatMs(ms: number | null): string {
  if (ms === null) {
    return "–";
  }
  if (ms >= 1000) {
    return `${formatCount(Math.round(ms))} ms`;
  }
  const decimals = ms >= 99.95 ? 0 : ms >= 9.995 ? 1 : ms >= 0.9995 ? 2 : 3;
  return `${ms.toFixed(decimals)} ms`;
}

export function formatMsInterval(low: number | null, high: number | null): string {
  if (low !== null && high !== null && low > 0 && high > low * MOST_WIDTH) {
    return TOO_FEW_TRIALS;
  }
  return `${formatMs(low)} – ${formatMs(high)}`;
}

export function formatBytes(bytes: number): string {
  const units = ["B", "KB", "MB", "GB"];
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const decimals = unit === 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return `${value.toFixed(decimals)} ${units[unit]}`;
}

export function formatUsd(usd: number): string {
  if (usd === 0) {
    return "$0";
  }
  const decimals = usd >= 1 ? 2 : Math.max(2, 1 - Math.floor(Math.log10(usd)));
  return `$${usd.toFixed(decimals)}`;
}

export function formatPercent(fraction: number): string {
  const percent = fraction * 100;
  return `${percent.toFixed(Math.abs(percent) < 9.95 ? 1 : 0)} %`;
}

/** An interval that includes 1 and whose ends are further apart than this factor says nothing. */
const MOST_WIDTH = 10;

export const TOO_FEW_TRIALS = "too few trials";

export function saysNothing({ low, high }: Pick<RatioInterval, "low" | "high">): boolean {
  return low < 1 && high > 1 && high / low > MOST_WIDTH;
}

export function formatRatio(ratio: RatioInterval | null): string {
  if (ratio === null) {
    return "–";
  }
  if (saysNothing(ratio)) {
    return TOO_FEW_TRIALS;
  }
  const decimals = ratio.low >= 10 ? 1 : ratio.high - ratio.low < 0.04 ? 3 : 2;
  return `${ratio.estimate.toFixed(decimals)}× (${ratio.low.toFixed(decimals)}–${ratio.high.toFixed(decimals)})`;
}

export function percentRange(ratio: Pick<RatioInterval, "low" | "high">): string {
  if (saysNothing(ratio)) {
    return TOO_FEW_TRIALS;
  }
  const low = 100 * (ratio.low - 1);
  const high = 100 * (ratio.high - 1);
  const whole = (value: number) => Math.abs(value).toFixed(0);
  if (low < 0 && high > 0) {
    return `${whole(low)} % less to ${whole(high)} % more time`;
  }
  return low < 0
    ? `${whole(high)} to ${whole(low)} % less time`
    : `${whole(low)} to ${whole(high)} % more time`;
}

/** The same with the estimate, for a cell: "−54 % (−56…−52)". */
export function shortRange(ratio: Pick<RatioInterval, "estimate" | "low" | "high">): string {
  if (saysNothing(ratio)) {
    return TOO_FEW_TRIALS;
  }
  const decimals = ratio.high - ratio.low < 0.02 ? 1 : 0;
  const sign = (value: number) => {
    const text = Math.abs(100 * (value - 1)).toFixed(decimals);
    return Number(text) === 0 ? "0" : `${value < 1 ? "−" : "+"}${text}`;
  };
  return `${sign(ratio.estimate)} % (${sign(ratio.low)}…${sign(ratio.high)})`;
}

/** A ratio on an axis: "−50 %", "0", "+25 %", and "×3" where percents say little. */
export function tickWords(ratio: number): string {
  if (ratio === 1) {
    return "0";
  }
  if (ratio >= 3) {
    return `×${ratio}`;
  }
  const percent = Math.round(1000 * Math.abs(ratio - 1)) / 10;
  return `${ratio < 1 ? "−" : "+"}${percent} %`;
}

const METRIC_NAMES = {
  firstByteMs: "first byte",
  lastByteMs: "last byte",
  cpuMs: "CPU time",
} as const satisfies Record<Metric, string>;

export function metricName(metric: Metric): (typeof METRIC_NAMES)[Metric] {
  return METRIC_NAMES[metric];
}

export function metricTitle(metric: Metric): string {
  return metric === "cpuMs" ? "CPU time for one request" : `Time to the ${metricName(metric)}`;
}

export function listed(words: readonly string[]): string {
  if (words.length < 2) {
    return words.join("");
  }
  return `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

export function range({ minimum, maximum }: { readonly minimum: number; readonly maximum: number }): string {
  return minimum === maximum ? String(minimum) : `${minimum} to ${maximum}`;
}

export function unbroken(text: string): string {
  const pair =
    /(?<=\d) (?=%|ms\b|inconclusive|not warm|no result)|(?<=[◀▶=↔✕]) (?=\p{L})|(?<=\bnot) (?=warm)|(?<=\bno) (?=result)/gu;
  return text.replace(pair, "\u00a0");
}

export function counted(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

export function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}
