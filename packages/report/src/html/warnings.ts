import type { Warning } from "../data.ts";
import { html, type Markup } from "./markup.ts";

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
