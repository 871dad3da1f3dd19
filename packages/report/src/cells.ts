import { colourMark, html, MARKS, type Markup, type TableCell } from "@evenbench/page";
import type { Verdict } from "@evenbench/stats";
import type { ReportData } from "./data.ts";
import { spokenOf } from "./names.ts";

/** Shows a verdict with its sign. */
export function verdictMark(verdict: Verdict): Markup {
  return html`<span class="verdict ${verdict}"><span aria-hidden="true">${MARKS[verdict].sign}</span> ${verdict}</span>`;
}

/** Shows a target's name in its colour. */
export function targetMark(name: string, data: Pick<ReportData, "targets">): Markup {
  const target = data.targets.find((target) => target.name === name);
  return colourMark(spokenOf(data.targets, name), target?.colour ?? 0, target?.copyOf != null);
}

/** Makes the cell of a table with a target's name. */
export function targetCell(name: string, data: Pick<ReportData, "targets">): TableCell {
  return { text: spokenOf(data.targets, name), html: targetMark(name, data) };
}
