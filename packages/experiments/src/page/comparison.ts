import { html, type Markup } from "@evenbench/report/parts";
import type { ComparisonResult, Contrast, Estimate, FigureUnit, SideResult } from "@evenbench/results";
import { formatFigure } from "./format.ts";

const HEAD = [
  "Side",
  "First byte",
  "Last byte",
  "CPU time",
  "Resident",
  "Ratio of last bytes",
  "Ratio of CPU time",
];

/** What was measured of each side of a comparison, folded away: the figures above say what it means. */
export function comparisonTable(claim: string, comparison: ComparisonResult): Markup | null {
  const { id, caseId, sides, control, trials } = comparison;
  if (sides.length === 0) return null;
  return html`<details><summary>Measurements: ${id} (case ${caseId}, ${trials} trials)</summary>
<div class="scroll" role="region" tabindex="0" aria-label="Measurements of ${claim}: ${id}"><table><thead><tr>${HEAD.map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead><tbody>
${sides.map((side) => line(side, comparison))}${control === null ? null : controlLine(control)}</tbody></table></div></details>`;
}

function line(side: SideResult, { contrasts }: ComparisonResult): Markup {
  const own = contrasts.filter((one) => one.side === side.name);
  return html`<tr><th scope="row">${side.name}${side.otherwise === null ? null : html` <small>${side.otherwise}</small>`}</th><td>${shown("ms", side.firstByteMs)}</td><td>${shown("ms", side.lastByteMs)}</td><td>${shown("ms", side.cpuMsPerExchange)}</td><td>${bytes(side.residentBytes)}</td><td>${ratios(own, "lastByteMs")}</td><td>${ratios(own, "cpu")}</td></tr>
`;
}

function controlLine(control: Contrast): Markup {
  return html`<tr><th scope="row">control: ${control.side}</th><td></td><td></td><td></td><td></td><td>${ratios([control], "lastByteMs")}</td><td>${ratios([control], "cpu")}</td></tr>
`;
}

function ratios(contrasts: readonly Contrast[], metric: "lastByteMs" | "cpu"): string {
  return contrasts.map((one) => `${shown("ratio", one[metric])} of ${one.against}`).join("; ");
}

function shown(unit: FigureUnit, value: Estimate | null): string {
  return formatFigure({ unit, value });
}

function bytes(value: number | null): string {
  return shown("bytes", value === null ? null : { estimate: value, low: value, high: value });
}
