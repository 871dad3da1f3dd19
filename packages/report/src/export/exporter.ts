import type { TerminalOptions } from "@evenbench/page";
import type { RunSummary } from "@evenbench/results";
import type { ReportData } from "../data.ts";
import type { Details } from "../facts/details.ts";
import type { Facts } from "../facts/facts.ts";

/** The input from which every form of a run's report is made. */
interface ExportInput {
  readonly data: ReportData;
  /** What the run found, as facts.json has it. */
  readonly facts: Facts;
  /** What the page alone shows, as details.json has it. */
  readonly details: Details;
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
