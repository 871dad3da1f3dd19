import type { Comparison } from "@evenbench/stats";
import { formatChange, tickWords } from "./format.ts";
import { drawMark } from "./marks.ts";
import { html, type Markup } from "./markup.ts";
import { seriesClass } from "./plot.ts";

/** A scale of a drawing. Positions are percentages of the drawing's width, from the left. */
export interface Scale {
  /** Gives where a value stands. */
  position(value: number): number;
  /** Values that have a line and a number. */
  readonly ticks: readonly number[];
  /** Ticks that a narrow drawing has room for. Default: all of them. */
  readonly sparse?: readonly number[];
}

/** Ratios that may be ticks. */
const TICKS = [
  0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1, 1.05, 1.1, 1.25, 1.5, 2, 3, 5, 10, 20, 50, 100,
];
/** Smallest distance of ticks in percent of the width: what a label takes in a wide drawing. */
const TICK_DISTANCE = 15;
/** The same in a drawing on a phone. */
const SPARSE_DISTANCE = 20;
/** The part of that distance that is enough beside the label of 1, which is "0". */
const BESIDE_SHORT_LABEL = 0.8;
/** The shorter side of 1 is at least this part of the longer one, so that it has a tick, too. */
const SHORT_SIDE = 0.4;
/** Ratio up to which a scale reaches at least, on both sides of 1: noise must not look like a difference. */
const LEAST_SCALE_END = 1.08;

/**
 * Makes the logarithmic scale on which ratios of comparisons are drawn: it holds all of their intervals, and
 * 1.
 */
export function scaleOf(drawn: readonly Pick<Comparison, "ratio">[]): Scale {
  const ratios = drawn.flatMap(({ ratio }) => (ratio === null ? [] : [ratio.low, ratio.high]));
  const lowest = Math.log(Math.min(1 / LEAST_SCALE_END, ...ratios.filter((ratio) => ratio > 0)));
  const highest = Math.log(Math.max(LEAST_SCALE_END, ...ratios));
  const low = Math.min(lowest, -SHORT_SIDE * highest);
  const high = Math.max(highest, -SHORT_SIDE * lowest);
  const margin = (high - low) * 0.06;
  const position = (ratio: number) => {
    const share = (Math.log(ratio) - low + margin) / (high - low + 2 * margin);
    return Math.round(Math.min(1, Math.max(0, share)) * 1e4) / 100;
  };
  const inside = TICKS.filter((tick) => tick > Math.exp(low - margin) && tick < Math.exp(high + margin));
  const ticks = chooseTicks(position, inside, TICK_DISTANCE);
  return { position, ticks, sparse: chooseTicks(position, ticks, SPARSE_DISTANCE) };
}

/** Chooses those of the fixed ticks that have room; 1 comes first, then outwards. */
function chooseTicks(
  position: (ratio: number) => number,
  inside: readonly number[],
  distance: number,
): readonly number[] {
  const outwards = inside.toSorted((a, b) => Math.abs(Math.log(a)) - Math.abs(Math.log(b)));
  const chosen: number[] = [];
  for (const tick of outwards) {
    const at = position(tick);
    const free = chosen.every((other) => {
      const needed = other === 1 ? distance * BESIDE_SHORT_LABEL : distance;
      return Math.abs(position(other) - at) >= needed;
    });
    if (free && at > 4 && at < 96) {
      chosen.push(tick);
    }
  }
  return chosen.sort((a, b) => a - b);
}

/** Draws marks on a scale, over its ticks and the value that means no difference. */
export function drawn(
  { position, ticks }: Scale,
  { zero, height, label, colour }: DrawingLook,
  marks: Markup | null | readonly (Markup | null)[],
): Markup {
  const line = (tick: number, style: Markup | null) =>
    html`<line${style} x1="${position(tick)}%" x2="${position(tick)}%" y2="${height}"/>`;
  const classes = colour === undefined ? "interval" : `interval ${seriesClass(colour)}`;
  const grid = ticks.map((tick) => line(tick, null));
  return html`<svg class="${classes}" role="img" height="${height}"><title>${label}</title>
<g class="grid">${grid}</g>${line(zero, html` class="one"`)}${marks}</svg>`;
}

/** How a drawing on a scale looks. */
interface DrawingLook {
  /** The value that means no difference: it has a line of its own. */
  readonly zero: number;
  /** Height in pixels. */
  readonly height: number;
  /** The drawing in words, for those who do not see it. */
  readonly label: string;
  /** Number of a target's colour. Default: none. */
  readonly colour?: number;
}

/**
 * Draws an estimate with its interval, of which nothing is judged.
 *
 * @param y middle of the drawing from the top, in pixels.
 */
export function ring(
  { estimate, low, high }: { readonly estimate: number; readonly low: number; readonly high: number },
  { position }: Scale,
  y: number,
  style: "hollow" | "dot" = "hollow",
): Markup {
  return html`<line x1="${position(low)}%" x2="${position(high)}%" y1="${y}" y2="${y}" class="reach"/><circle cx="${position(estimate)}%" cy="${y}" r="4.5" class="${style}"/>`;
}

/**
 * Draws a ratio with its interval, with the mark of its verdict; a control's as a ring.
 *
 * @param style the target's colour, whether the comparison is an A/A control, and the words for whoever does
 * not see the bar.
 */
export function intervalBar(
  comparison: Pick<Comparison, "verdict" | "ratio">,
  scale: Scale,
  style: { readonly colour: number; readonly isControl: boolean; readonly label: string },
): Markup {
  const { ratio } = comparison;
  const label = `${style.label}: ${ratio === null ? "no interval." : `${formatChange(ratio)}, 99 % interval.`}`;
  const mark = style.isControl
    ? ratio && ring(ratio, scale, 14)
    : drawMark(comparison, (value) => `${scale.position(value)}%`, 14, 0.9);
  return drawn(scale, { zero: 1, height: 28, label, colour: style.colour }, html`<g>${mark}</g>`);
}

/** Draws the numbers of a scale's ticks. @param words gives the text of a tick. Default: percent. */
export function scaleAxis({ position, ticks, sparse = ticks }: Scale, words = tickWords): Markup {
  return html`<svg class="axis" aria-hidden="true" height="18">${ticks.map(
    (tick) =>
      html`<text${sparse.includes(tick) ? null : html` class="minor"`} x="${position(tick)}%" y="13" text-anchor="middle">${words(tick)}</text>`,
  )}</svg>`;
}

/** Number of ticks that a scale of differences has about. */
const MOST_TICKS = 5;

/** Makes the linear scale on which differences in milliseconds are drawn: it holds all values, and 0. */
export function msScale(values: readonly number[]): Scale {
  const low = Math.min(0, ...values);
  const high = Math.max(0, ...values);
  const span = high - low || 1;
  const margin = span * 0.06;
  const position = (ms: number) => Math.round(((ms - low + margin) / (span + 2 * margin)) * 1e4) / 100;
  const step = niceStep(span / MOST_TICKS);
  const first = Math.ceil(low / step);
  const ticks = Array.from({ length: Math.floor(high / step) - first + 1 }, (_, index) =>
    Number(((first + index) * step).toPrecision(6)),
  );
  return { position, ticks };
}

/** Finds the smallest of 1, 2, 5, 10 and their multiples by ten that is not below `least`. */
function niceStep(least: number): number {
  const decade = 10 ** Math.floor(Math.log10(least));
  return decade * ([1, 2, 5, 10].find((factor) => factor * decade >= least) ?? 10);
}
