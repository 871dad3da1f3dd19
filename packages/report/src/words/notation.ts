// The one notation of a change, in all outputs.
import type { Change, Verdict } from "../facts/facts.ts";
import { isMarked, MARK } from "./mark.ts";
import { WHY_WORDS } from "./why.ts";

const SIGNS: Readonly<Record<Verdict, string>> = {
  faster: "◀",
  slower: "▶",
  same: "=",
  unclear: "?",
  none: "✕",
};

/** How far apart two targets may be that are called the same, as a fraction: the statistics' `SAME_WITHIN`. */
export const SAME_BOUND = 0.05;

/** Ends of the ratios that are called the same: one is the inverse of the other, as the verdict takes them. */
export const SAME_RATIOS: readonly number[] = [1 / (1 + SAME_BOUND), 1 + SAME_BOUND];

/** The meaning of signs and brackets. */
export const LEGEND = "◀ less time  ▶ more  = same  ? unclear  ( ) 99 % interval";

/** Explains the signs of changes below them; empty where there is none. */
export function legend(changes: readonly Change[]): string {
  return changes.length === 0 ? "" : LEGEND;
}

/**
 * "cell" is the whole notation. "drawn" leaves out what the picture beside it shows: the sign, and the interval of a
 * difference. "so far" has the change of a single trial where there is no interval yet.
 */
export type Form = "cell" | "drawn" | "so far";

/** The part of a change that its notation depends on. */
export type Written = Pick<
  Change,
  "verdict" | "why" | "unit" | "estimate" | "low" | "high" | "low90" | "high90" | "flags" | "byTrial"
>;

/**
 * Writes a change: "◀ −17 % (−25 to −9) *", "= within 4 %", "? −17 to +0.6 %", "✕ not warm". A difference is its
 * estimate and the ends of its 99 % interval. "Same" says how far apart both can be at most, by the 90 % interval that
 * it was judged by. What is unclear has no estimate that somebody would quote. Without an interval the reason stands.
 */
export function cell(change: Written, form: Form = "cell"): string {
  const words = changeWords(change, form);
  const marked = isMarked(change) ? `${words} ${MARK}` : words;
  return form !== "drawn" || !isDrawn(change) ? `${SIGNS[change.verdict]} ${marked}` : marked;
}

/** Tells whether a change has an interval that can be drawn and written. */
function isDrawn(change: Written): boolean {
  return change.why === null && change.estimate !== null && change.low !== null && change.high !== null;
}

/** Writes a change without its sign and mark. */
function changeWords(change: Written, form: Form): string {
  const { verdict, why, unit, estimate, low, high, byTrial } = change;
  const [only] = byTrial;
  if (form === "so far" && why === "few-trials" && only !== undefined && byTrial.length === 1) {
    return `${signed(only, unit, Number.POSITIVE_INFINITY)} ${UNITS[unit]} (1 trial)`;
  }
  if (why !== null || estimate === null || low === null || high === null) {
    return why === null ? "no interval" : WHY_WORDS[why];
  }
  if (verdict === "same") {
    return `within ${reach(change)} ${UNITS[unit]}`;
  }
  const [from, middle, to] = [low, estimate, high].map((value) => signed(value, unit, high - low));
  if (verdict === "unclear") {
    return `${from} to ${to} ${UNITS[unit]}`;
  }
  return form === "drawn" ? `${middle} ${UNITS[unit]}` : `${middle} ${UNITS[unit]} (${from} to ${to})`;
}

/** Writes a difference from one place, of which there is no verdict: "+4.94 ms (+4.73 to +5.14)". The ends may not be known. */
export function differenceWords(estimateMs: number, lowMs: number | null, highMs: number | null): string {
  if (lowMs === null || highMs === null) {
    return `${signed(estimateMs, "ms", Math.abs(estimateMs))} ms`;
  }
  const [low, middle, high] = [lowMs, estimateMs, highMs].map((ms) => signed(ms, "ms", highMs - lowMs));
  return `${middle} ms (${low} to ${high})`;
}

const UNITS: Readonly<Record<Change["unit"], string>> = { ratio: "%", ms: "ms" };

/** Lets a deviation that is the bound but for its last binary digits be written as the bound. */
const ROUNDING = 1e-9;

/** Writes how far from equal the 90 % interval reaches, rounded up; of ratios the same for r and 1/r. */
function reach({ unit, low90, high90, low, high }: Written): string {
  const ends = [low90 ?? low ?? 0, high90 ?? high ?? 0];
  if (unit === "ms") {
    const ms = Math.max(...ends.map(Math.abs));
    const step = 10 ** -decimalsOfMs(ms);
    return (Math.ceil(ms / step - ROUNDING) * step).toFixed(decimalsOfMs(ms));
  }
  const deviation = Math.max(...ends.flatMap((ratio) => [ratio - 1, 1 / ratio - 1]));
  return String(Math.max(1, Math.ceil(100 * deviation - ROUNDING)));
}

/** The width of an interval of a ratio below which its changes get a decimal. */
const NARROW = 0.02;
/** Percents below it are written as 0: no measurement here tells them from it. */
const SMALLEST_PERCENT = 0.001;

/** Writes a value with its sign: "−17", "+0.6", "0". @param width of its interval, which decides the decimals. */
function signed(value: number, unit: Change["unit"], width: number): string {
  if (unit === "ms") {
    return withSign(value, Math.abs(value).toFixed(decimalsOfMs(width)));
  }
  const percent = 100 * (value - 1);
  return withSign(percent, percentDigits(Math.abs(percent), width < NARROW ? 1 : 0));
}

/** Writes a percentage; one below 1 has its first digit, so that one sees on which side of equal it lies. */
function percentDigits(percent: number, decimals: number): string {
  if (percent >= 1 || percent < SMALLEST_PERCENT) {
    return percent.toFixed(decimals);
  }
  // Of the rounded amount: 0.0996 is "0.1", not "0.10".
  const rounded = Number(percent.toPrecision(1));
  return rounded.toFixed(Math.ceil(-Math.log10(rounded)));
}

/** Puts the sign before the digits of a value, with a minus as wide as a digit; 0 has none. */
function withSign(value: number, digits: string): string {
  if (Number(digits) === 0) {
    return "0";
  }
  return `${value < 0 ? "−" : "+"}${digits}`;
}

/** Gives the number of decimals that tells values apart which differ by so many milliseconds. */
function decimalsOfMs(ms: number): number {
  if (ms >= 100) {
    return 0;
  }
  if (ms >= 10) {
    return 1;
  }
  return ms >= 0.1 ? 2 : 3;
}
