import { html, type Markup } from "./markup.ts";
import { seriesClass } from "./plot.ts";

/** A target's name beside its colour, one of `platformColours`. An A/A copy's is a ring. */
export function colourMark(name: string, colour: number, isCopy = false): Markup {
  return html`<span class="target ${seriesClass(colour)}${isCopy ? " copy" : ""}">${name}</span>`;
}
