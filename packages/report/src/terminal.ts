import { stripVTControlCharacters, styleText } from "node:util";
import type { ReportData } from "./data.ts";
import { firstLine, formatMs, formatPercent, formatRatio, metricName, VERDICT_SYMBOLS } from "./format.ts";
import { type VerdictRow, verdictRows } from "./rows.ts";

export interface TerminalOptions {
  /** Columns to fit into. */
  readonly width: number;
  readonly color: boolean;
}

type Style = Parameters<typeof styleText>[0];

const NARROWEST = 60;
const GAP = 2;

/** The report for a terminal: warnings, a table of verdicts, the control. Ends with a newline. */
export function renderTerminal(data: ReportData, { width, color }: TerminalOptions): string {
  const paint = (style: Style, text: string) =>
    color ? styleText(style, text, { validateStream: false }) : text;
  const columns = Math.max(NARROWEST, width);
  const lines: string[] = [];
  for (const warning of data.warnings) {
    const style = warning.severity === "void" ? "red" : "yellow";
    lines.push(
      ...wrap(`! ${warning.title}: ${firstOf(warning.details)}`, columns, 2).map((line) =>
        paint(style, line),
      ),
    );
    lines.push(...wrap(`  ${warning.remedy}`, columns, 2).map((line) => paint("dim", line)));
  }
  if (lines.length > 0) lines.push("");
  lines.push(...table(verdictRows(data), columns, paint), "");
  lines.push(...wrap(plain(data.summary.compared), columns, 0));
  for (const { target, sentence } of data.summary.findings)
    lines.push(...wrap(plain(`${target} ${sentence}`), columns, 2));
  lines.push(...wrap(plain(data.summary.control), columns, 0));
  return `${lines.join("\n")}\n`;
}

function firstOf(details: readonly string[]): string {
  const first = plain(firstLine(details[0] ?? ""));
  return details.length > 1 ? `${first} (and ${details.length - 1} more)` : first;
}

/** Text from data must not steer the terminal. */
export function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed.
  return stripVTControlCharacters(text).replace(/[\u0000-\u001f\u007f-\u009f]/g, " ");
}

function table(
  rows: readonly VerdictRow[],
  width: number,
  paint: (style: Style, text: string) => string,
): readonly string[] {
  const head = ["case", "target", "median", "ratio (95 % interval)", "verdict"];
  const cells = rows.map((row, index) => [
    rows[index - 1]?.caseId === row.caseId ? "" : plain(row.caseId) + (row.notSameCode ? "*" : ""),
    plain(row.target),
    formatMs(row.summary?.median ?? null),
    row.isBaseline
      ? `1${row.noiseFloor === null ? "" : ` ± ${formatPercent(row.noiseFloor)} noise`}`
      : formatRatio(row.comparison?.ratio ?? null),
    row.isBaseline
      ? "baseline"
      : row.comparison
        ? `${VERDICT_SYMBOLS[row.comparison.verdict]} ${row.comparison.verdict}`
        : "–",
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
        const cut = part.length > room ? `${part.slice(0, room - 1)}…` : part;
        return column === 2 ? cut.padStart(room) : cut.padEnd(room);
      })
      .join(" ".repeat(GAP))
      .trimEnd();
  const times = [...new Set(rows.map(({ metric }) => metricName(metric)))].join(" or ");
  return [
    paint("bold", line(head)),
    ...cells.map((parts, index) => paint(styleOf(rows[index]), line(parts))),
    ...(times === ""
      ? []
      : [paint("dim", `Medians of the time to the ${times}; a ratio above 1 takes longer.`)]),
  ];
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
