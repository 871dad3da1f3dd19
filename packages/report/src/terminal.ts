import { styleText } from "node:util";
import { terminalLine } from "@evenbench/core";
import { caseAnswers } from "./case-answers.ts";
import { cpuColumn } from "./cpu-verdict.ts";
import type { ReportData } from "./data.ts";
import { firstLine, formatBand, formatMs, metricName, VERDICT_SYMBOLS } from "./format.ts";
import { effectOf, type VerdictRow, verdictRows } from "./rows.ts";
import { vantageTables } from "./vantages/text-table.ts";

export interface TerminalOptions {
  /** Columns to fit into. */
  readonly width: number;
  readonly color: boolean;
}

type Style = Parameters<typeof styleText>[0];

const NARROWEST = 60;
const GAP = 2;

/**
 * The report for a terminal: warnings, a line each; a table of verdicts; last the answer, a line for each
 * case. Ends with a newline.
 */
export function renderTerminal(data: ReportData, { width, color }: TerminalOptions): string {
  const paint = (style: Style, text: string) =>
    color ? styleText(style, text, { validateStream: false }) : text;
  const columns = Math.max(NARROWEST, width);
  const overVantages = data.run.vantages !== undefined;
  const warnings = data.warnings.map((warning) =>
    paint(
      warning.severity === "void" ? "red" : "yellow",
      cut(`! ${warning.title}: ${firstOf(warning.details)}`, columns),
    ),
  );
  const lines = [
    ...warnings,
    ...(warnings.length === 0 ? [] : [""]),
    ...table(verdictRows(data), overVantages, columns, paint),
    ...vantageLines(data, columns, paint),
    ...wrap(terminalLine(data.summary.control), columns, 0).map((line) => paint("dim", line)),
    "",
    ...caseAnswers(data).flatMap((answer) => wrap(terminalLine(answer), columns, 2)),
  ];
  return `${lines.join("\n")}\n`;
}

function cut(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, width - 1)}…` : text;
}

function firstOf(details: readonly string[]): string {
  const first = terminalLine(firstLine(details[0] ?? ""));
  return details.length > 1 ? `${first} (and ${details.length - 1} more)` : first;
}

function table(
  rows: readonly VerdictRow[],
  overVantages: boolean,
  width: number,
  paint: (style: Style, text: string) => string,
): readonly string[] {
  const cpu = cpuColumn(rows, width);
  const effect = overVantages ? "difference" : "ratio";
  const head = ["case", "target", "time", `${effect} (99 % interval)`, "verdict", ...cpu.head];
  const cells = rows.map((row, index) => [
    rows[index - 1]?.caseId === row.caseId ? "" : terminalLine(row.caseId) + (row.notSameCode ? "*" : ""),
    terminalLine(row.target),
    formatMs(row.summary?.median ?? null),
    row.isBaseline && overVantages
      ? ""
      : row.isBaseline
        ? `1${row.noiseFloor === null ? "" : ` (noise ${formatBand(row.noiseFloor)})`}`
        : effectOf(row),
    row.isBaseline
      ? "baseline"
      : row.comparison
        ? `${VERDICT_SYMBOLS[row.comparison.verdict]} ${row.comparison.verdict}`
        : "–",
    ...cpu.cells(row),
  ]);
  const widths = head.map((title, column) =>
    Math.max(title.length, ...cells.map((line) => (line[column] ?? "").length)),
  );
  // Only names are cut when the terminal is narrow: numbers never are.
  for (const column of [0, 1]) {
    const excess = widths.reduce((sum, one) => sum + one + GAP, -GAP) - width;
    if (excess > 0) widths[column] = Math.max(8, (widths[column] ?? 0) - excess);
  }
  const line = (parts: readonly string[]) =>
    parts
      .map((part, column) => {
        const room = widths[column] ?? 0;
        const fitting = cut(part, room);
        return column === 2 ? fitting.padStart(room) : fitting.padEnd(room);
      })
      .join(" ".repeat(GAP))
      .trimEnd();
  const times = [...new Set(rows.map(({ metric }) => metricName(metric)))].join(" or ");
  return [
    paint("bold", line(head)),
    ...cells.map((parts, index) => paint(styleOf(rows[index]), line(parts))),
    ...(times === ""
      ? []
      : wrap(
          `Time to the ${times}: geometric mean of the trials' medians. A ${effect} above ${overVantages ? 0 : 1} takes longer.`,
          width,
          0,
        ).map((text) => paint("dim", text))),
    ...cpu.key.map((text) => paint("dim", text)),
  ];
}

/** A table for each case: what each vantage saw. */
function vantageLines(
  data: ReportData,
  width: number,
  paint: (style: Style, text: string) => string,
): readonly string[] {
  const tables = vantageTables(data, "times alone").map(({ title, head, rows }) => {
    const all = [head, ...rows].map((row) => row.map(terminalLine));
    const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
    const lines = all.map((row) =>
      cut(
        row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join(" ".repeat(GAP))
          .trimEnd(),
        width,
      ),
    );
    return ["", paint("bold", cut(terminalLine(title), width)), ...lines];
  });
  return tables.length === 0 ? [] : [...tables.flat(), ""];
}

function styleOf(row: VerdictRow | undefined): Style {
  if (row?.comparison?.verdict === "faster") return "green";
  if (row?.comparison?.verdict === "slower") return "red";
  return row?.isBaseline ? "reset" : "dim";
}

/** Breaks at spaces; lines after the first are indented. A word longer than a line stays whole. */
export function wrap(text: string, width: number, indent: number): readonly string[] {
  const lines: string[] = [];
  let line = /^ */.exec(text)?.[0] ?? "";
  for (const word of text.trim().split(" ")) {
    const separator = line.trim() === "" ? "" : " ";
    if (line.trim() !== "" && line.length + separator.length + word.length > width) {
      lines.push(line);
      line = " ".repeat(indent) + word;
    } else line += separator + word;
  }
  return [...lines, line];
}
