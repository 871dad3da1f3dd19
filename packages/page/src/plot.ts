import * as Plot from "@observablehq/plot";
import { html, type Markup } from "./markup.ts";
import { COLOURS } from "./style.ts";
import { SvgDocument, type SvgElement } from "./svg-document.ts";

/** The part of a target that a figure needs to draw it. */
export interface DrawnTarget {
  readonly name: string;
  /** The number of its colour, counted from 0; beyond `COLOURS` they begin again. */
  readonly colour: number;
  /** The name of the target that it is an A/A copy of; null for all others. */
  readonly copyOf: string | null;
}

/** Width of a figure, in the units of its view box. */
const FIGURE_WIDTH = 360;
/** Height of a figure, in the units of its view box. */
const FIGURE_HEIGHT = 230;
/** Ratio of the largest value to the smallest from which on an axis is logarithmic. */
const LOGARITHMIC_FROM = 6;
/** Dashes of lines, by number of the colour: lines differ by their dashes, too, for readers who do not tell colours. */
const DASHES = ["", "6 3", "2 3", "8 3 2 3", "1 4", "10 4", "4 2", "12 3 3 3"];

/** How a target's line looks, in the attributes of SVG. */
export interface SeriesStyle {
  readonly stroke: string;
  readonly strokeDasharray: string;
}

/**
 * Gives the look of a target's line by the number of its colour, from 0.
 *
 * @param before how many other targets of the same colour come before it: their lines have other dashes.
 */
export function seriesStyle(colour: number, before = 0): SeriesStyle {
  return {
    stroke: `var(--t${colour % COLOURS})`,
    strokeDasharray: DASHES[(colour + before) % DASHES.length] ?? "",
  };
}

/** Gives the CSS class of a colour. @param colour its number from 0; beyond `COLOURS` the colours begin again. */
export function seriesClass(colour: number): string {
  return `c${colour % COLOURS}`;
}

/** A figure of one chart: its texts, and what is drawn. */
interface Chart extends Plot.PlotOptions {
  /** Heading above the figure. */
  readonly heading: string;
  /** Name of the figure for those who do not see it. */
  readonly title: string;
  /** The figure in words, for those who do not see it. */
  readonly description: string;
  /** Sentences below the figure. */
  readonly caption: string;
}

/** Makes a figure of one chart, with a heading, a caption, and a description for those who do not see it. */
export function chart({ heading, title, description, caption, ...options }: Chart): Markup {
  const label = `${title}. ${description}`;
  return html`<figure><h4>${heading}</h4>
<svg class="plot" role="img" aria-label="${label}" viewBox="0 0 ${FIGURE_WIDTH} ${FIGURE_HEIGHT}">
<title>${title}</title><desc>${description}</desc>${plot(options)}</svg>
<figcaption>${caption}</figcaption></figure>`;
}

/** Draws a chart as the content of an <svg>. */
function plot(options: Plot.PlotOptions): Markup {
  const drawn = Plot.plot({
    width: FIGURE_WIDTH,
    height: FIGURE_HEIGHT,
    marginLeft: 60,
    marginRight: 14,
    marginTop: 26,
    marginBottom: 40,
    ...options,
    // Lines across the figure are its ticks.
    y: { ...(options.y?.grid ? { tickSize: 0 } : {}), ...options.y },
    document: new SvgDocument() as unknown as Document,
  }) as unknown as SvgElement;
  // The page has one style for all figures, and the figure one text alternative for all of its parts.
  drawn.removeChildren("style");
  for (const { attributes } of drawn.descendants()) {
    for (const [name, value] of attributes) {
      if (name.startsWith("aria-")) {
        attributes.delete(name);
      } else {
        attributes.set(name, shortNumbers(value));
      }
    }
  }
  return drawn.content;
}

/** The scale of an axis of shares: from 0 to 100 %. */
export const SHARE_AXIS: Plot.ScaleOptions = {
  domain: [0, 1],
  ticks: 4,
  tickFormat: (share: number) => `${share * 100} %`,
  grid: true,
};

/** Makes the scale of an axis, logarithmic where the largest value is `LOGARITHMIC_FROM` times the smallest. */
export function axis(low: number, high: number): Plot.ScaleOptions {
  const tickFormat = (tick: number) => String(Number(tick.toPrecision(3)));
  if (!(low > 0 && high / low > LOGARITHMIC_FROM)) {
    return { domain: [low, high], ticks: 5, tickFormat };
  }
  const decades = Array.from(
    { length: Math.ceil(Math.log10(high / low)) + 2 },
    (_, index) => 10 ** (Math.floor(Math.log10(low)) + index),
  );
  const ticks = decades
    .flatMap((decade) => [decade, 2 * decade, 5 * decade])
    .filter((tick) => tick >= low && tick <= high);
  return { type: "log", domain: [low, high], ticks, tickFormat };
}

/** Rounds numbers of an SVG attribute to one decimal. */
function shortNumbers(value: string): string {
  return value.replace(/\d+\.\d{2,}(?!\d|em)/g, (number) => String(Math.round(Number(number) * 10) / 10));
}

/** Tells whether the target of a name is an A/A copy. */
export function isCopy(name: string, targets: readonly DrawnTarget[]): boolean {
  return targets.find((target) => target.name === name)?.copyOf != null;
}

/** Chooses the look of a target's line: those of one colour differ by their dashes, and a copy looks as its target does. */
export function styleOf(name: string, targets: readonly DrawnTarget[]): SeriesStyle {
  const target = targets.find((target) => target.name === name);
  const colour = target?.colour ?? 0;
  const alike = targets.filter((other) => other.copyOf === null && other.colour === colour);
  const place = alike.findIndex((other) => other.name === (target?.copyOf ?? name));
  return seriesStyle(colour, Math.max(0, place));
}

/** How a target's line looks, with its width. */
export interface LineStyle extends SeriesStyle {
  readonly strokeWidth: number;
  /** Opacity from 0 to 1. Default: 1. */
  readonly strokeOpacity?: number;
}

/** Chooses all of the look of a target's line: a copy's is thinner and paler. */
export function lineOf(name: string, targets: readonly DrawnTarget[]): LineStyle {
  const width = isCopy(name, targets) ? { strokeOpacity: 0.6, strokeWidth: 1 } : { strokeWidth: 1.8 };
  return { ...styleOf(name, targets), ...width };
}

/** Chooses the look of a target's dots: those of a copy are hollow. */
export function dotOf(name: string, targets: readonly DrawnTarget[]): Plot.DotOptions {
  const { stroke } = styleOf(name, targets);
  return { stroke, strokeWidth: 1.6, fill: isCopy(name, targets) ? "var(--paper)" : stroke };
}
