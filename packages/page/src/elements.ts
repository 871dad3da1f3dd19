import { firstLine } from "./format.ts";
import { html, type Markup } from "./markup.ts";
import type { Warning } from "./notice.ts";
import { seriesClass } from "./plot.ts";

export function colourMark(name: string, colour: number, isCopy = false): Markup {
  return html`<span class="target ${seriesClass(colour)}${isCopy ? " copy" : ""}">${name}</span>`;
}

export type Definitions = readonly (readonly [name: string, value: string])[];

export function definitionList(entries: Definitions): Markup {
  return html`<dl>${entries.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

export function noticeList(list: readonly Warning[]): Markup | null {
  if (list.length === 0) {
    return null;
  }
  return html`<section class="notices" aria-label="Notices">${list.map(
    ({ severity, title, details, remedy }) =>
      html`<details class="${severity}"><summary><strong><span aria-hidden="true">${severity === "void" ? "✕" : "!"}</span> ${title}.</strong> ${remedy.split(/(?<=\.) /)[0] ?? ""}</summary><ul>${details.map((detail) => html`<li>${firstLine(detail)}</li>`)}</ul><p>${remedy}</p></details>`,
  )}</section>`;
}
