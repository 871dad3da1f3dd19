import type { CaseManifest } from "@evenbench/core";
import type { Run, RunTarget, Timeline } from "@evenbench/results";
import type {
  CaseAnalysis,
  ColdSummary,
  ComputeTime,
  CpuSummary,
  Metric,
  PairRatio,
  PartTime,
  RatioInterval,
  TargetKinds,
  VantageAnalysis,
  WarmInstances,
  WarmUpCurve,
} from "@evenbench/stats";
import type { Markup } from "./html/markup.ts";
import type { CpuPrice } from "./prices.ts";

/** Everything that a report says, before it has a form. */
export interface ReportData {
  readonly run: Run;
  readonly warnings: readonly Warning[];
  readonly summary: Summary;
  readonly targets: readonly ReportTarget[];
  readonly cases: readonly CaseReport[];
  /** For CPU time; platforms without one have no cost in the report. */
  readonly prices: readonly CpuPrice[];
  readonly additions: ReadonlyMap<string, CaseAddition>;
}

export interface CaseAddition {
  readonly heading: string;
  readonly findings: readonly { readonly target: string; readonly sentence: string }[];
  readonly note: string;
  readonly figures: Markup;
}

export type AuditKind =
  | "client-busy"
  | "client-late"
  | "cold"
  | "drift"
  | "instance-changed"
  | "littles-law"
  | "not-alone"
  | "reconnected";

export interface AuditFinding {
  readonly kind: AuditKind;
  readonly detail: string;
}

export interface Warning {
  /** "void": something that was asked for has no result. "caution": the results stand, read them with this in mind. */
  readonly severity: "void" | "caution";
  readonly title: string;
  readonly details: readonly string[];
  readonly remedy: string;
}

export interface Summary {
  /** What came out on time, in one sentence with numbers; null where nothing was compared. */
  readonly answer: string | null;
  readonly sentences: readonly string[];
  readonly compared: string;
  /** Where the work was not proven equal, in a sentence. */
  readonly unproven: string | null;
  readonly control: string;
}

export interface ReportTarget extends RunTarget {
  readonly colour: number;
}

export interface CaseReport {
  readonly manifest: CaseManifest;
  readonly isUnproven: boolean;
  /** What cases are grouped by. */
  readonly kindOfWork: string;
  readonly baseline: string;
  /** Names of the targets that were to serve this case, the baseline's A/A copy included. */
  readonly targets: readonly string[];
  /** Of the case's headline time; null where nothing was measured. */
  readonly headline: CaseAnalysis | null;
  /** Of the other time. */
  readonly other: CaseAnalysis | null;
  /** Of CPU time for each exchange; null where the system does not report it that finely. */
  readonly cpuTime: CaseAnalysis | null;
  /** Ratios among the targets that are compared with the baseline, of the headline time and of CPU time. */
  readonly pairs: { readonly headline: readonly PairRatio[]; readonly cpuTime: readonly PairRatio[] };
  readonly curves: readonly WarmUpCurve[];
  readonly kinds: readonly DrawnKinds[];
  readonly warm: WarmInstances;
  readonly cpu: readonly CpuSummary[];
  /** CPU time as platforms account it to single requests; empty unless they were asked for it. */
  readonly providerCpu: readonly ProviderCpuSummary[];
  readonly computeTimes: readonly ComputeTime[];
  readonly cold: readonly ColdSummary[];
  /** How a streamed body arrived, for each target. */
  readonly timelines: readonly Timeline[];
  readonly partTimes: readonly PartTime[];
  readonly series: readonly TargetSeries[];
  readonly errors: readonly ErrorCount[];
  readonly audit: readonly AuditFinding[];
  /** What its trials took, in milliseconds. */
  readonly spent: { readonly warmUpMs: number; readonly measuringMs: number };
  /** What several vantages saw of it, and its verdicts by them; null where one machine measured. */
  readonly vantages: VantageAnalysis | null;
}

export interface TargetSeries {
  readonly target: string;
  readonly metric: Metric;
  /** Quantiles in ascending order of `share` (0 to 1). */
  readonly quantiles: readonly { readonly share: number; readonly ms: number }[];
}

export interface DrawnKinds extends TargetKinds {
  readonly instanceMs: readonly number[];
  readonly exchangeMs: readonly number[];
}

export interface ProviderCpuSummary {
  readonly target: string;
  readonly accountant: string;
  /** Mean of the trials' means; platforms round, so that single requests can have 0. */
  readonly msPerRequest: number;
  /** Student's t over the trials; null with fewer than two. */
  readonly interval: RatioInterval | null;
  readonly exchanges: number;
  readonly joined: number;
  readonly longestGap: number;
  /** The joined part of the trial that has the smallest one: far below that of all, accounts are missing in lumps. */
  readonly leastShare: number;
}

export interface ErrorCount {
  readonly target: string;
  readonly kind: string;
  readonly count: number;
  readonly example: string;
}
