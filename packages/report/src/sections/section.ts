import { html, htmlTable, type Markup, type TableCell } from "@evenbench/page";
import { targetCell } from "../cells.ts";
import type { CaseReport, ReportData } from "../data.ts";

/** The parts of a section. A new section is one of these, and its line in `SECTIONS` (index.ts). */
interface Parts<Row extends { readonly target: string }> {
  /** Heading of the section. */
  readonly title: string;
  /** Lists the rows of its table. Default: there is no table. */
  rows?(report: CaseReport): readonly Row[];
  /** Columns of the table. One in which every cell is "–" is left out. */
  readonly columns?: readonly (readonly [
    head: TableCell,
    cell: (row: Row, report: CaseReport, data: ReportData) => string,
  ])[];
  /** Writes sentences below the table. Default: none. */
  note?(report: CaseReport): string;
  /** Draws a figure, which is folded away where the section has a table; null where there is nothing to draw. */
  figure?(report: CaseReport, data: ReportData): Markup | null;
  /** Gives remarks for every form of the report, which stand under the verdicts. */
  remarks?(report: CaseReport): readonly Remark[];
}

/** Something that a reader of a case should know of one target. */
export interface Remark {
  /** Name of the target. */
  readonly target: string;
  /** The remark, which goes on from the target's name and ends with a full stop. */
  readonly sentence: string;
}

/** A section of a case's report, in every form of that. */
export interface Section {
  /** True where it is shown at once; a section with a table is folded away. */
  readonly isMain: boolean;
  /** Sentences for every form of the report. */
  remarks(report: CaseReport): readonly Remark[];
  /** Draws the section's figure for the page; null where there is nothing to draw. */
  figure(report: CaseReport, data: ReportData): Markup | null;
  /** Writes the section's table for the page, with a heading; null where there are no rows. */
  table(report: CaseReport, data: ReportData): Markup | null;
}

/** Makes a section of its parts. */
export function section<Row extends { readonly target: string }>(parts: Parts<Row>): Section {
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
      const filled = columns.filter(([, cell]) => rows.some((row) => cell(row, report, data) !== "–"));
      const table = htmlTable(`${title} of ${report.manifest.id}`, {
        head: ["Platform", ...filled.map(([head]) => head)],
        rows: rows.map((row) => [
          targetCell(row.target, data),
          ...filled.map(([, cell]) => cell(row, report, data)),
        ]),
        numeric: filled.map((_, column) => column + 1),
      });
      return html`<h4>${title}</h4>${table}${note === undefined ? null : html`<p class="key">${note(report)}</p>`}`;
    },
  };
}
