import * as Plot from "@observablehq/plot";
import { html, Markup } from "./markup.ts";
import { figureMarkup, SvgDocument } from "./svg-document.ts";

const WIDTH = 360;
const HEIGHT = 230;
/** Ratio of the largest to the smallest value from which an axis is logarithmic. */
const LOGARITHMIC_FROM = 6;
/** Lines differ by their dashes, too, for readers who do not tell colours. */
const DASHES = ["", "6 3", "2 3", "8 3 2 3", "1 4", "10 4"];

/** Colour and dashes of the n-th series of a figure. */
export function seriesStyle(index: number): { readonly stroke: string; readonly strokeDasharray: string } {
  const place = index % DASHES.length;
  return { stroke: `var(--t${place})`, strokeDasharray: DASHES[place] ?? "" };
}

/** The class of what is painted outside figures in the colour of the n-th series. */
export function seriesClass(index: number): string {
  return `c${index % DASHES.length}`;
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
    // Plot's type asks for a whole document; it uses only what SvgDocument has.
    document: new SvgDocument() as unknown as Document,
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
