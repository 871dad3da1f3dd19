import type { RatioInterval } from "@evenbench/stats";
import { formatRatio, tickWords } from "../format.ts";
import { html, type Markup } from "./markup.ts";
import { seriesClass } from "./plot.ts";
import type { RatioScale } from "./scale.ts";

interface IntervalOptions {
  readonly ratio: RatioInterval | null;
  readonly colour: number;
  readonly scale: RatioScale;
  /** An A/A copy's interval is drawn hollow. */
  readonly hollow: boolean;
  readonly label: string;
}

/** An interval on the scale, with a line at 1. Stretches with its cell. */
export function intervalBar({ ratio, colour, scale, hollow, label }: IntervalOptions): Markup {
  const one = scale.position(1);
  const text = ratio === null ? `${label}: no interval.` : `${label}: ${formatRatio(ratio)}, 99 % interval.`;
  const marks =
    ratio === null
      ? null
      : html`<line x1="${scale.position(ratio.low)}%" x2="${scale.position(ratio.high)}%" y1="14" y2="14" class="reach"/><line x1="${scale.position(ratio.low)}%" x2="${scale.position(ratio.low)}%" y1="9" y2="19" class="cap"/><line x1="${scale.position(ratio.high)}%" x2="${scale.position(ratio.high)}%" y1="9" y2="19" class="cap"/><circle cx="${scale.position(ratio.estimate)}%" cy="14" r="4.5" class="${hollow ? "hollow" : "dot"}"/>`;
  return html`<svg class="interval ${seriesClass(colour)}" role="img" height="28"><title>${text}</title><g class="grid">${scale.ticks.map(
    (tick) => html`<line x1="${scale.position(tick)}%" x2="${scale.position(tick)}%" y2="28"/>`,
  )}</g><line class="one" x1="${one}%" x2="${one}%" y2="28"/>${marks}</svg>`;
}

/** The scale's ticks, to stand above a column of intervals. */
export function scaleAxis(scale: RatioScale): Markup {
  return html`<svg class="axis" aria-hidden="true" height="18">${scale.ticks.map(
    (tick) => html`<text x="${scale.position(tick)}%" y="13" text-anchor="middle">${tickWords(tick)}</text>`,
  )}</svg>`;
}
