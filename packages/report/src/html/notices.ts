import type { Warning } from "../data.ts";
import { firstLine } from "../format.ts";
import { html, type Markup } from "./markup.ts";

/** A line for each notice: what it means and what to do; what happened unfolds. Null where there is none. */
export function notices(list: readonly Warning[]): Markup | null {
  if (list.length === 0) return null;
  return html`<section class="notices" aria-label="Notices">${list.map(
    ({ severity, title, details, remedy }) =>
      html`<details class="${severity}"><summary><strong><span aria-hidden="true">${severity === "void" ? "✕" : "!"}</span> ${title}.</strong> ${remedy.split(/(?<=\.) /)[0] ?? ""}</summary><ul>${details.map((detail) => html`<li>${firstLine(detail)}</li>`)}</ul><p>${remedy}</p></details>`,
  )}</section>`;
}
