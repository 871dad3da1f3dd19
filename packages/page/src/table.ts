import { terminalLine } from "@evenbench/core";
import { largest } from "@evenbench/stats";
import stringWidth from "string-width";
import { html, type Markup } from "./markup.ts";

/** A cell that is not the same in every form of a report. */
interface RichCell {
  /** The cell's text in Markdown, in CSV and on a terminal. */
  readonly text: string;
  /** Markup that a page shows in place of the text. Default: the text. */
  readonly html?: Markup;
  /** The class of its element on a page. */
  readonly className?: string;
}

/** A cell of a table: plain text, or more than that. */
export type TableCell = string | RichCell;

/** A table of any form of a report. */
export interface Table {
  /** Names of the columns. */
  readonly head: readonly TableCell[];
  /** Rows with a cell for each column. */
  readonly rows: readonly (readonly TableCell[])[];
  /** The columns, counted from 0, whose cells are numbers: they are aligned to the right. */
  readonly numeric?: readonly number[];
}

/** Gives the text of a cell without markup. */
export function textOf(cell: TableCell): string {
  return typeof cell === "string" ? cell : cell.text;
}

/** Stands where a cell has nothing to say. */
export const NOTHING = "–";

/** A column: its name, and the cell of a row. */
export type TableColumn<Row, Cell = string> = readonly [head: TableCell, cell: (row: Row) => Cell];

/**
 * Makes a table of rows. Its first columns name what a row is of; of the others those are left out that have nothing to say
 * in any row, and what they hold is aligned as numbers are.
 */
export function filledTable<Row>(
  rows: readonly Row[],
  naming: readonly TableColumn<Row, TableCell>[],
  columns: readonly TableColumn<Row>[],
): Table {
  const filled = columns.filter(([, cell]) => rows.some((row) => cell(row) !== NOTHING));
  const shown = [...naming, ...filled];
  return {
    head: shown.map(([head]) => head),
    rows: rows.map((row) => shown.map(([, cell]) => cell(row))),
    numeric: filled.map((_, index) => naming.length + index),
  };
}

/** Rows of text whose columns are to be as wide as their widest cell. */
interface TextRows extends Pick<Table, "numeric"> {
  readonly rows: readonly (readonly string[])[];
}

/** Pads cells so that each column is as wide as its widest cell, in columns of a terminal. */
function aligned({ rows, numeric = [] }: TextRows): readonly (readonly string[])[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    largest(rows.map((row) => stringWidth(row[column] ?? ""))),
  );
  return rows.map((row) =>
    widths.map((width, column) => {
      const text = row[column] ?? "";
      const blanks = " ".repeat(width - stringWidth(text));
      return numeric.includes(column) ? blanks + text : text + blanks;
    }),
  );
}

/** Writes a table for a terminal: a line for each row, the head first. No control characters are left. */
export function textTable({ head, rows, numeric = [] }: Table): readonly string[] {
  const all = [head, ...rows].map((row) => row.map((cell) => terminalLine(textOf(cell))));
  return aligned({ rows: all, numeric }).map((cells) => cells.join("  ").trimEnd());
}

/**
 * Escapes a text for Markdown: nothing in it is markup, a mention or a cell's end. Spaces that do not break a line
 * stay.
 */
export function escapedMarkdown(text: string): string {
  return text
    .replace(/[^\S\u00a0]+/g, " ")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replace(/[\\`*_{}[\]#|~!]/g, "\\$&")
    .replaceAll("@", "@\u200b");
}

/** Writes a table as lines of Markdown, every column as wide as its widest cell. Cells are escaped here. */
export function markdownTable({ head, rows, numeric = [] }: Table): readonly string[] {
  const cellOf = (cell: TableCell) => escapedMarkdown(textOf(cell));
  const [first = [], ...others] = aligned({ rows: [head, ...rows].map((row) => row.map(cellOf)), numeric });
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const rule = first.map(
    (cell, column) => `${"-".repeat(Math.max(3, cell.length) - 1)}${numeric.includes(column) ? ":" : "-"}`,
  );
  return [line(first), line(rule), ...others.map(line)];
}

/** Writes a table as comma-separated values (RFC 4180), with a line break at its end. */
export function csvTable({ head, rows }: Table): string {
  return [head, ...rows].map((row) => `${row.map((cell) => csvCell(textOf(cell))).join(",")}\r\n`).join("");
}

function csvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Writes a table as HTML, in a region that scrolls.
 *
 * @param label name of the table for readers who do not see it.
 * @param className class of the <table>. Default: none.
 */
export function htmlTable(label: string, { head, rows, numeric = [] }: Table, className = ""): Markup {
  const shown = (cell: TableCell) => (typeof cell === "string" ? cell : (cell.html ?? cell.text));
  const classed = (name: string) => (name === "" ? null : html` class="${name}"`);
  const classOf = (cell: TableCell, column: number) => {
    const usual = numeric.includes(column) ? "number" : "";
    return classed(typeof cell === "string" ? usual : (cell.className ?? usual));
  };
  // On a narrow screen a row is a list, each cell behind its column's name.
  const labelOf = (column: number) => html` data-label="${textOf(head[column] ?? "")}"`;
  const cellOf = (cell: TableCell, column: number) =>
    column === 0
      ? html`<th scope="row"${classOf(cell, -1)}>${shown(cell)}</th>`
      : html`<td${classOf(cell, column)}${labelOf(column)}>${shown(cell)}</td>`;
  const headCells = head.map((cell) => html`<th scope="col"${classOf(cell, -1)}>${shown(cell)}</th>`);
  const lines = rows.map((row) => html`<tr>${row.map(cellOf)}</tr>\n`);
  const table = html`<table${classed(className)}><thead><tr>${headCells}</tr></thead><tbody>${lines}</tbody></table>`;
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${label}">${table}</div>`;
}
