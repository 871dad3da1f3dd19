import * as Plot from "@observablehq/plot";
import { COLOURS } from "../platform-colour.ts";
import { html, Markup } from "./markup.ts";
import { createDocument, figureMarkup } from "./svg-document.ts";

const WIDTH = 360;
const HEIGHT = 230;
/** Ratio of the largest to the smallest value from which an axis is logarithmic. */
const LOGARITHMIC_FROM = 6;
/** Lines differ by their dashes, too, for readers who do not tell colours. */
const DASHES = ["", "6 3", "2 3", "8 3 2 3", "1 4", "10 4", "4 2", "12 3 3 3"];

/**
 * What a line is drawn with.
 *
 * @param colour of the target's platform, as `platformColours` gives it.
 * @param before how many lines of the figure have that colour already: the dashes tell them apart.
 */
export function seriesStyle(
  colour: number,
  before = 0,
): { readonly stroke: string; readonly strokeDasharray: string } {
  return {
    stroke: `var(--t${colour % COLOURS})`,
    strokeDasharray: DASHES[(colour + before) % DASHES.length] ?? "",
  };
}

/** The class of what is painted outside figures in a colour of `platformColours`. */
export function seriesClass(colour: number): string {
  return `c${colour % COLOURS}`;
}

/** Draws with Observable Plot, without a browser. */
export function plot(options: Plot.PlotOptions): Markup {
  const drawn = Plot.plot({
    width: WIDTH,
    height: HEIGHT,
    marginLeft: 50,
    marginRight: 14,
    marginTop: 26,
    marginBottom: 36,
    ...options,
    // Lines across the figure are its ticks.
    y: { ...(options.y?.grid ? { tickSize: 0 } : {}), ...options.y },
    document: createDocument(),
  });
  return new Markup(figureMarkup(drawn));
}

export interface FigureParts {
  readonly svg: Markup;
  readonly title: string;
  readonly description: string;
  readonly heading: string;
  readonly caption: string;
}

/** A drawing with its heading, its caption and its text alternative. */
export function figure({ svg, title, description, heading, caption }: FigureParts): Markup {
  return html`<figure><h4>${heading}</h4><svg class="plot" role="img" aria-label="${title}. ${description}" viewBox="0 0 ${WIDTH} ${HEIGHT}"><title>${title}</title><desc>${description}</desc>${svg}</svg><figcaption>${caption}</figcaption></figure>`;
}

/** A linear axis; logarithmic, with ticks at 1, 2 and 5, where the values span so much that small ones would vanish. */
export function axis(low: number, high: number): Plot.ScaleOptions {
  if (!(low > 0 && high / low > LOGARITHMIC_FROM)) {
    return { domain: [low, high], ticks: 5, tickFormat: shortTick };
  }
  const decades = Array.from(
    { length: Math.ceil(Math.log10(high / low)) + 2 },
    (_, index) => 10 ** (Math.floor(Math.log10(low)) + index),
  );
  const ticks = decades
    .flatMap((decade) => [decade, 2 * decade, 5 * decade])
    .filter((tick) => tick >= low && tick <= high);
  return { type: "log", domain: [low, high], ticks, tickFormat: shortTick };
}

function shortTick(value: number): string {
  return String(Number(value.toPrecision(3)));
}
