import { terminalLine } from "@evenbench/core";

/** One table; each printer below writes all of it. Cells are text as it is read. */
export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Columns that are aligned to the right. */
  readonly numeric?: readonly number[];
}

/** Aligned with spaces, two between columns; a line for the head and for each row. */
export function textTable({ head, rows, numeric = [] }: Table): readonly string[] {
  const all = [head, ...rows].map((row) => row.map(terminalLine));
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) =>
    widths
      .map((width, column) =>
        numeric.includes(column) ? (row[column] ?? "").padStart(width) : (row[column] ?? "").padEnd(width),
      )
      .join("  ")
      .trimEnd(),
  );
}

export function plainTable(head: Table["head"], rows: Table["rows"], numeric: readonly number[]): string {
  return textTable({ head, rows, numeric }).join("\n");
}

/** Nothing from data may be markup, a mention or a cell's end. */
export function escaped(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replace(/[\\`*_{}[\]#|~!]/g, "\\$&")
    .replaceAll("@", "@\u200b");
}

/** Cells are escaped here. */
export function markdownTable({ head, rows, numeric = [] }: Table): readonly string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const rule = head.map((_, column) => (numeric.includes(column) ? "---:" : "---"));
  return [line(head.map(escaped)), line(rule), ...rows.map((row) => line(row.map(escaped)))];
}

/** RFC 4180: CRLF, what is not known is empty. */
export function csvTable({ head, rows }: Table): string {
  return [head, ...rows].map((row) => `${row.map(csvCell).join(",")}\r\n`).join("");
}

function csvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
