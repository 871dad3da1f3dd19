import { html, type Markup } from "./markup.ts";
import { seriesClass } from "./plot.ts";

/** Shows a target's name in its colour, counted from 0; an A/A copy's in a lighter way. */
export function colourMark(name: string, colour: number, isCopy = false): Markup {
  return html`<span class="target ${seriesClass(colour)}${isCopy ? " copy" : ""}">${name}</span>`;
}

/** Shows a command line to be copied. "--trials" is not broken behind its hyphens where it has room. */
export function commandCode(command: string, id?: string): Markup {
  const words = command.split(" ").map((word, index) => {
    const space = index === 0 ? "" : " ";
    return word.includes("-") ? html`${space}<span class="option">${word}</span>` : html`${space}${word}`;
  });
  return id === undefined ? html`<code>${words}</code>` : html`<code id="${id}">${words}</code>`;
}

/** Names with their values, in order. */
export type Definitions = readonly (readonly [name: string, value: string])[];

/** Shows names with their values as a <dl>. */
export function definitionList(entries: Definitions): Markup {
  return html`<dl>${entries.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}
