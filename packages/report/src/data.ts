import type { Markup, Warning } from "@evenbench/page";
import type { Run } from "@evenbench/results";
import type { CaseReport } from "./case-report.ts";
import type { DifferenceMethod } from "./differences.ts";
import type { ReportTarget } from "./names.ts";
import type { CpuPrice } from "./prices.ts";

/** Everything that a report of a run is written from. */
export interface ReportData {
  readonly run: Run;
  readonly warnings: readonly Warning[];
  readonly summary: Summary;
  readonly targets: readonly ReportTarget[];
  readonly cases: readonly CaseReport[];
  readonly prices: readonly CpuPrice[];
  /** How its cases are compared in the place of ratios; null where one client measured. */
  readonly method: DifferenceMethod | null;
  readonly additions: ReadonlyMap<string, CaseAddition>;
}

/** A part of a case's report that comes from elsewhere, such as a sweep of loads after the run. */
export interface CaseAddition {
  readonly heading: string;
  readonly findings: readonly { readonly target: string; readonly sentence: string }[];
  readonly note: string;
  readonly figures: Markup;
}

/** The answer of a run in sentences. */
export interface Summary {
  /** Null where nothing was compared: sentences say so. */
  readonly answer: string | null;
  readonly sentences: readonly string[];
  readonly unproven: string | null;
  readonly control: string;
}

export type { CaseReport, ReportTarget };
