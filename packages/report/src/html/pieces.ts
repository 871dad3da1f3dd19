import type { RunMachine } from "@evenbench/results";
import type { Warning } from "../data.ts";
import { firstLine } from "../format.ts";
import { coresOf, processorOf } from "../names.ts";
import { html, type Markup } from "./markup.ts";
import { seriesClass } from "./plot.ts";

/** A target's name beside its colour, one of `platformColours`. An A/A copy's is a ring. */
export function colourMark(name: string, colour: number, isCopy = false): Markup {
  return html`<span class="target ${seriesClass(colour)}${isCopy ? " copy" : ""}">${name}</span>`;
}

export type Definitions = readonly (readonly [name: string, value: string])[];

/** Names and what they stand for, one below another. */
export function definitionList(entries: Definitions): Markup {
  return html`<dl>${entries.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** What every page says of the machine that measured. */
export function machineEntries(machine: RunMachine): Definitions {
  return [
    ["System", machine.system],
    ["Processor", processorOf(machine)],
    ["Memory", `${(machine.memoryBytes / 2 ** 30).toFixed(1)} GiB`],
    ["Cores", coresOf(machine)],
  ];
}

/** Details of a warning that are shown at once; the rest unfolds. */
const DETAILS_SHOWN = 3;

/** What a reader must know before any number, each with its remedy; null where there is nothing. */
export function warningList(list: readonly Warning[]): Markup | null {
  if (list.length === 0) return null;
  return html`<section aria-label="Warnings"><ul class="warnings">${list.map(
    ({ severity, title, details, remedy }) =>
      html`<li class="w ${severity}"><strong class="title"><span aria-hidden="true">${severity === "void" ? "✕" : "!"}</span> ${title}</strong>${detailLines(details)}<p class="remedy">${remedy}</p></li>`,
  )}</ul></section>`;
}

function detailLines(details: readonly string[]): Markup {
  const lines = (some: readonly string[]) => html`<ul>${some.map((detail) => html`<li>${detail}</li>`)}</ul>`;
  if (details.length === 1) return html`<p>${details[0] ?? ""}</p>`;
  if (details.length <= DETAILS_SHOWN) return lines(details);
  const rest = details.slice(DETAILS_SHOWN);
  return html`${lines(details.slice(0, DETAILS_SHOWN))}<details><summary>and ${rest.length} more</summary>${lines(rest)}</details>`;
}

/** A line for each notice: what it means and what to do; what happened unfolds. Null where there is none. */
export function notices(list: readonly Warning[]): Markup | null {
  if (list.length === 0) return null;
  return html`<section class="notices" aria-label="Notices">${list.map(
    ({ severity, title, details, remedy }) =>
      html`<details class="${severity}"><summary><strong><span aria-hidden="true">${severity === "void" ? "✕" : "!"}</span> ${title}.</strong> ${remedy.split(/(?<=\.) /)[0] ?? ""}</summary><ul>${details.map((detail) => html`<li>${firstLine(detail)}</li>`)}</ul><p>${remedy}</p></details>`,
  )}</section>`;
}
