import type { Notice } from "@evenbench/page";
import type { Run } from "@evenbench/results";
import type { CaseReport } from "./case-report.ts";
import type { DifferenceMethod } from "./differences.ts";
import type { ReportTarget } from "./names.ts";
import type { PlatformCpuPrice } from "./prices.ts";

/** Everything that a report of a run is written from. */
export interface ReportData {
  readonly run: Run;
  readonly notices: readonly Notice[];
  /** The run's answer in sentences. */
  readonly summary: RunAnswer;
  /** The run's targets: baselines first, A/A copies last. */
  readonly targets: readonly ReportTarget[];
  /** The reports of all cases: kind by kind, in the order of the plan. */
  readonly cases: readonly CaseReport[];
  /** Prices of CPU time on the targets' platforms. */
  readonly prices: readonly PlatformCpuPrice[];
  /** How its cases are compared in the place of ratios; null where one client measured. */
  readonly method: DifferenceMethod | null;
}

/** The answer of a run in sentences. */
export interface RunAnswer {
  /** All sentences in one text; null where nothing was compared, which `sentences` say. */
  readonly answer: string | null;
  /**
   * That the run ended before its plan; the findings on each target, or why there are none; then where a check failed,
   * and what was not proven.
   */
  readonly sentences: readonly string[];
  /** The sentence on after how many trials the run ended before its plan; null where it has all of them. */
  readonly stopped: string | null;
  /** The sentence on cases whose work was not proven equal; null where there are none. */
  readonly unproven: string | null;
  /** The sentence on cases whose A/A control shows a difference; null where none does. */
  readonly failedChecks: string | null;
  /** The result of the A/A controls, in a sentence: `failedChecks` where there is one. */
  readonly control: string;
}

export type { CaseReport, ReportTarget };
