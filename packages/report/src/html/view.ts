import type { ReportData } from "../data.ts";

/** A view of the page: a run against one baseline. */
export interface View {
  /** Name of the view in the URL; empty for the baselines that were measured. */
  readonly key: string;
  /** Name of the baseline as it stands in sentences. */
  readonly baseline: string;
  /** The report's data, with the comparisons against this baseline alone. */
  readonly data: ReportData;
}
