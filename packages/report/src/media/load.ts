// The tables of a load, and what a command prints at its end.
import { terminalLine } from "@evenbench/core";
import {
  filledTable,
  fittedTable,
  formatPercent,
  NOTHING,
  paintIf,
  type Table,
  type TableCell,
  type TableColumn,
  type TerminalOptions,
  wrap,
} from "@evenbench/page";
import type { Answer, CaseFacts, Facts, Level, Load, Metric, TargetFacts } from "../facts/facts.ts";
import { caseTitle } from "../words/columns.ts";
import { cautionLines, stateLines } from "../words/head.ts";
import {
  isSearched,
  limitsIn,
  limitWords,
  loadAnswer,
  loadWords,
  rateWords,
  waitWords,
} from "../words/loads.ts";
import { amount } from "../words/metrics.ts";
import { sourceWords } from "../words/names.ts";
import { memoryTables } from "./target-tables.ts";
import { NARROWEST } from "./terminal.ts";

/** What one target did under one load. */
export interface LoadRow {
  readonly target: TargetFacts;
  readonly load: Load;
  readonly levels: readonly Level[];
  readonly requests: number;
  readonly failed: number;
  readonly from: Answer["from"];
}

/** Lists what the targets of a case did: by target, then from the smallest load on. */
export function loadRows(facts: Facts, { id }: Pick<CaseFacts, "id">): readonly LoadRow[] {
  return facts.targets.flatMap((target) =>
    facts.answers.flatMap((answer) => {
      const { load, requests, failed, from } = answer;
      if (answer.case !== id || answer.target !== target.name || load === null) {
        return [];
      }
      const levels = facts.levels.filter(
        (level) => level.case === id && level.target === target.name && isSame(level.load, load),
      );
      return [{ target, load, levels, requests, failed, from }];
    }),
  );
}

function isSame(one: Load | null, other: Load): boolean {
  return one !== null && one.kind === other.kind && one.value === other.value;
}

/** Gives the level of a row by a metric; null where it was not measured. */
export function levelIn({ levels }: LoadRow, metric: Metric): Level | null {
  return levels.find((level) => level.metric === metric) ?? null;
}

/** The columns of a row that say what was asked of which target. */
const NAMING_COLUMNS = 2;

/** Makes the table of a case's loads. @param name gives a target's name. */
export function loadTable(
  facts: Facts,
  each: CaseFacts,
  name: (target: TargetFacts) => TableCell = ({ spoken }) => spoken,
): Table {
  const rows = loadRows(facts, each);
  const value = (row: LoadRow, metric: Metric) => levelIn(row, metric)?.value ?? null;
  const time = (row: LoadRow) => levelIn(row, "lastByteMs");
  const naming: readonly TableColumn<LoadRow, TableCell>[] = [
    ["target", ({ target }) => name(target)],
    ["load", ({ load }) => loadWords(load)],
  ];
  return filledTable(rows, naming, [
    ["answers/s", (row) => rateWords(value(row, "answersPerSecond"))],
    ["median", (row) => amount("lastByteMs", value(row, "lastByteMs"))],
    ["p95", (row) => amount("lastByteMs", time(row)?.p95 ?? null)],
    ["p99", (row) => amount("lastByteMs", time(row)?.p99 ?? null)],
    ["CPU time", (row) => amount("cpuMs", value(row, "cpuMs"))],
    ["failed", failedWords],
    ["comes from", ({ from }) => (from === "computed" ? NOTHING : from)],
  ]);
}

function failedWords({ failed, requests }: LoadRow): string {
  return failed === 0 ? NOTHING : `${failed} (${formatPercent(failed / (failed + requests))})`;
}

/** Makes the table of how much each target of a case answers at most; null where nobody looked for that. */
export function limitTable(
  facts: Facts,
  each: CaseFacts,
  name: (target: TargetFacts) => TableCell = ({ spoken }) => spoken,
): Table | null {
  const limits = limitsIn(facts, each);
  const [first] = limits;
  if (first === undefined) {
    return null;
  }
  const isSearch = first.load !== null;
  const nameOf = (limit: Level) => {
    const target = facts.targets.find((target) => target.name === limit.target);
    return target === undefined ? limit.target : name(target);
  };
  const waits = (limit: Level) =>
    facts.levels.find(
      ({ case: of, target, metric }) => of === each.id && target === limit.target && metric === "queuesFrom",
    )?.value ?? null;
  return {
    head: [
      "target",
      `answers/s ${isSearch ? `with ${loadWords(first.load)}` : "at most"}`,
      isSearch ? "in each trial" : "wait from",
    ],
    rows: limits.map((limit) => [
      nameOf(limit),
      limitWords(limit),
      isSearch ? limit.byTrial.map(rateWords).join(", ") : waitWords(waits(limit)),
    ]),
    numeric: [1],
  };
}

/** What has to be known to read the tables of a load. */
export const LOAD_KEY: string =
  "Means over trials. At a rate, times count from when a request was due; p95 needs 100 requests, p99 500.";

/** Writes the facts of a load for a terminal. @param report path of its page; null where none was written. */
export function loadTerminal(
  facts: Facts,
  { width, color, report }: TerminalOptions & { readonly report: string | null },
): string {
  const columns = Math.max(NARROWEST, width);
  const paint = paintIf(color);
  const wrapped = (text: string, indent = 2) => wrap(text, columns, indent);
  const dim = (text: string) => wrapped(text, 0).map((line) => paint("dim", line));
  const table = (made: Table | null, keys: number) => {
    if (made === null || made.rows.length === 0) {
      return [];
    }
    const [head = "", ...rows] = fittedTable(made, columns, keys);
    return ["", paint("bold", head), ...rows];
  };
  const lines = [
    ...stateLines(facts).flatMap((line) => wrapped(line).map((each) => paint("red", each))),
    ...facts.cases.flatMap((each) => wrapped(`${caseTitle(each)}: ${loadAnswer(facts, each)}`)),
    ...facts.cases.flatMap((each) => [
      ...(facts.cases.length > 1 ? ["", paint("bold", terminalLine(caseTitle(each)))] : []),
      ...table(limitTable(facts, each), 1),
      // The rates that a search tried are on its page.
      ...(isSearched(facts, each) ? [] : table(loadTable(facts, each), NAMING_COLUMNS)),
      ...memoryTables(facts, each).flatMap((made) => [...table(made, made.keys), ...made.notes.flatMap(dim)]),
    ]),
    ...dim(LOAD_KEY),
    ...cautionLines(facts).flatMap((line) => wrapped(line)),
    ...(report === null ? [] : [`Report: ${terminalLine(report)}`]),
    ...dim(sourceWords(facts)),
  ];
  return `${lines.join("\n")}\n`;
}
