import type { ReportData } from "../data.ts";

/** What the page shows of a run against one baseline. */
export interface View {
  /** Stands in the URL; empty for the baselines that were measured. */
  readonly key: string;
  /** As it stands in sentences. */
  readonly baseline: string;
  readonly data: ReportData;
}
