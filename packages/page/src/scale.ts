import { tickWords } from "./format.ts";
import { type DrawnChange, type Interval, intervalOf } from "./interval.ts";
import { html, type Markup } from "./markup.ts";

/** A scale of a drawing. Positions are percentages of the drawing's width, from the left. */
export interface Scale {
  /** Gives where a value stands. */
  position(value: number): number;
  /** The value that means no difference: it has a line of its own. */
  readonly zero: number;
  /** Values that have a line; those with room have a number, too: see `ticksWithWords`. */
  readonly ticks: readonly number[];
}

/** Ratios that may be ticks. */
const TICKS = [
  0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1, 1.05, 1.1, 1.25, 1.5, 2, 3, 5, 10, 20, 50, 100,
];
/** Smallest distance of the lines of ticks, in percent of the width. */
const TICK_DISTANCE = 15;
/** The part of that distance that is enough beside the line of 1, of which the number is short. */
const BESIDE_SHORT_LABEL = 0.8;
/** The shorter side of 1 is at least this part of the longer one, so that it has a tick, too. */
const SHORT_SIDE = 0.4;
/** Ratio up to which a scale reaches at least, on both sides of 1: noise must not look like a difference. */
const LEAST_SCALE_END = 1.08;

/** Makes the one scale of some changes, of ratios or of milliseconds: it holds all of their intervals. */
export function scaleOf(changes: readonly DrawnChange[], unit: "ratio" | "ms"): Scale {
  const intervals = changes.flatMap((change) => intervalOf(change) ?? []);
  return unit === "ms" ? msScale(intervals.flatMap(({ low, high }) => [low, high])) : ratioScale(intervals);
}

/** Makes the logarithmic scale of ratios: it holds all of their intervals, and 1. */
export function ratioScale(intervals: readonly Pick<Interval, "low" | "high">[]): Scale {
  const ratios = intervals.flatMap(({ low, high }) => [low, high]);
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
  return { position, zero: 1, ticks: chooseTicks(position, inside) };
}

/** Chooses those of the fixed ticks whose lines have room; 1 comes first, then outwards. */
function chooseTicks(position: (ratio: number) => number, inside: readonly number[]): readonly number[] {
  const outwards = inside.toSorted((a, b) => Math.abs(Math.log(a)) - Math.abs(Math.log(b)));
  const chosen: number[] = [];
  for (const tick of outwards) {
    const at = position(tick);
    const free = chosen.every((other) => {
      const needed = other === 1 ? TICK_DISTANCE * BESIDE_SHORT_LABEL : TICK_DISTANCE;
      return Math.abs(position(other) - at) >= needed;
    });
    if (free && at > 4 && at < 96) {
      chosen.push(tick);
    }
  }
  return chosen.sort((a, b) => a - b);
}

/** The words of ticks in a drawing, in its units of length. */
interface TickWords {
  /** Gives the middle of a tick's words, from the left. */
  at(tick: number): number;
  /** Gives the width of a tick's words. */
  widthOf(tick: number): number;
  /** Smallest gap between the words of two ticks. */
  readonly gap: number;
}

/**
 * Chooses the ticks whose words do not touch those of another one. The tick of no difference comes first, then the
 * others from the outermost inwards: these say how far a drawing reaches.
 *
 * @returns some of the scale's ticks, in their order.
 */
export function ticksWithWords(
  { position, zero, ticks }: Scale,
  { at, widthOf, gap }: TickWords,
): readonly number[] {
  const farthestFirst = ticks
    .filter((tick) => tick !== zero)
    .toSorted((a, b) => Math.abs(position(b) - position(zero)) - Math.abs(position(a) - position(zero)));
  const chosen = ticks.filter((tick) => tick === zero);
  for (const tick of farthestFirst) {
    const isFree = chosen.every(
      (other) => Math.abs(at(tick) - at(other)) >= (widthOf(tick) + widthOf(other)) / 2 + gap,
    );
    if (isFree) {
      chosen.push(tick);
    }
  }
  return ticks.filter((tick) => chosen.includes(tick));
}

/** An axis on a page of one width. */
interface AxisSize {
  /** The smallest width of such an axis, in pixels. */
  readonly width: number;
  /** The size of its letters, in pixels. */
  readonly letters: number;
}

/** Beside other columns: in a window of 1081 pixels, where the panels of two platforms begin to stand side by side. */
const WIDE_AXIS: AxisSize = { width: 160, letters: 13 };
/** On a phone: in a window of 360 pixels. */
const NARROW_AXIS: AxisSize = { width: 132, letters: 11 };
/** Mean width of a letter in the widest of usual fonts (Verdana, DejaVu Sans), as a part of its size. */
const LETTER_WIDTH = 0.63;
/** Smallest gap between the numbers of an axis, in pixels. */
const AXIS_GAP = 6;

/** Chooses the ticks of a scale that have a number on an axis of a size. */
function numberedTicks(
  scale: Scale,
  words: (tick: number) => string,
  { width, letters }: AxisSize,
): readonly number[] {
  return ticksWithWords(scale, {
    at: (tick) => (scale.position(tick) / 100) * width,
    widthOf: (tick) => words(tick).length * LETTER_WIDTH * letters,
    gap: AXIS_GAP,
  });
}

/** Draws the numbers of ticks, as far as they have room. Styles hide "minor" ones on a phone. */
export function scaleAxis(scale: Scale, unit: "ratio" | "ms"): Markup {
  const words = (tick: number) => tickWords(tick, unit);
  const numbered = numberedTicks(scale, words, WIDE_AXIS);
  const sparse = numberedTicks({ ...scale, ticks: numbered }, words, NARROW_AXIS);
  const numbers = numbered.map((tick) => {
    const minor = sparse.includes(tick) ? null : html` class="minor"`;
    return html`<text${minor} x="${scale.position(tick)}%" y="13" text-anchor="middle">${words(tick)}</text>`;
  });
  return html`<svg class="axis" aria-hidden="true" height="18">${numbers}</svg>`;
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
  return { position, zero: 0, ticks };
}

/** Finds the smallest of 1, 2, 5, 10 and their multiples by ten that is not below `least`. */
function niceStep(least: number): number {
  const decade = 10 ** Math.floor(Math.log10(least));
  return decade * ([1, 2, 5, 10].find((factor) => factor * decade >= least) ?? 10);
}
