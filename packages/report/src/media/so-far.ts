// What a run that goes on has found, between its turns.
import { fittedTable, paintIf, range, type TerminalOptions } from "@evenbench/page";
import type { Facts } from "../facts/facts.ts";
import { caseNoun, mainChanges } from "../words/columns.ts";
import { legend } from "../words/notation.ts";
import { tablesOf } from "./table.ts";
import { NARROWEST } from "./terminal.ts";

/** Lists the lines of what was found so far; nothing where nothing is compared yet. */
export function soFar(facts: Facts, { width, color }: TerminalOptions): readonly string[] {
  const changes = mainChanges(facts);
  if (changes.length === 0) {
    return [];
  }
  const paint = paintIf(color);
  const trials = changes.map(({ byTrial }) => byTrial.length);
  const many = range({ minimum: Math.min(...trials), maximum: Math.max(...trials) });
  const columns = Math.max(NARROWEST, width);
  return [
    `So far, after ${many === "1" ? "1 trial" : `${many} trials`} of each ${caseNoun(facts)}:`,
    ...tablesOf(facts, "so far").flatMap(({ keys, ...table }) => fittedTable(table, columns, keys)),
    paint("dim", legend(changes)),
  ];
}
