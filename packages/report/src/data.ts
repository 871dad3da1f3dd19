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

/** Everything that a report says, before it has a form. Made by `analyseRun`; the renderers only lay it out. */
export interface ReportData {
  readonly run: Run;
  /** Things that a reader must know before any number, gravest first. */
  readonly warnings: readonly Warning[];
  /** What was compared and what came out, in plain sentences. */
  readonly summary: Summary;
  readonly targets: readonly ReportTarget[];
  readonly cases: readonly CaseReport[];
  /** For CPU time; platforms without one have no cost in the report. */
  readonly prices: readonly CpuPrice[];
  /** What other measurements add, by case id. */
  readonly additions: ReadonlyMap<string, CaseAddition>;
}

/** What a measurement apart from the run's own adds to a case. */
export interface CaseAddition {
  readonly heading: string;
  /** About targets: each goes on after the target's name. */
  readonly findings: readonly { readonly target: string; readonly sentence: string }[];
  /** What it is, and what it is not. */
  readonly note: string;
  /** Drawn already, by who measured it. */
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

/** What a case's own samples say against it. */
export interface AuditFinding {
  readonly kind: AuditKind;
  readonly detail: string;
}

export interface Warning {
  /** "void": something that was asked for has no result. "caution": the results stand, read them with this in mind. */
  readonly severity: "void" | "caution";
  readonly title: string;
  /** Each happening, as one line. */
  readonly details: readonly string[];
  readonly remedy: string;
}

export interface Summary {
  /** What came out on time, in one sentence with numbers; null where nothing was compared. */
  readonly answer: string | null;
  /** The same, a sentence for each platform. */
  readonly sentences: readonly string[];
  /** What was compared with what. */
  readonly compared: string;
  /** Where the work was not proven equal, in a sentence; null where it was. The two above end with it. */
  readonly unproven: string | null;
  /** What the control allows to be said, or that there is none. */
  readonly control: string;
}

export interface ReportTarget extends RunTarget {
  /** Which colour it has on all pages: that of its platform. */
  readonly colour: number;
}

export interface CaseReport {
  readonly manifest: CaseManifest;
  /** Whether answers differed, and were to be compared all the same. */
  readonly isUnproven: boolean;
  /** What cases are grouped by: the case's own word; where it names none, as older ones, its app. */
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
  /**
   * Ratios among the targets that are compared with the baseline, of the headline time and of CPU time; empty
   * where that is null.
   */
  readonly pairs: { readonly headline: readonly PairRatio[]; readonly cpuTime: readonly PairRatio[] };
  /** How fresh instances become warm, for each target that answered. */
  readonly curves: readonly WarmUpCurve[];
  /** Whether instances or exchanges come in kinds, for each target that answered. */
  readonly kinds: readonly DrawnKinds[];
  /** Which instances were warm. */
  readonly warm: WarmInstances;
  /** CPU time and memory, where the system reported them. */
  readonly cpu: readonly CpuSummary[];
  /** CPU time as platforms account it to single requests; empty unless they were asked for it. */
  readonly providerCpu: readonly ProviderCpuSummary[];
  /** Last byte less transfer time; empty where that was not measured. */
  readonly computeTimes: readonly ComputeTime[];
  /** First exchanges of fresh instances; empty unless they were asked for. */
  readonly cold: readonly ColdSummary[];
  /** How a streamed body arrived, for each target: of the trial whose body took the median time. */
  readonly timelines: readonly Timeline[];
  /** When the parts of a streamed body were there; empty where it came whole. */
  readonly partTimes: readonly PartTime[];
  readonly series: readonly TargetSeries[];
  readonly errors: readonly ErrorCount[];
  /** What the case's own samples say against it. */
  readonly audit: readonly AuditFinding[];
  /** What its trials took, in milliseconds. */
  readonly spent: { readonly warmUpMs: number; readonly measuringMs: number };
  /** What several vantages saw of it, and its verdicts by them; null where one machine measured. */
  readonly vantages: VantageAnalysis | null;
}

/** What the figures of a case draw for one target, already thinned. Times in milliseconds. */
export interface TargetSeries {
  readonly target: string;
  readonly metric: Metric;
  /** Quantiles in ascending order of `share` (0 to 1). */
  readonly quantiles: readonly { readonly share: number; readonly ms: number }[];
}

/**
 * Whether a target comes in kinds, with what a figure draws of it. By CPU time, or by the headline's time
 * where it is not reported.
 */
export interface DrawnKinds extends TargetKinds {
  /** Median of each of its instances that was warm, in milliseconds. */
  readonly instanceMs: readonly number[];
  /** Quantiles of all exchanges of these, in ascending order and at equal steps, in milliseconds. */
  readonly exchangeMs: readonly number[];
}

/** CPU time that a platform accounts to a target's requests in a case. Times in milliseconds. */
export interface ProviderCpuSummary {
  readonly target: string;
  /** Who accounts, and by what. */
  readonly accountant: string;
  /** Mean of the trials' means; platforms round, so that single requests can have 0. */
  readonly msPerRequest: number;
  /** Student's t over the trials; null with fewer than two. */
  readonly interval: RatioInterval | null;
  /** Measured exchanges without an error, and those of them that have an account. */
  readonly exchanges: number;
  readonly joined: number;
  /** Most consecutive exchanges without one. */
  readonly longestGap: number;
  /** The joined part of the trial that has the smallest one: far below that of all, accounts are missing in lumps. */
  readonly leastShare: number;
}

export interface ErrorCount {
  readonly target: string;
  readonly kind: string;
  readonly count: number;
  /** The detail of the first of them. */
  readonly example: string;
}
