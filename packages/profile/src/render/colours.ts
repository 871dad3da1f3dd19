import type { Owner } from "@evenbench/results";
import { comparedRows } from "./rows.ts";

/** So many colours has the style for packages; none is a platform's. */
const COLOURS = 6;

/** A class for the boxes of each owner: the largest get colours, the collector its own, the rest is plain. */
export function colourClasses(targets: Parameters<typeof comparedRows>[0]): (owner: Owner) => string {
  const coloured = comparedRows(targets)
    .filter(({ kind }) => !["collector", "program", "unattributed"].includes(kind))
    .slice(0, COLOURS);
  const classes = new Map(coloured.map(({ name }, index) => [name, `p${index}`]));
  return ({ kind, name }) => (kind === "collector" ? "gc" : (classes.get(name) ?? "other"));
}
