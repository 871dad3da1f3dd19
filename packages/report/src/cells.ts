import { colourMark, type Markup, type TableCell } from "@evenbench/page";
import type { ReportData } from "./data.ts";
import { spokenOf } from "./names.ts";

/** Shows a target's name in its colour. */
export function targetMark(name: string, data: Pick<ReportData, "targets">): Markup {
  const target = data.targets.find((target) => target.name === name);
  return colourMark(spokenOf(data.targets, name), target?.colour ?? 0, target?.copyOf != null);
}

/** Makes the cell of a table with a target's name. */
export function targetCell(name: string, data: Pick<ReportData, "targets">): TableCell {
  return { text: spokenOf(data.targets, name), html: targetMark(name, data) };
}
