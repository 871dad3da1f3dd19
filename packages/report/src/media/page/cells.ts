import { colourMark, type TableCell } from "@evenbench/page";
import type { Facts } from "../../facts/facts.ts";
import { targetOf } from "../../words/columns.ts";

/** Makes the cell of a table with a target's name in its colour. */
export function targetCell(facts: Facts, name: string): TableCell {
  const target = targetOf(facts, name);
  const spoken = target?.spoken ?? name;
  return { text: spoken, html: colourMark(spoken, target?.colour ?? 0, target?.copyOf != null) };
}
