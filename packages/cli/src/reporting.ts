import type { TerminalOptions } from "@evenbench/page";
import { createReport, type ReportOptions, type WrittenReport } from "@evenbench/report";
import { vantageMethod } from "@evenbench/vantages/report";

/**
 * Makes the reports of a run in its folder, also of a run that several vantages measured.
 *
 * @param terminal the width and colours of what is printed. Default: those of standard output.
 * @throws {ResultsError} as `createReport` does.
 */
export function reportRun(
  folder: string,
  terminal?: TerminalOptions,
  options: Omit<ReportOptions, "method"> = {},
): Promise<WrittenReport> {
  return createReport(folder, terminal, { ...options, method: vantageMethod });
}
