import { terminalLine } from "@evenbench/core";
import { largest } from "@evenbench/stats";
import { html, type Markup } from "./markup.ts";

/** Text; or with what a page shows in its place, and what the page's script knows of it. */
export type Cell =
  | string
  | {
      readonly text: string;
      readonly html?: Markup;
      readonly strong?: boolean;
      readonly className?: string;
      readonly data?: Readonly<Record<string, string | number>>;
    };

export interface Table {
  readonly head: readonly Cell[];
  readonly rows: readonly (readonly Cell[])[];
  readonly numeric?: readonly number[];
}

export function textOf(cell: Cell): string {
  return typeof cell === "string" ? cell : cell.text;
}

function aligned({ rows, numeric = [] }: Pick<Table, "numeric"> & { rows: readonly (readonly string[])[] }) {
  const widths = (rows[0] ?? []).map((_, column) => largest(rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    widths.map((width, column) =>
      numeric.includes(column) ? (row[column] ?? "").padStart(width) : (row[column] ?? "").padEnd(width),
    ),
  );
}

export function textTable({ head, rows, numeric = [] }: Table): readonly string[] {
  const all = [head, ...rows].map((row) => row.map((cell) => terminalLine(textOf(cell))));
  return aligned({ rows: all, numeric }).map((cells) => cells.join("  ").trimEnd());
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

/** As formatters write it: every column as wide as its widest cell. Cells are escaped here. */
export function markdownTable({ head, rows, numeric = [] }: Table): readonly string[] {
  const cellOf = (cell: Cell) => {
    const text = escaped(textOf(cell));
    return typeof cell === "object" && cell.strong ? `**${text}**` : text;
  };
  const [first = [], ...others] = aligned({ rows: [head, ...rows].map((row) => row.map(cellOf)), numeric });
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const rule = first.map(
    (cell, column) => `${"-".repeat(Math.max(3, cell.length) - 1)}${numeric.includes(column) ? ":" : "-"}`,
  );
  return [line(first), line(rule), ...others.map(line)];
}

export function csvTable({ head, rows }: Table): string {
  return [head, ...rows].map((row) => `${row.map((cell) => csvCell(textOf(cell))).join(",")}\r\n`).join("");
}

function csvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A region that scrolls by itself. @param label for readers who do not see it. */
export function htmlTable(label: string, { head, rows, numeric = [] }: Table, className = ""): Markup {
  const shown = (cell: Cell) =>
    typeof cell === "string"
      ? cell
      : (cell.html ?? (cell.strong ? html`<strong>${cell.text}</strong>` : cell.text));
  const attributes = (named: string, data: Readonly<Record<string, string | number>> = {}) =>
    html`${named === "" ? null : html` class="${named}"`}${Object.entries(data).map(([key, value]) => html` data-${key}="${value}"`)}`;
  const attributesOf = (cell: Cell, column: number) => {
    const { className, data } = typeof cell === "string" ? {} : cell;
    return attributes(className ?? (numeric.includes(column) ? "number" : ""), data);
  };
  const cellOf = (cell: Cell, column: number) =>
    column === 0
      ? html`<th scope="row"${attributesOf(cell, -1)}>${shown(cell)}</th>`
      : html`<td${attributesOf(cell, column)}>${shown(cell)}</td>`;
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${label}"><table${attributes(className)}><thead><tr>${head.map((cell) => html`<th scope="col"${attributesOf(cell, -1)}>${shown(cell)}</th>`)}</tr></thead><tbody>${rows.map((row) => html`<tr>${row.map(cellOf)}</tr>\n`)}</tbody></table></div>`;
}
