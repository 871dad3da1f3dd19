// What a command prints at the end of a run.
import { terminalLine } from "@evenbench/core";
import { fittedTable, paintIf, type TerminalOptions, wrap } from "@evenbench/page";
import type { Facts } from "../facts/facts.ts";
import { commandOf, stepWords } from "../words/command.ts";
import { cautionLines, foundLines, stateLines } from "../words/head.ts";
import { footnote } from "../words/mark.ts";
import { placeSentence } from "../words/names.ts";
import { legend } from "../words/notation.ts";
import { tablesOf } from "./table.ts";
import { notesOf } from "./target-tables.ts";

/** Smallest number of columns of a line, however narrow the terminal is. */
export const NARROWEST = 40;

/** What the text of a terminal has beside facts. */
interface TerminalContext extends TerminalOptions {
  /** Path of the report's page; null where none was written. */
  readonly report: string | null;
}

/** Writes facts for a terminal, in lines of at most `width` columns, but for commands and paths, which stay in one piece. */
export function terminal(facts: Facts, { width, color, report }: TerminalContext): string {
  const columns = Math.max(NARROWEST, width);
  const paint = paintIf(color);
  const wrapped = (text: string, indent = 0) => (text === "" ? [] : wrap(text, columns, indent));
  const dim = (text: string) => wrapped(text, 2).map((line) => paint("dim", line));
  const tables = tablesOf(facts);
  const shown = tables.flatMap(({ changes }) => changes);
  const next = facts.next.slice(0, 1).flatMap((step) => {
    const command = commandOf(facts, step);
    // In one piece, to be copied.
    return command === null ? [] : [...wrapped(`${stepWords(facts, step)}:`), `  ${terminalLine(command)}`];
  });
  const lines = [
    ...stateLines(facts).flatMap((line) => wrapped(line, 2).map((each) => paint("red", each))),
    ...foundLines(facts).flatMap((line) => wrapped(line, 2)),
    ...tables.flatMap(({ keys, ...table }, index) => {
      const [head = "", ...rows] = fittedTable(table, columns, keys);
      return [...(index === 0 ? [] : [""]), paint("bold", head), ...rows];
    }),
    ...dim(legend(shown)),
    ...dim(footnote(shown)),
    ...notesOf(tables).flatMap(dim),
    ...cautionLines(facts).flatMap((line) => wrapped(line, 2)),
    ...next,
    ...(report === null ? [] : [`Report: ${terminalLine(report)}`]),
    ...dim(placeSentence(facts)),
  ];
  return lines.join("\n");
}
