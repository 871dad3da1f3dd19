// Draws changes with their intervals, on one scale.
import { html, type Markup } from "./markup.ts";

/** The part of a change that is drawn. Without an interval, or without a verdict, nothing is drawn. */
export interface DrawnChange {
  readonly verdict: "faster" | "slower" | "same" | "unclear" | "none";
  readonly estimate: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /** Ends of the narrower interval by which "same" is judged. */
  readonly low90: number | null;
  readonly high90: number | null;
  /** Why there is no interval, or none that says something; null where one stands. */
  readonly why: string | null;
}

/** An interval of which both ends are known. */
export interface Interval {
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
}

/** Gives the interval of a change that is drawn: the one that its verdict was judged by; null for one without an interval. */
export function intervalOf(change: DrawnChange): Interval | null {
  const { verdict, estimate, why } = change;
  const [low, high] = verdict === "same" ? [change.low90, change.high90] : [change.low, change.high];
  if (why !== null || estimate === null || low === null || high === null) {
    return null;
  }
  return { estimate, low, high };
}

/** Paths of the shapes at the estimate of decided changes, around the point 0, 0. */
const SHAPES: Readonly<Partial<Record<DrawnChange["verdict"], string>>> = {
  faster: "M-6 0L5-6V6Z",
  slower: "M6 0L-5-6V6Z",
  same: "M-6-5H6V-1.8H-6ZM-6 1.8H6V5H-6Z",
};
/** Paths of the open ends of what is unclear. */
const LOW_END = "M5-5L0 0L5 5";
const HIGH_END = "M-5-5L0 0L-5 5";

/**
 * Draws a change as SVG: its interval as a line, with the shape of its verdict at the estimate; what is unclear has open
 * ends and no estimate. null for a change without an interval or a verdict: it has no place on a scale.
 *
 * @param at gives where a value stands from the left, as SVG takes it.
 * @param y middle of the drawing from the top, as SVG takes it.
 * @param size at 1 a shape is 12 pixels high.
 */
export function drawInterval(
  change: DrawnChange,
  at: (value: number) => string,
  y: number | string,
  size = 1,
): Markup | null {
  const interval = intervalOf(change);
  if (interval === null) {
    return null;
  }
  const { estimate, low, high } = interval;
  const open = html`fill="none" stroke="currentColor" stroke-width="2.5"`;
  const bar = html`<line x1="${at(low)}" x2="${at(high)}" y1="${y}" y2="${y}" stroke="currentColor" stroke-width="${2.5 * size}"/>`;
  const placed = (value: number, path: string, style: Markup) => {
    const scaled = size === 1 ? null : html` transform="scale(${size})"`;
    return html`<svg x="${at(value)}" y="${y}" overflow="visible"><path d="${path}"${scaled} ${style}/></svg>`;
  };
  const shape = SHAPES[change.verdict];
  return shape === undefined
    ? html`${bar}${placed(low, LOW_END, open)}${placed(high, HIGH_END, open)}`
    : html`${bar}${placed(estimate, shape, html`fill="currentColor"`)}`;
}
