import { type Cell, html, htmlTable, type Markup } from "@evenbench/page";
import { targetCell } from "../cells.ts";
import type { CaseReport, ReportData } from "../data.ts";

/** What is shown of each case, in one place: a new section is one of these, and its line in `SECTIONS` (case-section.ts). */
interface Parts<Row extends { readonly target: string }> {
  readonly title: string;
  rows?(report: CaseReport): readonly Row[];
  readonly columns?: readonly (readonly [
    head: Cell,
    cell: (row: Row, report: CaseReport, data: ReportData) => string,
  ])[];
  note?(report: CaseReport): string;
  /** Folded away where the section has a table. */
  figure?(report: CaseReport, data: ReportData): Markup | null;
  /** In every form of the report, under the verdicts. */
  remarks?(report: CaseReport): readonly Remark[];
}

export interface Remark {
  readonly target: string;
  readonly sentence: string;
}

export type Section = ReturnType<typeof section>;

export function section<Row extends { readonly target: string }>(parts: Parts<Row>) {
  const { title, rows: rowsOf = () => [], columns = [], note } = parts;
  return {
    isMain: columns.length === 0,
    remarks: (report: CaseReport) => parts.remarks?.(report) ?? [],
    figure: (report: CaseReport, data: ReportData) => parts.figure?.(report, data) ?? null,
    table(report: CaseReport, data: ReportData): Markup | null {
      const rows = rowsOf(report);
      if (rows.length === 0) {
        return null;
      }
      const table = htmlTable(`${title} of ${report.manifest.id}`, {
        head: ["Target", ...columns.map(([head]) => head)],
        rows: rows.map((row) => [
          targetCell(row.target, data),
          ...columns.map(([, cell]) => cell(row, report, data)),
        ]),
        numeric: columns.map((_, column) => column + 1),
      });
      return html`<h4>${title}</h4>${table}${note === undefined ? null : html`<p class="key">${note(report)}</p>`}`;
    },
  };
}
