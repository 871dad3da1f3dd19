import { isTooWide, type RatioInterval } from "@evenbench/stats";

// No locale: a report must have the same bytes everywhere.

/** Writes a whole number with commas between thousands: "12,345". */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Gives the decimals of a number with three digits. Limits are where rounding gives another: 9.995 is "10.0". */
function decimalsOf(value: number): 0 | 1 | 2 | 3 {
  if (value >= 99.95) {
    return 0;
  }
  if (value >= 9.995) {
    return 1;
  }
  if (value >= 0.9995) {
    return 2;
  }
  return 3;
}

/** Writes a time in milliseconds with three digits: "1.23 ms", "1,234 ms"; "–" for null. */
export function formatMs(ms: number | null): string {
  if (ms === null) {
    return "–";
  }
  if (ms >= 999.5) {
    return `${formatCount(Math.round(ms))} ms`;
  }
  return `${ms.toFixed(decimalsOf(ms))} ms`;
}

/** Writes a size in bytes in powers of 1000, with three digits: "824 KB". */
export function formatBytes(bytes: number): string {
  const units = ["B", "KB", "MB", "GB"];
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const decimals = unit === 0 ? 0 : Math.min(2, decimalsOf(value));
  return `${value.toFixed(decimals)} ${units[unit]}`;
}

/** Writes an amount of US dollars, with two digits at least of small ones: "$0.0042". */
export function formatUsd(usd: number): string {
  if (usd === 0) {
    return "$0";
  }
  const decimals = usd >= 1 ? 2 : Math.max(2, 1 - Math.floor(Math.log10(usd)));
  return `$${usd.toFixed(decimals)}`;
}

/** Writes a fraction as a percentage: "3.4 %", "12 %". */
export function formatPercent(fraction: number): string {
  const percent = fraction * 100;
  return `${percent.toFixed(Math.abs(percent) < 9.95 ? 1 : 0)} %`;
}

/** The width of an interval of a ratio below which its numbers get a digit more. */
const NARROW_RATIO = 0.04;
/** Largest number of decimals of a ratio. */
const MOST_DECIMALS = 5;

/** Finds the fewest decimals with which neither end of an interval is rounded to 1. */
function decimalsOfRatio({ low, high }: RatioInterval): number {
  if (low >= 10) {
    return 1;
  }
  let decimals = high - low < NARROW_RATIO ? 3 : 2;
  const meetsOne = (value: number) => value !== 1 && Number(value.toFixed(decimals)) === 1;
  while (decimals < MOST_DECIMALS && (meetsOne(low) || meetsOne(high))) {
    decimals += 1;
  }
  return decimals;
}

/** Writes a ratio with its interval, as published claims give theirs: "1.10× (1.08–1.12)". */
export function formatRatio(ratio: RatioInterval): string {
  if (isTooWide(ratio)) {
    return "interval too wide";
  }
  const decimals = decimalsOfRatio(ratio);
  return `${ratio.estimate.toFixed(decimals)}× (${ratio.low.toFixed(decimals)}–${ratio.high.toFixed(decimals)})`;
}

/** Writes a change on an axis: "−5 ms"; of a ratio "−50 %", "0", "+25 %", and "×3" where percents say little. */
export function tickWords(ratio: number, unit: "ratio" | "ms"): string {
  if (unit === "ms") {
    return `${ratio} ms`.replace("-", "−");
  }
  if (ratio === 1) {
    return "0";
  }
  if (ratio >= 3) {
    return `×${ratio}`;
  }
  const percent = Math.round(1000 * Math.abs(ratio - 1)) / 10;
  return `${ratio < 1 ? "−" : "+"}${percent} %`;
}

/** Writes words as a list in a sentence: "a, b and c"; empty for none. */
export function listed(words: readonly string[]): string {
  if (words.length < 2) {
    return words.join("");
  }
  return `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/** Writes two ends as "3 to 5", or one number where they are equal. */
export function range({ minimum, maximum }: { readonly minimum: number; readonly maximum: number }): string {
  return minimum === maximum ? String(minimum) : `${minimum} to ${maximum}`;
}

/** Puts spaces that do not break a line between a number and its unit, and behind the signs of verdicts. */
export function unbroken(text: string): string {
  return text.replace(/(?<=\d) (?=%|ms\b)|(?<=[◀▶=?✕]) (?=\S)/gu, "\u00a0");
}

/** Writes a number with its noun, which gets an "s" unless there is one: "3 trials". */
export function counted(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}
