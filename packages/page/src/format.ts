import type { Metric, RatioInterval } from "@evenbench/stats";

// No locale: a report must have the same bytes everywhere.

/** Writes a whole number with commas between thousands: "12,345". */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

/**
 * Gives the decimals of a number that is shown with three digits where it has any before the point. The limits are
 * where rounding gives another digit: 9.995 is "10.0", not "10.00".
 */
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

/**
 * Writes both ends of an interval of times in milliseconds, or that it is too wide to say anything; "–" for a null
 * end.
 */
export function formatMsInterval(low: number | null, high: number | null): string {
  if (low !== null && high !== null && low > 0 && high > low * MAX_WIDTH) {
    return TOO_WIDE;
  }
  return `${formatMs(low)} – ${formatMs(high)}`;
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

/** The factor between the ends of an interval beyond which it says nothing, if it includes 1. */
const MAX_WIDTH = 10;

/** The words in the place of an interval that says nothing, because it is so wide. */
export const TOO_WIDE = "interval too wide";

/** The words in the place of an interval that is not there: too few trials count, or they differ too much for one. */
export const NO_INTERVAL = "no interval";

/**
 * Tells whether an interval of a ratio is so wide that it says nothing: it includes 1, and its ends differ by more
 * than a factor of 10.
 */
export function saysNothing({ low, high }: Pick<RatioInterval, "low" | "high">): boolean {
  return low < 1 && high > 1 && high / low > MAX_WIDTH;
}

/** The width of an interval of a ratio below which its numbers get a digit more. */
const NARROW_RATIO = 0.04;
/** Largest number of decimals of a ratio or a percentage. */
const MOST_DECIMALS = 5;

/**
 * Finds the fewest decimals with which neither end of an interval is rounded to 1, so that one sees on which side it
 * lies.
 */
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

/** Writes a ratio with its interval, as published claims give theirs: "1.10× (1.08–1.12)"; "–" for null. */
export function formatRatio(ratio: RatioInterval | null): string {
  if (ratio === null) {
    return "–";
  }
  if (saysNothing(ratio)) {
    return TOO_WIDE;
  }
  const decimals = decimalsOfRatio(ratio);
  return `${ratio.estimate.toFixed(decimals)}× (${ratio.low.toFixed(decimals)}–${ratio.high.toFixed(decimals)})`;
}

/**
 * Writes an amount in percent without sign and unit; one that rounding would make 0 gets its first digit: "0.1",
 * "0.03".
 */
function percentAmount(percent: number, decimals = 0): string {
  const amount = Math.abs(percent);
  const text = amount.toFixed(decimals);
  if (Number(text) !== 0 || amount < 10 ** -MOST_DECIMALS) {
    return text;
  }
  // Of the rounded amount: 0.0996 is "0.1", not "0.10".
  const rounded = Number(amount.toPrecision(1));
  return rounded.toFixed(Math.min(MOST_DECIMALS, Math.ceil(-Math.log10(rounded))));
}

/** Writes a ratio as a change in percent, without the unit: "−40", "+0.1", "0". */
function signedChange(ratio: number, decimals: number): string {
  const percent = 100 * (ratio - 1);
  const text = percentAmount(percent, decimals);
  if (Number(text) === 0) {
    return "0";
  }
  return `${percent < 0 ? "−" : "+"}${text}`;
}

/** Writes the interval of a ratio of times in words: "23 to 58 % more time". */
export function percentRange(ratio: Pick<RatioInterval, "low" | "high">): string {
  if (saysNothing(ratio)) {
    return TOO_WIDE;
  }
  const low = 100 * (ratio.low - 1);
  const high = 100 * (ratio.high - 1);
  if (low < 0 && high > 0) {
    return `${percentAmount(low)} % less to ${percentAmount(high)} % more time`;
  }
  return low < 0
    ? `${percentAmount(high)} to ${percentAmount(low)} % less time`
    : `${percentAmount(low)} to ${percentAmount(high)} % more time`;
}

/** A change in percent in its two parts, as pages set them apart. */
export interface Change {
  /** The estimate: "−40 %". */
  readonly estimate: string;
  /** The ends of the interval, without the unit: "−49 to −29". */
  readonly interval: string;
}

/** The width of an interval of a ratio below which its change in percent gets a decimal. */
const NARROW_CHANGE = 0.02;

/** Writes the parts of a ratio's change in percent; null where the interval says nothing. */
export function changeOf(ratio: RatioInterval): Change | null {
  if (saysNothing(ratio)) {
    return null;
  }
  const decimals = ratio.high - ratio.low < NARROW_CHANGE ? 1 : 0;
  return {
    estimate: `${signedChange(ratio.estimate, decimals)} %`,
    interval: `${signedChange(ratio.low, decimals)} to ${signedChange(ratio.high, decimals)}`,
  };
}

/**
 * Writes a ratio as a change in percent with its interval, the one notation of all outputs: "−40 % (−49 to −29)"; "–"
 * for null.
 */
export function formatChange(ratio: RatioInterval | null): string {
  if (ratio === null) {
    return "–";
  }
  const change = changeOf(ratio);
  return change === null ? TOO_WIDE : `${change.estimate} (${change.interval})`;
}

/** Writes a ratio of which there is no interval as a change in percent: "−40 %". */
export function formatSingleChange(ratio: number): string {
  return `${signedChange(ratio, 0)} %`;
}

/** Writes a ratio on an axis: "−50 %", "0", "+25 %", and "×3" where percents say little. */
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

/** Names a metric as it stands in a sentence: "last byte". */
export function metricName(metric: Metric): (typeof METRIC_NAMES)[Metric] {
  return METRIC_NAMES[metric];
}

/** Names a metric as a heading: "Time to the last byte". */
export function metricTitle(metric: Metric): string {
  return metric === "cpuMs" ? "CPU time for one request" : `Time to the ${metricName(metric)}`;
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

/** Puts spaces that do not break a line into numbers with a unit, and into verdicts. */
export function unbroken(text: string): string {
  const pair =
    /(?<=\d) (?=%|ms\b|unclear|not warm|no result)|(?<=[◀▶=↔✕]) (?=\p{L})|(?<=\bnot) (?=warm)|(?<=\bno) (?=result)/gu;
  return text.replace(pair, "\u00a0");
}

/** Writes a number with its noun, which gets an "s" unless there is one: "3 trials". */
export function counted(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** Writes how many of all are meant: "3 of 7 cases", "all 7 cases", "both cases", "1 case" where there is no other. */
export function partOf(count: number, all: number, noun: string): string {
  if (count < all) {
    return `${formatCount(count)} of ${counted(all, noun)}`;
  }
  if (all === 2) {
    return `both ${noun}s`;
  }
  return all === 1 ? counted(all, noun) : `all ${counted(all, noun)}`;
}

/** Gives a text up to its first line break. */
export function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}

/** Writes a difference in milliseconds with its interval: "4.88 ms (3.04 to 6.65)", or without one: "−0.12 ms". */
export function formatDifference({
  estimate,
  low,
  high,
}: Pick<RatioInterval, "estimate"> & Partial<RatioInterval>): string {
  if (low === undefined || high === undefined) {
    return `${signedMs(estimate, decimalsOfDifference(Math.abs(estimate)))} ms`;
  }
  const decimals = decimalsOfDifference(high - low);
  const ends = `${signedMs(low, decimals)} to ${signedMs(high, decimals)}`;
  return `${signedMs(estimate, decimals)} ms (${ends})`;
}

/** Gives the number of decimals that tells values apart which differ by so many milliseconds. */
function decimalsOfDifference(ms: number): number {
  if (ms >= 100) {
    return 0;
  }
  if (ms >= 10) {
    return 1;
  }
  return ms >= 0.1 ? 2 : 3;
}

/** Writes a number with a minus sign as wide as a digit; 0 has none. */
function signedMs(ms: number, decimals: number): string {
  const text = Math.abs(ms).toFixed(decimals);
  return ms < 0 && Number(text) !== 0 ? `−${text}` : text;
}
