// What a command prints at the end of a run.
import { terminalLine } from "@evenbench/core";
import { counted, fittedTable, formatDuration, paintIf, type TerminalOptions, wrap } from "@evenbench/page";
import type { Facts } from "../facts/facts.ts";
import { baselineName, caseNoun, countedColumns } from "../words/columns.ts";
import { commandOf, stepWords } from "../words/command.ts";
import { countWords } from "../words/counts.ts";
import { cautionLines, stateLines } from "../words/head.ts";
import { footnote } from "../words/mark.ts";
import { TIME } from "../words/metrics.ts";
import { capitalised, judgedWords, placeWords, trialWords } from "../words/names.ts";
import { legend } from "../words/notation.ts";
import { NOTICE_SIGNS } from "../words/notices.ts";
import { notesOf, tablesOf } from "./table.ts";

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
  const dim = (text: string) => wrapped(text).map((line) => paint("dim", line));
  const isMeasured = facts.levels.length > 0;
  const tables = tablesOf(facts, { names: "id", countsCpu: true });
  const shown = tables.flatMap(({ changes }) => changes);
  const next = facts.next.flatMap((step) => {
    const command = commandOf(facts, step);
    // In one piece, to be copied.
    return command === null ? [] : [...wrapped(`${stepWords(facts, step)}:`), `  ${terminalLine(command)}`];
  });
  const lines = [
    ...stateLines(facts, "id").flatMap((line) => wrapped(line, 2).map((each) => paint("red", each))),
    ...answerLines(facts).flatMap((line) => wrapped(line, 2)),
    ...dim(isMeasured ? sourceLine(facts) : ""),
    ...tables.flatMap(({ keys, ...table }) => {
      const [head = "", ...rows] = fittedTable(table, columns, keys);
      return ["", paint("bold", head), ...rows];
    }),
    ...dim(legend(shown)),
    ...dim(footnote(shown)),
    ...notesOf(tables).flatMap(dim),
    ...cautionLines(facts, "id").flatMap((line) => wrapped(`${NOTICE_SIGNS.caution} ${line}`, 2)),
    ...next,
    ...(report === null ? [] : [`Report: ${terminalLine(report)}`]),
    ...dim(isMeasured ? whereLine(facts) : ""),
  ];
  return lines.join("\n");
}

/** Writes the counts of each column; that nothing was compared where there is none. */
function answerLines(facts: Facts): readonly string[] {
  const counts = countedColumns(facts);
  return counts.length === 0
    ? ["Nothing was compared."]
    : counts.map(({ column, counts }) => `${column.spoken}: ${countWords(counts, TIME)}.`);
}

/** Says what was measured, against what, how often, and how long it took: "7 cases against Node.js, 3 trials each, 10 min." */
function sourceLine(facts: Facts): string {
  const { run, cases } = facts;
  const isCompared = countedColumns(facts).length > 0;
  const what = counted(cases.length, caseNoun(facts));
  const parts = [
    isCompared ? `${what} against ${baselineName(facts)}` : what,
    trialWords(facts),
    ...(run.tookMs === null ? [] : [formatDuration(run.tookMs)]),
  ];
  return `${parts.join(", ")}.`;
}

function whereLine(facts: Facts): string {
  const judged = judgedWords(facts);
  const where = `${capitalised(placeWords(facts))}.`;
  return judged === null ? where : `${where} ${capitalised(judged)}.`;
}
