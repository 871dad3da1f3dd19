import type { TerminalOptions } from "@evenbench/page";
import type { RunSummary } from "@evenbench/results";
import type { ReportData } from "../data.ts";

/** The input from which every form of a run's report is made. */
interface ExportInput {
  readonly data: ReportData;
  /** The numbers of `data`, as summary.json has them. */
  readonly summary: RunSummary;
  /** The width and colours of what is printed. */
  readonly terminal: TerminalOptions;
}

/**
 * A form of a run's report. The same input gives the same bytes. A new form is one of these, and its line in
 * index.ts.
 */
export interface Exporter<Output extends string | Uint8Array = string | Uint8Array> {
  /** The name of its file in the run's folder; null for what is only printed. */
  readonly file: string | null;
  render(input: ExportInput): Output | Promise<Output>;
}
